// Photos: prepared, kept until their kingdoms are read, sent one after another.

import * as api from "./api.js";
import { newId } from "./model.js";
import { deletePhoto, loadPhotos, savePhoto } from "./storage.js";
import { announce, listKingdoms, showToast, state, update } from "./store.js";
import { receive } from "./table.js";
import { t } from "./strings.js";

const MAX_SIDE = 2000; // pixels: with four kingdoms, a square has eighty, and the networks need forty
const MAX_UNCHANGED_BYTES = 1_500_000; // smaller files are sent unchanged, unless they have more pixels
const MAX_READ_PHOTOS = 12;
const MAX_BUSY_TRIES = 40;
const BUSY_WAIT_MS = 4000;
const LOST_WAIT_MS = 1000;
const STAGES = { photo: "finding", squares: "finding", lattices: "reading", cells: "deciding", decide: "deciding" };
const SHARES = { photo: 0.45, squares: 0.6, lattices: 0.7, cells: 0.9, decide: 0.95 };

/** Prepare the photo in a file: `{ shown, send, width, height }`; throws a Refusal if it cannot be shown. */
async function preparePhoto(file, signal) {
  const image = await loadImage(file).catch(async () => loadImage(await api.convertPicture(file, signal)));
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
  const plain = factor === 1 && ["image/jpeg", "image/png", "image/webp"].includes(file.type) && file.size <= MAX_UNCHANGED_BYTES;
  const shown = await new Promise((done) => canvas.toBlob(done, "image/jpeg", 0.92));
  signal.throwIfAborted();
  return { shown, send: plain ? file : shown, width, height };
}

async function loadImage(file) {
  const image = new Image();
  image.src = URL.createObjectURL(file);
  await image.decode().catch((error) => {
    URL.revokeObjectURL(image.src);
    throw error;
  });
  return image;
}

let queue = Promise.resolve();
const active = new Set(); // ids of photos that are read or wait for it

/** Read photos one after another; the others continue if one fails. */
export function addPhotos(files) {
  const batch = newId();
  scrollTo(0, 0); // the progress, and what the server may ask or refuse, stand at the top
  for (const [number, file] of [...files].entries()) {
    const name = files.length > 1 ? t("photoOfAll", { n: number + 1, all: files.length }) : "";
    enqueue({ id: `${batch}-${number}`, file, name, game: state.game.number, round: state.round });
  }
}

/** Read the kingdom within corners that a person has drawn: in place of a kingdom, or as a new one. */
export function readCorners({ photo, kingdom, table, game, round }, outline) {
  update({ errors: state.errors.filter((error) => error.photo !== photo) }); // stays until now, as drawing can be cancelled
  enqueue({ id: photo, name: "", table, game, round, kingdom, outline });
}

function enqueue(task) {
  task.table ??= state.table.table; // a person may open another table before its turn
  active.add(task.id);
  if (task.file) savePhoto({ ...task, isRead: false }); // until its turn, a reload would lose it
  queue = queue.then(() => run(task));
}

async function run(task) {
  const stop = new AbortController();
  const showProgress = (progress) => update({ progress: { photo: task.id, stop, ...progress } });
  showProgress({ text: t("preparing"), share: 0.02 });
  try {
    await retryWhileBusy(() => prepareAndRead(task, showProgress, stop.signal), showProgress, stop.signal);
    keepPhoto({ ...state.photos.get(task.id), table: task.table, game: task.game, round: task.round, isRead: true });
  } catch (error) {
    if (stop.signal.aborted) return void (task.file && deletePhoto(task.id));
    const retry = () => {
      const destination = { table: state.table.table, game: state.game.number, round: state.round };
      const isThere = task.table === destination.table && task.game === destination.game && task.round < state.game.rounds.length;
      enqueue(isThere ? task : { ...task, ...destination });
      dismissError(shownError);
    };
    const text = [task.name, error.message].filter(Boolean).join(": ");
    const shownError = { text, hint: error.hint ?? "", retry, id: task.id, photo: state.photos.has(task.id) ? task.id : null };
    update({ errors: [...state.errors, shownError] });
  } finally {
    active.delete(task.id);
    update({ progress: null });
    releasePhotos();
  }
}

async function prepareAndRead(task, showProgress, signal) {
  if (task.file) await addPhoto(task, signal); // the server may have to convert it
  await read(task, showProgress, signal);
}

async function addPhoto(task, signal) {
  const photo = await preparePhoto(task.file, signal).catch((error) => {
    throw error instanceof api.Refusal || error.name === "AbortError" ? error : new Error(t("notShown"));
  });
  task.file = null;
  keepPhoto({ ...photo, id: task.id, table: task.table, game: task.game, round: task.round, isRead: false });
}

