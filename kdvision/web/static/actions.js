// What people do: add kingdoms, correct squares, remove, rename. Each makes a new game and asks the server about it.

import * as api from "./api.js";
import { say, toast } from "./dom.js";
import * as model from "./model.js";
import { prepared } from "./photo.js";
import { go, kingdomOf, letGo, onChange, refresh, selected, settle, shown, state, sweep, undo, withKingdom, withRound } from "./state.js";
import { cellWords, t } from "./strings.js";

const EDITING = "dialog[open], #content select:focus, #content input:not([type=checkbox]):focus";
const BUSY_TRIES = 40;
const BUSY_WAIT = 4000; // milliseconds

/** What is going on, `stop` ends it; and what went wrong: `{ text, hint, again, photo, id }`, each until it is closed. */
export const progress = { text: "", share: null, stop: null, errors: [] };

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

let turn = Promise.resolve();
const atHand = []; // ids of the photos of all that runs or waits

onChange(() => sweep([...atHand, ...progress.errors.map((fault) => fault.id), state.mode === "draw" && state.drawn]));

/** Run something about the photo `id` that shows progress and can be stopped, after what runs already; what fails is
 * shown, with a way to try again. Resolves to what it came to, null where it failed, undefined where it was stopped. */
function working(first, work, about) {
  atHand.push(about.id);
  const mine = turn.then(() => atWork(first, work, about));
  turn = mine;
  return mine;
}

async function atWork(first, work, about) {
  const stop = new AbortController();
  progress.stop = stop;
  tell(first, 0.02);
  try {
    return await patiently(() => work(stop.signal), stop.signal);
  } catch (error) {
    if (stop.signal.aborted) return undefined;
    const text = [about.name, error.message].filter(Boolean).join(": ");
    const again = () => (working(first, work, about), dismiss(fault));
    const fault = { text, hint: error.hint ?? "", again, photo: about.photo?.(), id: about.id };
    progress.errors = [...progress.errors, fault];
    return null;
  } finally {
    Object.assign(progress, { text: "", share: null, stop: null });
    atHand.splice(atHand.indexOf(about.id), 1);
    refresh();
  }
}

/** Try again where the server says that it is busy, for some minutes. */
async function patiently(work, signal) {
  for (let tries = 0; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (error.status !== 503 || tries >= BUSY_TRIES) throw error;
      signal.throwIfAborted();
      tell(t("busy"));
      await new Promise((done) => {
        setTimeout(done, BUSY_WAIT);
        signal.addEventListener("abort", done, { once: true });
      });
      signal.throwIfAborted();
    }
  }
}

export function dismiss(fault) {
  progress.errors = progress.errors.filter((one) => one !== fault);
  refresh();
}

/** A name that no photo had: kingdoms outlive a reload of the page, photos do not. */
const photoId = () => `${Date.now().toString(36)}-${Math.random().toString(36).slice(2, 8)}`;

/** Read photos one after another and add their kingdoms; a photo that fails does not keep the others. */
export async function addPhotos(files) {
  const { round } = state.game;
  const all = files.length;
  for (const [number, file] of [...files].entries()) {
    const id = photoId();
    const name = all > 1 ? t("photoOfAll", { n: number + 1, all }) : "";
    const done = await working(
      t("preparing"),
      async (signal) => {
        const photo = await prepared(file, signal).catch((error) => {
          throw error instanceof api.Refusal || error.name === "AbortError" ? error : new Error(t("notShown"));
        });
        letGo(id); // of an earlier try
        state.photos.set(id, photo); // where no kingdom is found, one can be drawn on it
        const result = await api.read(photo.send, { ...toRead(round), tell: heard, signal });
        Object.assign(photo, { width: result.width, height: result.height });
        addRead(result, id, round);
        return result;
      },
      { id, name, photo: () => (state.photos.has(id) ? id : null) },
    );
    if (done === undefined) break;
    if (done) say(t("found", { n: done.kingdoms.length }));
  }
}

