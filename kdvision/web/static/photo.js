// Prepares a photo: reduced if it is large, and upright, to be shown and sent.

import * as api from "./api.js";

const MAX_SIDE = 2000; // pixels: with four kingdoms, a square has eighty, and the networks need forty
const MAX_UNCHANGED_BYTES = 1_500_000; // smaller files are sent unchanged

/** Prepare the photo in a file: `{ url, width, height, send }`; throws a Refusal if it cannot be shown. */
export async function preparePhoto(file, signal) {
  const image = await loadImage(file).catch(async () => loadImage(await api.picture(file, signal)));
  if (signal.aborted) URL.revokeObjectURL(image.src);
  signal.throwIfAborted();
  const factor = Math.min(1, MAX_SIDE / Math.max(image.naturalWidth, image.naturalHeight));
  const [width, height] = [image.naturalWidth, image.naturalHeight].map((side) => Math.round(side * factor));
  const canvas = document.createElement("canvas");
  Object.assign(canvas, { width, height });
  const context = canvas.getContext("2d", { alpha: false });
  context.fillStyle = "#fff";
  context.fillRect(0, 0, width, height);
  context.imageSmoothingQuality = "high";
  context.drawImage(image, 0, 0, width, height); // upright, and without the metadata of the file
  URL.revokeObjectURL(image.src);
  const plain = ["image/jpeg", "image/png", "image/webp"].includes(file.type) && file.size <= MAX_UNCHANGED_BYTES;
  const blob = await new Promise((done) => canvas.toBlob(done, "image/jpeg", 0.92));
  return { url: URL.createObjectURL(blob), width, height, send: plain ? file : blob };
}

async function loadImage(file) {
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