/** Show a photo, and store it in this browser: one that is not read yet is sent again after a reload. */
function keepPhoto({ url, ...photo }) {
  update({ photos: new Map([...state.photos, [photo.id, { ...photo, url: url ?? URL.createObjectURL(photo.shown) }]]) });
  return savePhoto(photo);
}

async function read({ id, table, game, round, kingdom, outline }, showProgress, signal) {
  const query = { photo: id, round, ...(game && { game }), ...(outline && { corners: outline }), ...(kingdom && { kingdom }) };
  const onProgress = (report) => showProgress({ ...describeProgress(report), squares: report.squares ?? state.progress?.squares });
  const path = `/api/tables/${table}/photos?${new URLSearchParams(query)}`;
  const { kingdoms, proposal, state: next } = await api.sendPhoto(path, state.photos.get(id).send, { onProgress, signal });
  receive(next);
  if (outline && state.corners?.photo === id) update({ corners: null });
  if (table !== state.table.table) return;
  if (kingdoms.length) showAdded(kingdoms, round);
  else if (outline && !kingdom && !proposal) {
    const isAsked = next.game.proposals.some((openProposal) => openProposal.id === id);
    showToast(t(isAsked ? "answerFirst" : "alreadyThere"));
  }
}

/** Show the first of the kingdoms that a photo has added, unless a person is working on another. */
function showAdded(ids, round) {
  announce(t("found", { n: ids.length }));
  const isWorking = state.corners || state.dialog || document.activeElement?.matches("main select, main input:not([type=checkbox], [type=file])");
  const isFirst = ids.length === listKingdoms().length;
  if (round === state.round && (isFirst || !isWorking)) update({ selected: ids[0], mode: "", zoomed: ids.length === 1 || state.zoomed });
}

function describeProgress({ stage, share, ahead }) {
  if (stage === "sending") return { text: t("sending"), sent: share.toLocaleString([], { style: "percent" }), share: 0.4 * share };
  if (stage === "waiting") return { text: t("waiting", { n: ahead }), share: 0.4 };
  return { text: t(STAGES[stage]), share: SHARES[stage], stop: null }; // the kingdoms reach the table in any case
}

/** Repeat a request while the connection is lost, and for some minutes while the server is busy. */
async function retryWhileBusy(work, showProgress, signal) {
  for (let tries = 0; ; tries += state.connection === "lost" ? 0 : 1) {
    try {
      return await work();
    } catch (error) {
      const isLost = error.status === 0;
      if (!(isLost || error.status === 503) || tries >= MAX_BUSY_TRIES) throw error;
      showProgress({ text: t(isLost ? "lost" : "busy"), share: null });
      await new Promise((done) => {
        setTimeout(done, isLost ? LOST_WAIT_MS : BUSY_WAIT_MS);
        signal.addEventListener("abort", done, { once: true });
      });
      signal.throwIfAborted();
    }
  }
}

export function dismissError(error) {
  update({ errors: state.errors.filter((shownError) => shownError !== error) });
  if (!state.photos.has(error.id) && !active.has(error.id)) deletePhoto(error.id); // one that was never shown
  releasePhotos();
}

const listPhotosAtTable = () => state.game.rounds.flat().map(({ seen }) => seen?.photo);

/** Show the photos that this browser has kept, and read those that a reload has interrupted. */
export async function restorePhotos() {
  for (const photo of await loadPhotos(state.table.table)) {
    if (state.photos.has(photo.id) || active.has(photo.id)) continue;
    if (photo.shown) keepPhoto(photo);
    if (!photo.isRead && !listPhotosAtTable().includes(photo.id)) enqueue({ ...photo, name: "" });
  }
  releasePhotos();
}

/** Release the photos that neither a kingdom, a task, an error nor the corner mode needs. Undo may bring back kingdoms,
 * so the last photos that were read stay. */
export function releasePhotos() {
  const askedPhotos = [...state.errors, state.corners].map((item) => item?.photo);
  const readIds = [...state.photos.values()].filter((photo) => photo.isRead).slice(-MAX_READ_PHOTOS).map(({ id }) => id);
  const neededIds = new Set([...listPhotosAtTable(), ...askedPhotos, ...active, ...readIds]);
  const unneededIds = [...state.photos.keys()].filter((id) => !neededIds.has(id));
  if (!unneededIds.length) return;
  for (const id of unneededIds) {
    const { url, isRead } = state.photos.get(id);
    URL.revokeObjectURL(url); // the browser keeps its content until then
    if (!isRead) deletePhoto(id);
  }
  update({ photos: new Map([...state.photos].filter(([id]) => neededIds.has(id))) });
}
