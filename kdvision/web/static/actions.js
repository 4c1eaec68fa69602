// The actions of a person: add, correct, rename and remove kingdoms. Each makes a new game and asks the server for it.

import * as api from "./api.js";
import { announce, showToast } from "./dom.js";
import * as model from "./model.js";
import { preparePhoto } from "./photo.js";
import { commit, findKingdom, releasePhoto, onChange, refresh, selectedKingdom, replaceGame, currentKingdoms, state, releasePhotos, undo, withKingdom, withKingdoms } from "./state.js";
import { describeCell, t } from "./strings.js";

/** What a person has open or is typing in. */
const EDITING = "dialog[open], #content select:focus, #content input:not([type=checkbox]):focus";
const MAX_BUSY_TRIES = 40;
const BUSY_WAIT_MS = 4000;

/** The task in progress, which `stop` aborts, and the errors that are shown: `{ text, hint, again, photo, id }`. */
export const progress = { text: "", share: null, stop: null, errors: [] };

function showProgress(text, share = null) {
  progress.text = text;
  progress.share = share;
  refresh();
}

const STAGES = { photo: "finding", squares: "finding", lattices: "finding", grids: "reading", cells: "deciding" };

/** Show a progress report of the server. */
function reportProgress(report) {
  if (report.stage === "sending") showProgress(t("sending", { percent: Math.round(100 * report.share) }), 0.4 * report.share);
  else if (report.stage === "waiting") showProgress(t("waiting", { n: report.ahead }), 0.4);
  else if (report.stage in STAGES) {
    const share = 0.45 + 0.09 * Object.keys(STAGES).indexOf(report.stage);
    showProgress(t(STAGES[report.stage]), share);
  }
}

let lastTask = Promise.resolve();
const activePhotos = []; // ids of the photos of tasks that run or wait

onChange(() => releasePhotos([...activePhotos, ...progress.errors.map((error) => error.id), state.mode === "draw" && state.drawingPhoto]));

/** Run a task about a photo (`about.id`) after the others. It shows its progress and can be stopped; an error is shown
 * with a button to try again. Resolves to the result, null after an error, undefined after a stop. */
function enqueue(firstText, work, about) {
  activePhotos.push(about.id);
  lastTask = lastTask.then(() => runTask(firstText, work, about));
  return lastTask;
}

async function runTask(firstText, work, about) {
  const stop = new AbortController();
  progress.stop = stop;
  showProgress(firstText, 0.02);
  try {
    return await retryWhileBusy(() => work(stop.signal), stop.signal);
  } catch (error) {
    if (stop.signal.aborted) return undefined;
    const text = [about.name, error.message].filter(Boolean).join(": ");
    const again = () => (enqueue(firstText, work, about), dismissError(shownError));
    const shownError = { text, hint: error.hint ?? "", again, photo: about.photo?.(), id: about.id };
    progress.errors = [...progress.errors, shownError];
    return null;
  } finally {
    Object.assign(progress, { text: "", share: null, stop: null });
    activePhotos.splice(activePhotos.indexOf(about.id), 1);
    refresh();
  }
}

/** Repeat a request for some minutes while the server is busy. */
async function retryWhileBusy(work, signal) {
  for (let tries = 0; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (error.status !== 503 || tries >= MAX_BUSY_TRIES) throw error;
      signal.throwIfAborted();
      showProgress(t("busy"));
      await new Promise((done) => {
        setTimeout(done, BUSY_WAIT_MS);
        signal.addEventListener("abort", done, { once: true });
      });
      signal.throwIfAborted();
    }
  }
}

export function dismissError(error) {
  progress.errors = progress.errors.filter((one) => one !== error);
  refresh();
}

/** A unique id for a photo. Kingdoms survive a reload of the page and photos do not, so no id is used twice. */
const photoId = () => `${Date.now().toString(36)}-${Math.random().toString(36).slice(2, 8)}`;

