// What people do: add kingdoms, correct squares, remove, rename. Each makes a new game and asks the server about it.

import * as api from "./api.js";
import { say, toast } from "./dom.js";
import * as model from "./model.js";
import { prepared } from "./photo.js";
import { go, refresh, selected, settle, shown, state, undo, withKingdom, withRound } from "./state.js";
import { cellWords, t } from "./strings.js";

const BUSY_TRIES = 40;
const BUSY_WAIT = 4000; // milliseconds

export const progress = { text: "", share: null, error: null, stop: null, again: null };

function tell(text, share = null) {
  progress.text = text;
  progress.share = share;
  refresh();
}

const STAGES = { photo: "finding", squares: "finding", lattices: "finding", grids: "reading", cells: "deciding" };

function heard(word) {
  if (word.stage === "sending") tell(t("sending", { percent: Math.round(100 * word.share) }), 0.4 * word.share);
  else if (word.stage === "waiting") tell(t("waiting", { n: word.ahead }), 0.4);
  else if (word.stage in STAGES) {
    const share = 0.45 + 0.09 * Object.keys(STAGES).indexOf(word.stage);
    tell(t(STAGES[word.stage]), share);
  }
}

/** Run something that shows progress and can be stopped; what fails is shown, with a way to try again. */
async function working(first, work) {
  const stop = new AbortController();
  Object.assign(progress, { error: null, again: null, stop });
  tell(first, 0.02);
  try {
    return await patiently(() => work(stop.signal), stop.signal);
  } catch (error) {
    if (error.name === "AbortError") return null;
    progress.error = { text: error.message, hint: error.hint ?? "" };
    progress.again = () => working(first, work);
    return null;
  } finally {
    Object.assign(progress, { text: "", share: null, stop: null });
    refresh();
  }
}

/** Try again where the server says that it is busy, for some minutes. */
async function patiently(work, signal) {
  for (let tries = 0; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (error.status !== 503 || tries >= BUSY_TRIES || signal.aborted) throw error;
      tell(t("busy"));
      await new Promise((done) => setTimeout(done, BUSY_WAIT));
    }
  }
}

export function dismiss() {
  Object.assign(progress, { error: null, again: null });
  refresh();
}

/** Read photos one after another and add their kingdoms. */
export async function addPhotos(files) {
  for (const file of files) {
    const done = await working(t("preparing"), async (signal) => {
      const photo = await prepared(file).catch((error) => {
        throw error instanceof api.Refusal ? error : new Error(t("notShown"));
      });
      const result = await api.read(photo.send, { side: state.game.rules.side, game: toRead(), tell: heard, signal });
      const id = String(state.photos.size + 1);
      state.photos.set(id, { ...photo, width: result.width, height: result.height });
      addRead(result, id);
      return result;
    });
    if (!done) break;
    say(t("found", { n: done.kingdoms.length }));
  }
}

/** The game to read photos as: the first photo of a game of which nobody has said may show it. */
function toRead() {
  const { game, variants } = state.game.rules;
  const untold = game === "kingdomino" && !variants.includes("lost-treasures") && !shown().length;
  return untold ? "auto" : game;
}

function addRead({ kingdoms: reads, game }, photo) {
  const kingdoms = reads.map((read, index) => {
    const { player, colour } = nextPlayer(index);
    return model.readKingdom(player, colour, read, model.seenOf(read, photo), game);
  });
  add(kingdoms, game);
}

/** The next name and castle that nobody has; in a later round of a Dynasty those of the first. */
function nextPlayer(index = 0) {
  const kingdoms = shown();
  const earlier = state.game.round > 0 ? state.game.rounds[0] : [];
  const left = earlier.filter((one) => !kingdoms.some((kingdom) => kingdom.player === one.player));
  if (left[index]) return { player: left[index].player, colour: left[index].colour };
  const names = new Set(kingdoms.map((kingdom) => kingdom.player));
  const free = [...Array(40).keys()].map((n) => t("playerN", { n: n + 1 })).filter((name) => !names.has(name));
  const used = new Set(kingdoms.map((kingdom) => kingdom.colour));
  const colours = [...model.COLOURS.filter((colour) => !used.has(colour)), ...model.COLOURS];
  return { player: free[Math.max(0, index - left.length)], colour: colours[index] };
}