/** As what to read photos: the first photo of a game of which nobody has said may show which game it is. */
function toRead(round) {
  const { game, side } = state.game.rules;
  const gems = model.playsWithGems(state.game.rules);
  const untold = game === "kingdomino" && !gems && !inRound(round).length;
  return { side, gems, game: untold ? "auto" : game };
}

/** The kingdoms of a round, of the one that is shown where there is no such round any more. */
const inRound = (round) => state.game.rounds[round] ?? shown();

function addRead({ kingdoms: reads, game, variants }, photo, round) {
  const kingdoms = [];
  const others = reads.map((read) => read.colour);
  for (const read of reads) {
    const { player, colour } = nextPlayer(inRound(round), kingdoms, { seen: read.colour, others });
    kingdoms.push(model.readKingdom(player, colour, read, model.seenOf(read, photo), { game, variants }));
  }
  add(kingdoms, { game, variants, round });
}

/** The next name and castle that nobody has; in a Dynasty's later round those of the first.
 *
 * The castle is as it was `seen`, else of a colour that was not seen of the `others` in the photo. */
function nextPlayer(there, more = [], { seen = null, others = [] } = {}) {
  const kingdoms = [...there, ...more];
  const taken = (key) => new Set(kingdoms.map((kingdom) => kingdom[key]));
  const earlier = there === state.game.rounds[0] ? [] : state.game.rounds[0];
  const left = earlier.filter((one) => !taken("player").has(one.player));
  const again = left.find((one) => one.colour === seen) ?? left[0];
  if (again) return { player: again.player, colour: again.colour };
  const player = [...Array(40).keys()].map((n) => t("playerN", { n: n + 1 })).find((name) => !taken("player").has(name));
  const colours = model.COLOURS.filter((colour) => !taken("colour").has(colour) && !others.includes(colour));
  return { player, colour: model.COLOURS.includes(seen) ? seen : colours[0] ?? model.COLOURS[0] };
}

/** Add kingdoms to a round; they are shown, unless somebody is at work on another. */
function add(kingdoms, { game = state.game.rules.game, variants = [], round = state.game.round, typed = false } = {}) {
  const dragging = state.mode === "corners" || state.mode === "draw";
  const busy = !typed && (dragging || (selected() && document.querySelector(EDITING)));
  if (inRound(round) === shown() && !busy) {
    state.selected = kingdoms[0]?.id ?? state.selected;
    state.mode = "";
    state.close = kingdoms.length === 1 || state.close;
  }
  const { rules, rounds } = state.game;
  const there = inRound(round);
  const more = rounds.map((one) => (one === there ? [...one, ...kingdoms] : one));
  go({ ...state.game, rounds: more, rules: { ...rules, game, variants: [...new Set([...rules.variants, ...variants])] } });
  score();
}

/** Add a kingdom of typed rows; throws a Refusal where they are no board. */
export async function addTyped(text) {
  const rows = text.trim().split(/[\n/]+/).map((row) => row.trim()).filter(Boolean);
  await api.score({ game: state.game.rules.game, kingdom: [{ board: rows }] });
  const { player, colour } = nextPlayer(shown());
  add([model.newKingdom(player, colour, model.cellsOf(rows.map((row) => row.toLowerCase())))], { typed: true });
}

/** Read the kingdom within the corners of a drag (corners.js): in place of its kingdom, or as a new one. */
export async function readCorners(drag) {
  const { photo: photoId, kingdom, corners, size } = drag;
  const photo = state.photos.get(photoId);
  const { round } = state.game;
  const outline = `${size ? `${size}: ` : ""}${corners.map(([x, y]) => `${Math.round(x)},${Math.round(y)}`).join(" ")}`;
  await working(t("reading"), async (signal) => {
    const result = await api.read(photo.send, { ...toRead(round), corners: [outline], tell: heard, signal });
    const [read] = result.kingdoms;
    if (state.drag === drag) Object.assign(state, { mode: "", drawn: null, drag: null });
    const now = kingdom && kingdomOf(kingdom.id);
    if (!now) return addRead(result, photoId, round);
    const next = model.readKingdom(now.player, now.colour, read, model.seenOf(read, photoId), result);
    const lost = model.namedPieces(now);
    go(withKingdom({ ...next, id: now.id, pieces: model.keptPieces(now, next) }));
    if (lost) toast(t("piecesAgain", { n: lost }), undoAction());
    await Promise.all([score(), decideAgain()]);
    return result;
  }, { id: photoId });
}