/** Read photos one after another and add their kingdoms; the others continue if one fails. */
export async function addPhotos(files) {
  const { round } = state.game;
  const all = files.length;
  for (const [number, file] of [...files].entries()) {
    const id = photoId();
    const name = all > 1 ? t("photoOfAll", { n: number + 1, all }) : "";
    const done = await enqueue(
      t("preparing"),
      async (signal) => {
        const photo = await preparePhoto(file, signal).catch((error) => {
          throw error instanceof api.Refusal || error.name === "AbortError" ? error : new Error(t("notShown"));
        });
        releasePhoto(id); // of an earlier attempt
        state.photos.set(id, photo); // if no kingdom is found, a person can draw one on it
        const result = await api.read(photo.send, { ...readOptions(round), onProgress: reportProgress, signal });
        Object.assign(photo, { width: result.width, height: result.height });
        addReadKingdoms(result, id, round);
        return result;
      },
      { id, name, photo: () => (state.photos.has(id) ? id : null) },
    );
    if (done === undefined) break;
    if (done) announce(t("found", { n: done.kingdoms.length }));
  }
}

/** The options for reading a photo: the first photo of a game decides which game it is, unless a person has. */
function readOptions(round) {
  const { game, side } = state.game.rules;
  const gems = model.playsWithGems(state.game.rules);
  const undecided = game === "kingdomino" && !gems && !kingdomsOf(round).length;
  return { side, gems, game: undecided ? "auto" : game };
}

/** The kingdoms of a round; those of the current round if it does not exist any more. */
const kingdomsOf = (round) => state.game.rounds[round] ?? currentKingdoms();

function addReadKingdoms({ kingdoms: reads, game, variants }, photo, round) {
  const kingdoms = [];
  const others = reads.map((read) => read.colour);
  for (const read of reads) {
    const { player, colour } = nextPlayer(kingdomsOf(round), kingdoms, { seen: read.colour, others });
    kingdoms.push(model.kingdomFromReading(player, colour, read, model.seenData(read, photo), { game, variants }));
  }
  addKingdoms(kingdoms, { game, variants, round });
}

/** The next unused name and castle colour; in a later round of a Dynasty, those of the first round.
 *
 * The colour is the one `seen` in the photo, or else one that no other kingdom of the photo (`others`) has. */
function nextPlayer(existing, more = [], { seen = null, others = [] } = {}) {
  const kingdoms = [...existing, ...more];
  const taken = (key) => new Set(kingdoms.map((kingdom) => kingdom[key]));
  const firstRound = existing === state.game.rounds[0] ? [] : state.game.rounds[0];
  const unused = firstRound.filter((one) => !taken("player").has(one.player));
  const match = unused.find((one) => one.colour === seen) ?? unused[0];
  if (match) return { player: match.player, colour: match.colour };
  const player = [...Array(40).keys()].map((n) => t("playerN", { n: n + 1 })).find((name) => !taken("player").has(name));
  const colours = model.COLOURS.filter((colour) => !taken("colour").has(colour) && !others.includes(colour));
  return { player, colour: model.COLOURS.includes(seen) ? seen : colours[0] ?? model.COLOURS[0] };
}

/** Add kingdoms to a round. The first is selected, unless a person is working on another. */
function addKingdoms(kingdoms, { game = state.game.rules.game, variants = [], round = state.game.round, typed = false } = {}) {
  const dragging = state.mode === "corners" || state.mode === "draw";
  const working = !typed && (dragging || (selectedKingdom() && document.querySelector(EDITING)));
  if (kingdomsOf(round) === currentKingdoms() && !working) {
    state.selected = kingdoms[0]?.id ?? state.selected;
    state.mode = "";
    state.zoomed = kingdoms.length === 1 || state.zoomed;
  }
  const { rules, rounds } = state.game;
  const target = kingdomsOf(round);
  const newRounds = rounds.map((one) => (one === target ? [...one, ...kingdoms] : one));
  commit({ ...state.game, rounds: newRounds, rules: { ...rules, game, variants: [...new Set([...rules.variants, ...variants])] } });
  score();
}

/** Add a kingdom of typed rows; throws a Refusal if they are not a board. */
export async function addTyped(text) {
  const rows = text.trim().split(/[\n/]+/).map((row) => row.trim()).filter(Boolean);
  await api.score({ game: state.game.rules.game, kingdom: [{ board: rows }] });
  const { player, colour } = nextPlayer(currentKingdoms());
  addKingdoms([model.createKingdom(player, colour, model.cellsOf(rows.map((row) => row.toLowerCase())))], { typed: true });
}

