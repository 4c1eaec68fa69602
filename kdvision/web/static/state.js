// The state of the page: the game with its undo history, the photos of this session, and the answers of the server.

import { emptyGame } from "./model.js";

const STORAGE_KEY = "kdvision-game";
const MAX_UNDO_STEPS = 100;

export const state = {
  game: emptyGame(),
  past: [],
  future: [],
  photos: new Map(), // id → { url, send, width, height }
  scores: new WeakMap(), // game → the answer of /api/score
  rules: null, // the answer of /api/rules
  selected: null, // id of the selected kingdom
  mode: "", // "", "edge", "gem", "corners", "draw"
  drawingPhoto: null, // id of a photo without a kingdom, while one is drawn on it
  drag: null, // { photo, kingdom, corners, size, handle } while corners are moved (corners.js)
  editing: null, // place of the square whose sheet is open
  zoomed: true, // whether the photo shows only the selected kingdom
};

const listeners = [];

export const onChange = (listener) => listeners.push(listener);

/** Update the page. */
export function refresh() {
  for (const listener of listeners) listener();
}

/** Continue with this game; undo returns to the previous one. */
export function commit(game) {
  state.past = [...state.past.slice(-MAX_UNDO_STEPS), state.game];
  state.future = [];
  replaceGame(game);
}

/** Continue with this game, without a step for undo. */
export function replaceGame(game) {
  state.game = game;
  const kingdoms = currentKingdoms();
  if (!kingdoms.some((kingdom) => kingdom.id === state.selected)) state.selected = kingdoms[0]?.id ?? null;
  try {
    sessionStorage.setItem(STORAGE_KEY, JSON.stringify(game));
  } catch {
    // The browser stores nothing; the page works without.
  }
  refresh();
}

export const undo = () => moveStep(state.past, state.future);

export const redo = () => moveStep(state.future, state.past);

/** Move one step between the past and the future, and select the kingdom that differs. */
function moveStep(from, onto) {
  const game = from.pop();
  if (!game) return false;
  onto.push(state.game);
  const before = new Set(currentKingdoms());
  state.selected = game.rounds[game.round].find((kingdom) => !before.has(kingdom))?.id ?? state.selected;
  replaceGame(game);
  return true;
}

/** The game that this browser tab stored; null without one. */
export function loadGame() {
  try {
    return JSON.parse(sessionStorage.getItem(STORAGE_KEY));
  } catch {
    return null;
  }
}

/** Release the photos that neither a kingdom (also of undo and redo) nor `ids` need. */
export function releasePhotos(ids) {
  const needed = new Set(ids);
  const games = state.photos.size ? [state.game, ...state.past, ...state.future] : [];
  for (const game of games) for (const kingdom of game.rounds.flat()) needed.add(kingdom.seen?.photo);
  for (const id of state.photos.keys()) if (!needed.has(id)) releasePhoto(id);
}

/** Release a photo: the browser keeps the content of an object URL until it is revoked. */
export function releasePhoto(id) {
  URL.revokeObjectURL(state.photos.get(id)?.url);
  state.photos.delete(id);
}

/** Whether a flag was stored in this browser; false if the browser stores nothing. */
export function hasFlag(key) {
  try {
    return localStorage.getItem(`kdvision-${key}`) !== null;
  } catch {
    return false;
  }
}

/** Store a flag in this browser. */
export function setFlag(key) {
  try {
    localStorage.setItem(`kdvision-${key}`, "1");
  } catch {
    // The browser stores nothing; the hint will be shown again.
  }
}

/** The kingdoms of the current round. */
export const currentKingdoms = () => state.game.rounds[state.game.round];

export const selectedKingdom = () => findKingdom(state.selected);

/** A kingdom of the current round by its id; undefined if it was removed. */
export const findKingdom = (id) => currentKingdoms().find((kingdom) => kingdom.id === id);

/** The game with one kingdom replaced by its id. */
export function withKingdom(kingdom, game = state.game) {
  return withKingdoms(game.rounds[game.round].map((one) => (one.id === kingdom.id ? kingdom : one)), game);
}

/** The game with these kingdoms in the current round. */
export function withKingdoms(kingdoms, game = state.game) {
  const rounds = game.rounds.map((round, number) => (number === game.round ? kingdoms : round));
  return { ...game, rounds };
}

/** The score of a kingdom in the current game; null until the server has answered. */
export function scoreOf(kingdom) {
  const score = state.scores.get(state.game);
  if (!score?.rounds) return null;
  for (const [number, ids] of score.ids.entries()) {
    const index = ids.indexOf(kingdom.id);
    if (index >= 0) return score.rounds[number].kingdoms[index];
  }
  return null;
}
