// What this browser keeps: its table, the games of this device, and photos for a day. Without storage the page works.

import { newId } from "./model.js";

const GAMES = "kdvision-games";
const WAITING = "kdvision-waiting";
const MAX_GAMES = 20;
const PHOTO_MS = 86_400_000;

function load(storage, key) {
  try {
    return JSON.parse(storage().getItem(key));
  } catch {
    return null; // nothing is stored, or nothing that this version understands
  }
}

function save(storage, key, value) {
  try {
    storage().setItem(key, JSON.stringify(value));
    return true;
  } catch {
    return false; // the browser stores nothing, or has no space left
  }
}

const local = () => localStorage;
const session = () => sessionStorage;

/** The table that this tab was at, or else this device. */
export const loadTable = () => load(session, "kdvision-table") ?? load(local, "kdvision-table");

export function saveTable(table) {
  save(session, "kdvision-table", table);
  save(local, "kdvision-table", table);
}

const tab = newId(); // of this load of the page: a duplicated tab has a copy of the session
const tabBefore = load(session, "kdvision-tab"); // a page that has crashed has left its steps
save(session, "kdvision-tab", tab);

let areKept = false; // whether the steps of this tab are stored

/** Take the steps that the server has not answered: those of the page before, and of tabs that nobody looks at any more. */
export function loadWaiting() {
  const steps = load(local, WAITING) ?? [];
  const isTaken = (step) => step.tab === tabBefore || step.isFree;
  const oldSteps = load(session, WAITING) ?? []; // of the version before, which kept them by tab
  save(session, WAITING, []);
  save(local, WAITING, steps.filter((step) => !isTaken(step)));
  return [...steps.filter(isTaken), ...oldSteps];
}

/** Keep the steps of this tab; JSON leaves out their functions. While nobody looks at it, the next page may take them. */
export function saveWaiting(waiting, isFree = document.hidden) {
  const otherSteps = (load(local, WAITING) ?? []).filter((step) => step.tab !== tab);
  areKept = save(local, WAITING, [...otherSteps, ...waiting.map((step) => ({ ...step, tab, isFree }))]);
}

/** Whether another page has taken the steps of this tab. */
export const areTaken = () => areKept && load(local, WAITING)?.some((step) => step.tab === tab) === false;

/** The board that is typed in this tab, until it is added. */
export const loadDraft = () => load(session, "kdvision-draft") ?? "";

export const saveDraft = (text) => save(session, "kdvision-draft", text);

/** The boards of this tab that the server has refused: `{ id, text, hint, board }`, with what was wrong. */
export const loadRefusedBoards = () => load(session, "kdvision-refused") ?? [];

export const saveRefusedBoards = (boards) => save(session, "kdvision-refused", boards);

/** The games of this device, latest first: `{ id, time, text, link }`. */
export function listGames() {
  const games = load(local, GAMES);
  return Array.isArray(games) ? games.filter((game) => typeof game?.link === "string" && game.text) : [];
}

export function saveGame(game) {
  const otherGames = listGames().filter(({ id }) => id !== game.id);
  save(local, GAMES, [{ ...game, time: Date.now() }, ...otherGames].slice(0, MAX_GAMES));
}

/** Run `use` with the store of photos; resolves to the result of its request, undefined if it fails. */
async function withPhotos(mode, use) {
  try {
    const opening = indexedDB.open("kdvision", 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore("photos", { keyPath: "id" });
    const database = await settle(opening);
    return await settle(use(database.transaction("photos", mode).objectStore("photos"))).finally(() => database.close());
  } catch {
    return undefined;
  }
}

function settle(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

/** Store a photo: `{ id, table, round, shown, send, width, height, isRead }`; before its turn `file` instead of pictures. */
export const savePhoto = (photo) => withPhotos("readwrite", (store) => store.put({ time: Date.now(), ...photo }));

export const deletePhoto = (id) => withPhotos("readwrite", (store) => store.delete(id));

/** The stored photos of a table; photos that are too old are deleted. */
export async function loadPhotos(table) {
  const photos = (await withPhotos("readonly", (store) => store.getAll())) ?? [];
  const isOld = ({ time }) => time < Date.now() - PHOTO_MS;
  for (const { id } of photos.filter(isOld)) deletePhoto(id);
  return photos.filter((photo) => photo.table === table && !isOld(photo));
}