/** Read the kingdom within the corners of a drag (corners.js): in place of its kingdom, or as a new one. */
export async function readCorners(drag) {
  const { photo: photoId, kingdom, corners, size } = drag;
  const photo = state.photos.get(photoId);
  const { round } = state.game;
  const outline = `${size ? `${size}: ` : ""}${corners.map(([x, y]) => `${Math.round(x)},${Math.round(y)}`).join(" ")}`;
  await enqueue(t("reading"), async (signal) => {
    const result = await api.read(photo.send, { ...readOptions(round), corners: [outline], onProgress: reportProgress, signal });
    const [read] = result.kingdoms;
    if (state.drag === drag) Object.assign(state, { mode: "", drawingPhoto: null, drag: null });
    const now = kingdom && findKingdom(kingdom.id);
    if (!now) return addReadKingdoms(result, photoId, round);
    const next = model.kingdomFromReading(now.player, now.colour, read, model.seenData(read, photoId), result);
    const lost = model.countNamedPieces(now);
    commit(withKingdom({ ...next, id: now.id, pieces: model.mergePieces(now, next) }));
    if (lost) showToast(t("piecesAgain", { n: lost }), undoAction());
    await Promise.all([score(), decideAgain()]);
    return result;
  }, { id: photoId });
}

/** Request the points of the current game. The answer is stored with the game; a temporary error is tried again. */
export async function score() {
  const game = state.game;
  const { data, ids, whole } = model.gameData(game);
  const empty = ids.every((round) => !round.length);
  const stored = state.scores.get(game);
  if (empty || (stored && !stored.again)) return refresh();
  try {
    state.scores.set(game, { ...(await api.score(data)), ids, whole });
  } catch (error) {
    state.scores.set(game, { error: error.message, hint: error.hint ?? "", again: api.isTemporary(error), ids });
  }
  refresh();
}

let lastDecision = 0; // the number of the last request; answers to earlier ones are ignored
let decisionPending = false;

/** Decide the kingdoms of photos again with the fixed squares; announce which squares changed, except `place`. */
async function decideAgain(place = null) {
  const number = (lastDecision += 1);
  const game = state.game;
  const kingdoms = currentKingdoms().filter((kingdom) => kingdom.seen?.sight);
  if (!kingdoms.length) return;
  let decided;
  try {
    decided = await api.decide(kingdoms.map(toDecideRequest), game.rules);
    decisionPending = false;
  } catch (error) {
    if (error.status === 410) dropTokens(game);
    else if (api.isTemporary(error)) {
      decisionPending = true;
      showToast(t("notFollowed"), { text: t("again"), run: () => decideAgain(place) });
    }
    return;
  }
  if (number !== lastDecision) return; // a later request knows more
  if (state.game !== game) return decideAgain(place); // a name changed, or another photo was added
  const again = kingdoms.map((kingdom, index) => model.withDecision(kingdom, decided.kingdoms[index]));
  const changed = again.map((kingdom, index) => findChangedPlaces(kingdoms[index].cells, kingdom.cells)).flat();
  const byId = new Map(again.map((kingdom) => [kingdom.id, kingdom]));
  const sameScore = changed.length ? null : state.scores.get(game);
  const next = withKingdoms(currentKingdoms().map((kingdom) => byId.get(kingdom.id) ?? kingdom));
  if (sameScore) state.scores.set(next, sameScore); // same squares, same points
  replaceGame(next);
  if (changed.length) announceChanges(kingdoms, again, place);
  await score();
}

/** Repeat the requests that failed: the server can be reached again, or the page is visible again. */
export function retryRequests() {
  if (decisionPending) decideAgain();
  if (state.scores.get(state.game)?.again) score();
}

const toDecideRequest = (kingdom) => ({
  sight: kingdom.seen.sight,
  fixes: Object.fromEntries(
    Object.entries(kingdom.fixes).map(([place, cell]) => [model.squareName(...model.parsePlace(place)), cell]),
  ),
});

/** Drop tokens that the server does not accept any more: the boards stay, as if they had been typed. */
function dropTokens(game) {
  if (state.game !== game) return;
  replaceGame(withKingdoms(currentKingdoms().map((one) => (one.seen ? { ...one, seen: { ...one.seen, sight: null } } : one))));
  score();
}

