// What is shown: the game with its past and future, the photos of this session, and what the server said of it all.

import { emptyGame } from "./model.js";

const KEPT = "kdvision-game";
const MOST = 100;

export const state = {
  game: emptyGame(),
  past: [],
  future: [],
  photos: new Map(), // id → { url, send, width, height }
  scores: new WeakMap(), // game → what /api/score said of it
  rules: null, // what /api/rules said
  selected: null, // id of the kingdom that is shown
  mode: "", // "", "edge", "gem", "corners", "draw"
  drawn: null, // id of a photo without a kingdom on which one is drawn
  drag: null, // { photo, kingdom, corners, size, handle } while corners are moved (corners.js)
  editing: null, // place of the square whose sheet is open
  close: true, // whether the photo shows the selected kingdom alone
};

const listeners = [];

export const onChange = (listener) => listeners.push(listener);

/** Show everything anew. */
export function refresh() {
  for (const listener of listeners) listener();
}

/** Go on with this game; what was is kept for undo. */
export function go(game) {
  state.past = [...state.past.slice(-MOST), state.game];
  state.future = [];
  settle(game);
}

/** Go on with this game in place of the last one, as if it had been so at once. */
export function settle(game) {
  state.game = game;
  const kingdoms = shown();
  if (!kingdoms.some((kingdom) => kingdom.id === state.selected)) state.selected = kingdoms[0]?.id ?? null;
  try {
    sessionStorage.setItem(KEPT, JSON.stringify(game));
  } catch {
    // a browser that keeps nothing still plays on
  }
  refresh();
}

export const undo = () => step(state.past, state.future);

export const redo = () => step(state.future, state.past);

/** Take the game from one pile, lay the present one on the other, and show the kingdom that differs. */
function step(from, onto) {
  const game = from.pop();
  if (!game) return false;
  onto.push(state.game);
  const before = new Set(shown());
  state.selected = game.rounds[game.round].find((kingdom) => !before.has(kingdom))?.id ?? state.selected;
  settle(game);
  return true;
}

/** The game that this browser tab last showed, where it still knows. */
export function kept() {
  try {
    return JSON.parse(sessionStorage.getItem(KEPT));
  } catch {
    return null;
  }
}

/** Let go of the photos that no kingdom needs, of this game or of one that undo or redo brings back, nor any of `ids`. */
export function sweep(ids) {
  const needed = new Set(ids);
  const games = state.photos.size ? [state.game, ...state.past, ...state.future] : [];
  for (const game of games) for (const kingdom of game.rounds.flat()) needed.add(kingdom.seen?.photo);
  for (const id of state.photos.keys()) if (!needed.has(id)) letGo(id);
}

/** Let go of a photo, where it is there: the browser holds what an address stands for until it is told. */
export function letGo(id) {
  URL.revokeObjectURL(state.photos.get(id)?.url);
  state.photos.delete(id);
}

/** Whether this browser was told to remember something; browsers that keep nothing were not. */
export function remembered(key) {
  try {
    return localStorage.getItem(`kdvision-${key}`) !== null;
  } catch {
    return false;
  }
}

export function remember(key) {
  try {
    localStorage.setItem(`kdvision-${key}`, "1");
  } catch {
    // it will be said once more
  }
}

/** The kingdoms of the round that is shown. */
export const shown = () => state.game.rounds[state.game.round];

export const selected = () => kingdomOf(state.selected);

/** A kingdom of the round that is shown as it is now; undefined where it is gone. */
export const kingdomOf = (id) => shown().find((kingdom) => kingdom.id === id);

/** The game with one kingdom in place of that of the same id. */
export function withKingdom(kingdom, game = state.game) {
  return withRound(game.rounds[game.round].map((one) => (one.id === kingdom.id ? kingdom : one)), game);
}

/** The game with these kingdoms in the round that is shown. */
export function withRound(kingdoms, game = state.game) {
  const rounds = game.rounds.map((round, number) => (number === game.round ? kingdoms : round));
  return { ...game, rounds };
}

/** What the server said of a kingdom of the game as it is now; null until it has. */
export function scoreOf(kingdom) {
  const score = state.scores.get(state.game);
  if (!score?.rounds) return null;
  for (const [number, ids] of score.ids.entries()) {
    const index = ids.indexOf(kingdom.id);
    if (index >= 0) return score.rounds[number].kingdoms[index];
  }
  return null;
}