function add(kingdoms, game = state.game.rules.game) {
  state.selected = kingdoms[0]?.id ?? state.selected;
  state.mode = "";
  state.close = kingdoms.length === 1 || state.close;
  const next = withRound([...shown(), ...kingdoms]);
  go({ ...next, rules: { ...next.rules, game } });
  score();
}

/** Add a kingdom of typed rows; throws a Refusal where they are no board. */
export async function addTyped(text) {
  const rows = text.trim().split(/[\n/]+/).map((row) => row.trim()).filter(Boolean);
  await api.score({ game: state.game.rules.game, kingdom: [{ board: rows }] });
  const { player, colour } = nextPlayer();
  add([model.newKingdom(player, colour, model.cellsOf(rows.map((row) => row.toLowerCase())))]);
}

/** Read a kingdom where its corners are, in place of `kingdom`, or as a new one where that is null. */
export async function readCorners(photoId, kingdom, corners, size) {
  const photo = state.photos.get(photoId);
  const outline = `${size ? `${size}: ` : ""}${corners.map(([x, y]) => `${Math.round(x)},${Math.round(y)}`).join(" ")}`;
  await working(t("reading"), async (signal) => {
    const { side } = state.game.rules;
    const result = await api.read(photo.send, { corners: [outline], side, game: toRead(), tell: heard, signal });
    const [read] = result.kingdoms;
    const cells = model.cellsOf(read.board, read.origin);
    state.mode = "";
    if (!kingdom) return addRead(result, photoId);
    const seen = model.seenOf(read, photoId);
    const next = { ...model.newKingdom(kingdom.player, kingdom.colour, cells, seen), id: kingdom.id };
    go(withKingdom(next));
    await Promise.all([score(), decideAgain()]);
  });
}

/** Ask for the points of the game as it is; the answer is kept with it. */
export async function score() {
  const game = state.game;
  const { data, ids, whole } = model.gameData(game);
  const empty = ids.every((round) => !round.length);
  const settled = state.scores.get(game);
  if (empty || settled) return refresh();
  try {
    state.scores.set(game, { ...(await api.score(data)), ids, whole });
  } catch (error) {
    state.scores.set(game, { error: error.message, hint: error.hint ?? "", ids });
  }
  refresh();
}

/** Decide the kingdoms of photos again with all that people have named; resolves to the squares that changed. */
async function decideAgain(place = null) {
  const game = state.game;
  const kingdoms = shown().filter((kingdom) => kingdom.seen?.sight);
  if (!kingdoms.length) return;
  let made;
  try {
    made = await api.decide(kingdoms.map(asked), game.rules);
  } catch (error) {
    if (error.status === 410) forget(game);
    return;
  }
  if (state.game !== game) return; // people were faster: a later answer knows more
  const again = kingdoms.map((kingdom, index) => model.decidedAgain(kingdom, made.kingdoms[index]));
  const changed = again.map((kingdom, index) => differing(kingdoms[index].cells, kingdom.cells)).flat();
  const byId = new Map(again.map((kingdom) => [kingdom.id, kingdom]));
  const score = changed.length ? null : state.scores.get(game);
  const next = withRound(shown().map((kingdom) => byId.get(kingdom.id) ?? kingdom));
  if (score) state.scores.set(next, score); // the same squares, so the same points
  settle(next);
  if (changed.length) tellChanged(kingdoms, again, place);
  await scoreNow();
}

const scoreNow = () => score();

const asked = (kingdom) => ({
  sight: kingdom.seen.sight,
  fixes: Object.fromEntries(
    Object.entries(kingdom.fixes).map(([place, cell]) => [model.squareName(...model.placeOf(place)), cell]),
  ),
});