function findChangedPlaces(before, after) {
  const places = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...places].filter((place) => before[place] !== after[place]);
}

function announceChanges(before, after, place) {
  const squares = after.flatMap((kingdom, index) => {
    const places = findChangedPlaces(before[index].cells, kingdom.cells).filter((one) => one !== place);
    const name = after.length > 1 && kingdom.id !== state.selected ? `${kingdom.player} ` : "";
    return places.map((one) => {
      const square = `${name}${model.nameAt(kingdom, one) || model.nameAt(before[index], one)}`;
      return t("becomes", { square, cell: describeCell(kingdom.cells[one]) });
    });
  });
  state.flash = new Set(after.flatMap((kingdom, i) => findChangedPlaces(before[i].cells, kingdom.cells)));
  setTimeout(() => ((state.flash = null), refresh()), 2500);
  if (squares.length) showToast(t("followed", { n: squares.length, squares: squares.join(", ") }), undoAction());
}

export const undoAction = () => ({ text: t("undo"), run: () => undo() && score() });

/** Fix a square of a kingdom: update the points at once, then decide the other squares again. */
export async function correctSquare(id, place, cell) {
  const kingdom = findKingdom(id);
  if (!kingdom) return;
  const before = kingdom.cells[place] ?? ".";
  const name = model.nameAt(kingdom, place);
  commit(withKingdom(model.withCell(kingdom, place, cell)));
  await score();
  await decideAgain(place);
  const total = currentTotal(id);
  if (before === cell) return;
  const named = name || model.nameAt(findKingdom(id) ?? kingdom, place);
  const words = t("changed", { square: named, cell: describeCell(cell) });
  announce(total === null ? words : `${words} ${t("nowPoints", { n: total, name: kingdom.player })}`);
}

function currentTotal(id) {
  const found = state.scores.get(state.game);
  for (const [number, ids] of (found?.rounds ? found.ids : []).entries()) {
    const index = ids.indexOf(id);
    if (index >= 0) return found.rounds[number].kingdoms[index].total;
  }
  return null;
}

/** Change properties of a kingdom other than its squares: name, castle, pieces. */
export function updateKingdom(id, changes) {
  const kingdom = findKingdom(id);
  if (!kingdom) return;
  const renamed = "player" in changes && state.game.rounds.length > 1;
  const next = { ...kingdom, ...changes };
  if (!renamed) commit(withKingdom(next));
  else {
    const rename = (one) => (one.player === kingdom.player ? { ...one, ...changes } : one);
    commit({ ...state.game, rounds: state.game.rounds.map((round) => round.map(rename)) });
  }
  return score();
}

/** Change pieces of a kingdom. Counts become known; lists only if their keys are in `all`, since there may be more. */
export function updatePieces(id, pieces, { all = [] } = {}) {
  const now = findKingdom(id)?.pieces;
  if (!now) return;
  const known = new Set([...Object.keys(pieces).filter((key) => !Array.isArray(pieces[key])), ...all]);
  updateKingdom(id, { pieces: { ...now, ...pieces, untold: now.untold.filter((key) => !known.has(key)) } });
}

export function removeKingdom(kingdom) {
  commit(withKingdoms(currentKingdoms().filter((one) => one.id !== kingdom.id)));
  showToast(t("removed", { name: kingdom.player }), undoAction());
  score();
  decideAgain();
}

/** Change the rules of the game; a Dynasty has three rounds. */
export function setRules(changes) {
  const rules = { ...state.game.rules, ...changes };
  let { rounds, round } = state.game;
  if (rules.dynasty && rounds.length === 1) rounds = [rounds[0], [], []];
  if (!rules.dynasty && rounds.length > 1) [rounds, round] = [[rounds[round]], 0];
  commit({ ...state.game, rules, rounds, round });
  score();
  if ("side" in changes || "game" in changes) decideAgain();
}

export function showRound(round) {
  replaceGame({ ...state.game, round });
  state.selected = currentKingdoms()[0]?.id ?? null;
  score();
}

export function selectKingdom(id) {
  Object.assign(state, { selected: id, mode: "", drag: null });
  refresh();
}

export function newGame() {
  progress.stop?.abort(); // the photo belongs to the old game
  commit(model.emptyGame());
  progress.errors = [];
  showToast(t("newGameDone"), undoAction());
}