/** Ask for the points of the game as it is; the answer is kept with it, but for what may pass: that is asked again. */
export async function score() {
  const game = state.game;
  const { data, ids, whole } = model.gameData(game);
  const empty = ids.every((round) => !round.length);
  const settled = state.scores.get(game);
  if (empty || (settled && !settled.again)) return refresh();
  try {
    state.scores.set(game, { ...(await api.score(data)), ids, whole });
  } catch (error) {
    state.scores.set(game, { error: error.message, hint: error.hint ?? "", again: api.passing(error), ids });
  }
  refresh();
}

let asking = 0; // the last question; earlier ones are not answered any more
let unanswered = false;

/** Decide the kingdoms of photos again with all that people have named, and tell which squares changed with `place`. */
async function decideAgain(place = null) {
  const question = (asking += 1);
  const game = state.game;
  const kingdoms = shown().filter((kingdom) => kingdom.seen?.sight);
  if (!kingdoms.length) return;
  let made;
  try {
    made = await api.decide(kingdoms.map(asked), game.rules);
    unanswered = false;
  } catch (error) {
    if (error.status === 410) forget(game);
    else if (api.passing(error)) {
      unanswered = true;
      toast(t("notFollowed"), { text: t("again"), run: () => decideAgain(place) });
    }
    return;
  }
  if (question !== asking) return; // people were faster, and a later answer knows more
  if (state.game !== game) return decideAgain(place); // something else has changed: a name, another photo
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

/** Ask once more what the server did not answer: it is there again, or the page is looked at again. */
export function askAgain() {
  if (unanswered) decideAgain();
  if (state.scores.get(state.game)?.again) score();
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

/** Say what a square of a kingdom shows; the points come at once, then the rest is decided again. */
export async function correct(id, place, cell) {
  const kingdom = kingdomOf(id);
  if (!kingdom) return;
  const before = kingdom.cells[place] ?? ".";
  const name = model.nameAt(kingdom, place);
  go(withKingdom(model.corrected(kingdom, place, cell)));
  await score();
  await decideAgain(place);
  const total = currentTotal(id);
  if (before === cell) return;
  const named = name || model.nameAt(kingdomOf(id) ?? kingdom, place);
  const words = t("changed", { square: named, cell: cellWords(cell) });
  say(total === null ? words : `${words} ${t("nowPoints", { n: total, name: kingdom.player })}`);
}

function currentTotal(id) {
  const found = state.scores.get(state.game);
  for (const [number, ids] of (found?.rounds ? found.ids : []).entries()) {
    const index = ids.indexOf(id);
    if (index >= 0) return found.rounds[number].kingdoms[index].total;
  }
  return null;
}

/** Change something of a kingdom that changes no square: its name, castle, pieces. */
export function amend(id, changes) {
  const kingdom = kingdomOf(id);
  if (!kingdom) return;
  const renamed = "player" in changes && state.game.rounds.length > 1;
  const next = { ...kingdom, ...changes };
  if (!renamed) go(withKingdom(next));
  else {
    const rename = (one) => (one.player === kingdom.player ? { ...one, ...changes } : one);
    go({ ...state.game, rounds: state.game.rounds.map((round) => round.map(rename)) });
  }
  return score();
}

/** Tell pieces of a kingdom: what is told is not asked any more, but for kinds of which there may be more. */
export function amendPieces(id, pieces, { all = [] } = {}) {
  const now = kingdomOf(id)?.pieces;
  if (!now) return;
  const told = new Set([...Object.keys(pieces).filter((key) => !Array.isArray(pieces[key])), ...all]);
  amend(id, { pieces: { ...now, ...pieces, untold: now.untold.filter((key) => !told.has(key)) } });
}

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
  progress.stop?.abort(); // what is being read belongs to the former game
  go(model.emptyGame());
  progress.errors = [];
  toast(t("newGameDone"), undoAction());
}