/** Readings that the server does not know any more: the boards stay, as if they had been typed. */
function forget(game) {
  if (state.game !== game) return;
  settle(withRound(shown().map((one) => (one.seen ? { ...one, seen: { ...one.seen, sight: null } } : one))));
  score();
}

function differing(before, after) {
  const places = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...places].filter((place) => before[place] !== after[place]);
}

function tellChanged(before, after, place) {
  const squares = after.flatMap((kingdom, index) => {
    const places = differing(before[index].cells, kingdom.cells).filter((one) => one !== place);
    const name = after.length > 1 && kingdom.id !== state.selected ? `${kingdom.player} ` : "";
    return places.map((one) => {
      const square = `${name}${model.nameAt(kingdom, one) || model.nameAt(before[index], one)}`;
      return t("becomes", { square, cell: cellWords(kingdom.cells[one]) });
    });
  });
  state.flash = new Set(after.flatMap((kingdom, i) => differing(before[i].cells, kingdom.cells)));
  setTimeout(() => ((state.flash = null), refresh()), 2500);
  if (squares.length) toast(t("followed", { n: squares.length, squares: squares.join(", ") }), undoAction());
}

export const undoAction = () => ({ text: t("undo"), run: () => undo() && score() });

/** Say what a square of the selected kingdom shows; the points come at once, then the rest is decided again. */
export async function correct(place, cell) {
  const kingdom = selected();
  const before = kingdom.cells[place] ?? ".";
  const name = model.nameAt(kingdom, place);
  go(withKingdom(model.corrected(kingdom, place, cell)));
  await score();
  await decideAgain(place);
  const total = currentTotal();
  if (before === cell) return;
  const named = name || model.nameAt(selected() ?? kingdom, place);
  const words = t("changed", { square: named, cell: cellWords(cell) });
  say(total === null ? words : `${words} ${t("nowPoints", { name: kingdom.player, total })}`);
}

function currentTotal() {
  const found = state.scores.get(state.game);
  for (const [number, ids] of (found?.rounds ? found.ids : []).entries()) {
    const index = ids.indexOf(state.selected);
    if (index >= 0) return found.rounds[number].kingdoms[index].total;
  }
  return null;
}

/** Change something of a kingdom that changes no square: its name, castle, pieces. */
export function amend(kingdom, changes) {
  const renamed = "player" in changes && state.game.rounds.length > 1;
  const next = { ...kingdom, ...changes };
  if (!renamed) go(withKingdom(next));
  else {
    const rename = (one) => (one.player === kingdom.player ? { ...one, ...changes } : one);
    go({ ...state.game, rounds: state.game.rounds.map((round) => round.map(rename)) });
  }
  return score();
}

export const amendPieces = (kingdom, pieces) => amend(kingdom, { pieces: { ...kingdom.pieces, ...pieces } });

export function removeKingdom(kingdom) {
  go(withRound(shown().filter((one) => one.id !== kingdom.id)));
  toast(t("removed", { name: kingdom.player }), undoAction());
  score();
  decideAgain();
}

/** Change the rules of the game; a Dynasty has three rounds. */
export function setRules(changes) {
  const rules = { ...state.game.rules, ...changes };
  let { rounds, round } = state.game;
  if (rules.dynasty && rounds.length === 1) rounds = [rounds[0], [], []];
  if (!rules.dynasty && rounds.length > 1) [rounds, round] = [[rounds[round]], 0];
  go({ ...state.game, rules, rounds, round });
  score();
  if ("side" in changes || "game" in changes) decideAgain();
}

export function showRound(round) {
  settle({ ...state.game, round });
  state.selected = shown()[0]?.id ?? null;
  score();
}

export function select(id, { close = state.close } = {}) {
  Object.assign(state, { selected: id, close, mode: "" });
  refresh();
}

export function newGame() {
  go(model.emptyGame());
  progress.error = null;
  toast(t("newGameDone"), undoAction());
}
