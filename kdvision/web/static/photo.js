// A photo from the phone: shrunk where that helps, upright, ready to be shown and to be sent.

import * as api from "./api.js";

const LONG_SIDE = 2000; // pixels: a square of a table of four has eighty then, and the reader needs forty
const SMALL = 1_500_000; // bytes: what is smaller is sent as it is

/** The photo of a file: `{ url, width, height, send }`; throws a Refusal where nothing can show it, or is given up. */
export async function prepared(file, signal) {
  const image = await shownBy(file).catch(async () => shownBy(await api.picture(file, signal)));
  if (signal.aborted) URL.revokeObjectURL(image.src);
  signal.throwIfAborted();
  const factor = Math.min(1, LONG_SIDE / Math.max(image.naturalWidth, image.naturalHeight));
  const [width, height] = [image.naturalWidth, image.naturalHeight].map((side) => Math.round(side * factor));
  const canvas = document.createElement("canvas");
  Object.assign(canvas, { width, height });
  const pen = canvas.getContext("2d", { alpha: false });
  pen.fillStyle = "#fff";
  pen.fillRect(0, 0, width, height);
  pen.imageSmoothingQuality = "high";
  pen.drawImage(image, 0, 0, width, height); // the browser turns it upright, and what else the file told stays behind
  URL.revokeObjectURL(image.src);
  const plain = ["image/jpeg", "image/png", "image/webp"].includes(file.type) && file.size <= SMALL;
  const blob = await new Promise((done) => canvas.toBlob(done, "image/jpeg", 0.92));
  return { url: URL.createObjectURL(blob), width, height, send: plain ? file : blob };
}

async function shownBy(file) {
  const image = new Image();
  image.src = URL.createObjectURL(file);
  try {
    await image.decode();
  } catch (error) {
    URL.revokeObjectURL(image.src);
    throw error;
  }
  return image;
}
