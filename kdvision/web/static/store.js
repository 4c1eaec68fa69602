// The state of the page. Components read `state`; every change is a call of `update`, which draws the page again.

import { loadRefusedBoards } from "./storage.js";

/** The state; never changed in place. The game and its score are those of the table on the server (table.js). */
export let state = {
  table: null, // what the server sent last: { table, revision, game, score, … }
  game: null, // the game with the changes that are on their way
  points: new Map(), // id of a kingdom → { score, kingdom }: its latest points, and the kingdom that they are of
  connection: "joining", // "joining", "live" or "lost"
  people: 1, // phones at the table
  waiting: [], // steps that the server has not answered: { table, changes, after, resolve }; without resolve after a reload
  rules: null, // the answer of /api/rules; there is no game without it
  photos: new Map(), // id → { url, send, width, height }
  round: 0,
  selected: null, // id of the selected kingdom
  mode: "", // "", "edge" or "gem"
  zoomed: true, // whether the photo shows only the selected kingdom
  corners: null, // { photo, kingdom, table, game, round } while corners are moved
  dialog: null, // { kind, … } of the open dialog
  highlight: null, // places of the score line that is open
  flash: new Set(), // "kingdom place" of squares that have just changed
  progress: null, // the photo that is read: { text, sent, share, photo, squares, stop }
  errors: [], // photos that could not be read: { text, hint, retry, photo, id }
  refusedBoards: loadRefusedBoards(), // boards that the server has refused: { id, text, hint, board }
  toast: null, // { text, action, step }
  announcement: "",
};

let draw = () => {};

/** Call a function with the state after every change of it. */
export const subscribe = (listener) => void (draw = listener);

/** Change the state and draw the page again. */
export function update(changes) {
  state = { ...state, ...changes };
  draw(state);
}

/** Whether a step that waits is for the table that is shown. */
export const isOfTable = ({ table }) => table === state.table?.table;

/** The kingdoms of the round that is shown. */
export const listKingdoms = () => state.game?.rounds[state.round] ?? [];

export const getSelectedKingdom = () => findKingdom(state.selected) ?? listKingdoms()[0];

/** A kingdom of the round by its id; undefined if it was removed. */
export const findKingdom = (id) => listKingdoms().find((kingdom) => kingdom.id === id);

export const selectKingdom = (id) => update({ selected: id, mode: "" });

/** The latest score of a kingdom; null until the server has answered. */
export const getScore = (kingdom) => state.points.get(kingdom.id)?.score ?? null;

/** Whether a person should check the kingdom. */
export const isInDoubt = (kingdom) => kingdom.seen && !kingdom.checked && getScore(kingdom)?.review;

/** The score of the round that is shown. */
export const getRoundScore = () => state.table?.score.rounds[state.round];

/** Whether a piece, or a question about one, is part of the game. */
export const isPlayed = ({ kind }) => (kind === "gem" ? hasGems() : getPlayedGame().pieces);

/** The open questions of the round: `{ kingdom, kind, at, … }`, kind "cell" or a piece of the game. The most decisive
 * squares come first, as the score ranks them; it does not rank them while facts are missing. */
export function listOpenQuestions() {
  const unchecked = listKingdoms().filter(({ seen, checked }) => seen && !checked);
  const listQuestions = (key) => unchecked.flatMap(({ id, seen }) => seen[key].map((question) => ({ kind: "cell", kingdom: id, ...question })));
  const rank = new Map((getRoundScore()?.questions ?? []).map((question, index) => [`${question.kingdom} ${question.at}`, { ...question, index }]));
  const squares = listQuestions("doubts").map((doubt) => ({ index: Infinity, ...doubt, ...rank.get(`${doubt.kingdom} ${doubt.at}`) }));
  const pieces = listQuestions("pieces").filter(isPlayed);
  return [...squares.sort((a, b) => a.index - b.index || a.probability - b.probability), ...pieces];
}

/** The rules of the game that is played: of /api/rules. */
export const getPlayedGame = () => state.rules.games.find(({ game }) => game === state.game.rules.game);

export const listPlayedVariants = () => state.rules.variants.filter(({ id }) => state.game.rules.variants.includes(id));

export const hasGems = () => listPlayedVariants().some(({ facts }) => facts.includes("gems"));

const ANNOUNCE_MS = 300; // when the frame with what is announced is drawn

/** Announce a text to screen readers. */
export function announce(text) {
  if (state.announcement) update({ announcement: "" });
  setTimeout(() => update({ announcement: text }), ANNOUNCE_MS);
}

const TOAST_MS = 6000;
let toastTimer;

/** Show a line at the bottom for some seconds, with at most one button. The next step, or an undo, hides one of a `step`. */
export function showToast(text, action = null, step = null) {
  clearTimeout(toastTimer);
  update({ toast: { text, action, step } });
  announce(text);
  toastTimer = setTimeout(() => update({ toast: null }), TOAST_MS);
}

/** Open a dialog. Its key is new, so that it never has the element of another one. */
export const openDialog = (kind, props = {}) => update({ dialog: { kind, key: Symbol(kind), ...props } });

export const closeDialog = () => update({ dialog: null });
