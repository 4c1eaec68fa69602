// The shared table: this phone sends changes, and the server sends the whole game to everybody after each of them.

import * as api from "./api.js";
import { encodeGame } from "./link.js";
import { formatRows, nameSquareAt, newId, parseBoard, withPieces } from "./model.js";
import { areTaken, loadTable, loadWaiting, saveGame, saveRefusedBoards, saveTable, saveWaiting } from "./storage.js";
import { announce, findKingdom, getScore, isOfTable, openDialog, showToast, state, update } from "./store.js";
import { describeCell, joinSentences, t } from "./strings.js";

const RETRY_MS = 1000;
const FLASH_MS = 2500;
const REMEMBER_MS = 1000;
const MAX_NAMED_SQUARES = 6; // more are a new reading
const MOVES = ["undo", "redo", "new_game", "open_game", "load_game"]; // changes that show another step or game

let live = null; // the stream of states
let sending = false;
const lostTables = new Set(); // tables that the server does not have any more, once that was said
const answers = {}; // by table: what the server has answered to the last step of this phone, null if it has refused it
let decided = 0; // the last step whose squares are all decided
let remembering; // timer
let flashing; // timer

/** Join a table: the named one, or else the latest one; `fresh` starts another one. Resolves to whether it is shown. */
export async function join({ table = null, fresh = false } = {}) {
  const before = state.table?.table;
  try {
    const [rules, joinedTable] = await Promise.all([state.rules ?? api.get("/api/rules"), api.post("/api/tables", { table, new: fresh })]);
    if (state.table?.table !== before) return false; // another table was opened meanwhile
    update({ rules });
    if (joinedTable.table !== state.table?.table) {
      const waiting = (state.table ? state.waiting : loadWaiting()).map((step) => withBefore(step, joinedTable));
      saveWaiting(waiting);
      update({ table: null, game: null, points: new Map(), waiting, toast: null });
    }
    receive(joinedTable);
    saveTable(joinedTable.table);
    watch();
    return true;
  } catch (error) {
    if (error.status === 404 && table) {
      if (table === before) remember(state.game); // with the changes that wait
      const isShown = await join();
      const action = { text: t("games"), run: () => openDialog("games") }; // this device may have kept its game
      const isLost = table !== before && state.waiting.some((step) => step.table === table);
      if (isShown) showToast(t(isLost ? "changesGone" : "tableGone", { name: table }), action);
      if (isShown) lostTables.add(table);
      return isShown;
    }
    update({ connection: "lost" });
    if (state.table && !joining) reconnect(); // to the table that is still shown
    if (fresh || !api.isTemporary(error)) showToast(joinSentences(error.message, error.hint));
    return false;
  }
}

let joining = null;

/** Join the table of this phone as soon as the server answers, and send the changes that a reload has interrupted. */
export function rejoin(table = loadTable()) {
  joining ??= tryToJoin(table).finally(() => (joining = null));
  return joining;
}

async function tryToJoin(table) {
  while (!(await join({ table }))) {
    await new Promise((done) => setTimeout(done, RETRY_MS));
    if ((state.table?.table ?? table) !== table) return; // another table was opened meanwhile
  }
  flush();
}

/** Follow the table. The browser reconnects by itself unless the server refuses. */
function watch() {
  live?.close();
  const stream = new EventSource(`/api/tables/${state.table.table}/live`);
  live = stream;
  stream.addEventListener("state", ({ data }) => {
    receive(JSON.parse(data));
    flush();
  });
  stream.addEventListener("people", ({ data }) => update({ people: Number(data) }));
  stream.onopen = () => {
    // A server that has lost the last steps in a power cut counts from a lower revision.
    update({ connection: "live", table: { ...state.table, revision: 0 } });
  };
  stream.onerror = () => {
    update({ connection: "lost" });
    if (stream.readyState === EventSource.CLOSED) setTimeout(() => stream === live && reconnect(), RETRY_MS);
  };
}

/** Connect again: the phone has been asleep, or the network was gone. A stream that was cut off then may look open. */
export const reconnect = () => rejoin(state.table?.table);

/** Show a state of the server, unless it or a newer one is shown, or it is of a table that this page has left. */
export function receive(next) {
  if (state.table && (state.table.table !== next.table || state.table.revision >= next.revision)) return;
  const before = state.game?.number === next.game.number ? state.game : null;
  const isOtherGame = state.game && !before;
  const isFollowing = !before || location.hash === "#watch"; // a large screen shows each round as it begins
  const round = isFollowing ? next.game.rounds.findLastIndex((kingdoms) => kingdoms.length) : state.round;
  const step = next.undo?.step ?? 0;
  const stepBefore = state.table?.undo?.step ?? 0;
  const isUndone = next.redo && step < stepBefore;
  const shownKingdoms = new Map(state.game?.rounds.flat().map((kingdom) => [kingdom.id, kingdom]));
  const rounds = next.game.rounds.map((round) => round.map((kingdom) => keepShown(shownKingdoms.get(kingdom.id), kingdom)));
  const kingdoms = new Map(rounds.flat().map((kingdom) => [kingdom.id, kingdom]));
  const game = { ...next.game, rounds, rules: keepEqual(state.game?.rules, next.game.rules) };
  const shownGame = makeShownGame({ ...next, game }, state.waiting);
  const isSameReading = (kingdom) => kingdom.seen?.reading === shownKingdoms.get(kingdom.id)?.seen?.reading;
  const isShown = ({ kingdom: id }) => !id || shownGame.rounds.flat().some((kingdom) => kingdom.id === id && isSameReading(kingdom));
  const entries = next.score.rounds.flatMap((round) => round.kingdoms).map((score) => [score.id, { score, kingdom: kingdoms.get(score.id) }]);
  update({
    table: { ...next, game },
    game: shownGame,
    connection: "live",
    round: Math.max(0, Math.min(round, next.game.rounds.length - 1)),
    points: new Map(entries.map(([id, entry]) => [id, keepEqual(state.points.get(id), entry)])),
    toast: (state.toast?.step ?? step) === step ? state.toast : null,
    dialog: state.dialog && isShown(state.dialog) ? state.dialog : null,
  });
  const isMoving = state.waiting.some((waitingStep) => isOfTable(waitingStep) && MOVES.includes(waitingStep.changes[0].op)); // this phone did it
  if (before) showChanges(before, state.game, isUndone || isMoving, step === decided + 1);
  if (isUndone) showUndone(before, state.game, next.redo, stepBefore);
  else if (isOtherGame && !isMoving) showToast(t("otherGame"));
  if (!before || !next.deciding) decided = step;
  clearTimeout(remembering);
  remembering = setTimeout(remember, REMEMBER_MS);
}

/** The value that is shown already if the new one is equal: what shows it is not drawn again. */
const keepEqual = (current, next) => (JSON.stringify(current) === JSON.stringify(next) ? current : next);

/** The kingdom that is shown already, or its outlines in the photo, as far as the new one is equal. */
function keepShown(current, next) {
  if (next.seen && next.seen.reading === current?.seen?.reading) next.seen.squares = current.seen.squares;
  return keepEqual(current, next);
}

/** Let the squares flash that a change or a decision of the server has changed. Name them, or kingdoms that were removed,
 * unless a step was taken back or this phone has moved. The message takes back the last step only if it did all this. */
function showChanges(before, after, isMove, isOneStep) {
  const changes = listChanges(before, after);
  if (changes.length) {
    update({ flash: new Set(changes.map(({ kingdom, at }) => `${kingdom.id} ${at}`)) });
    clearTimeout(flashing);
    flashing = setTimeout(() => update({ flash: new Set() }), FLASH_MS);
  }
  const squares = nameSquares(changes);
  const text = squares ? t("followed", { squares }) : nameRemoved(before, after);
  if (text && !isMove) showStep(text, { ...state.table, ...(!isOneStep && { undo: null }) });
}

/** Say what was taken back, on all phones. The message brings it back if it was one step. */
function showUndone(before, after, { step, op }, stepBefore) {
  const description = (before && describeStep(after, before)) || (t("steps")[op] ?? t("steps").start);
  const action = step === stepBefore && { text: t("redo"), run: () => redo(step) };
  showToast(t("undone", { what: description }), action, state.table.undo?.step ?? 0);
}

/** What led from one game to another one: kingdoms that were removed or added, or squares; "" if it was anything else. */
function describeStep(before, after) {
  const added = listMissing(after, before);
  const names = { name: added.join(", "), n: added.length };
  return nameRemoved(before, after) || (added.length ? t("added", names) : nameSquares(listChanges(before, after)));
}

/** The players of the kingdoms of a game that another one does not have. */
function listMissing(game, otherGame) {
  const ids = new Set(otherGame.rounds.flat().map(({ id }) => id));
  return game.rounds.flat().filter(({ id }) => !ids.has(id)).map(({ player }) => player);
}

function nameRemoved(before, after) {
  const removed = listMissing(before, after);
  const isShorter = after.rounds.length < before.rounds.length; // a Dynasty has ended
  return removed.length ? t(isShorter ? "roundsRemoved" : "removed", { name: removed.join(", "), n: removed.length }) : "";
}

/** The squares that differ in the later game: `{ kingdom, at, square }`, named in the frame around both boards. */
function listChanges(before, after) {
  const kingdomsBefore = new Map(before.rounds.flat().map((kingdom) => [kingdom.id, kingdom]));
  return after.rounds.flat().flatMap((kingdom) => {
    const oldCells = kingdomsBefore.get(kingdom.id)?.cells ?? kingdom.cells;
    const cells = { ...oldCells, ...kingdom.cells };
    const places = Object.keys(cells).filter((at) => oldCells[at] !== kingdom.cells[at]);
    return places.map((at) => ({ kingdom, at, square: nameSquareAt({ cells }, at) }));
  });
}

/** Changed squares with what they hold now; "" for many. */
function nameSquares(changes) {
  if (changes.length > MAX_NAMED_SQUARES) return "";
  const texts = changes.map(({ kingdom, at, square }) => {
    const name = kingdom.id === state.selected ? "" : `${kingdom.player} `;
    return t("becomes", { square: `${name}${square}`, cell: describeCell(kingdom.cells[at]) });
  });
  return texts.join(", ");
}

/** Keep a game of the table in the history of this device, with the points if they are of it. */
function remember(game = state.table.game) {
  if (!game.rounds.flat().length) return;
  const pointsOf = (kingdom) => (game === state.table.game ? (getScore(kingdom)?.total ?? "") : "");
  const totals = game.rounds[0].map((kingdom) => `${kingdom.player} ${pointsOf(kingdom)}`.trim());
  saveGame({ id: `${state.table.table} ${game.number}`, text: totals.join(", "), link: encodeGame(game) });
}

/** Send changes as one step. They are shown at once, wait while the server cannot be reached, and resolve to the state
 * after them; null if the server has refused them. */
export function change(...changes) {
  return new Promise((resolve) => {
    const step = { id: newId(), table: state.table.table, changes, resolve, after: findStepsAfter(changes) };
    setWaiting([...listOwnWaiting(), step]);
    flush();
  });
}

/** Take back a step: none if the game has changed since `step`. */
export const undo = (step = findNextSteps().undo) => change({ op: "undo", step });

/** Bring back a step: none if the game has changed since. */
export const redo = (step = findNextSteps().redo) => change({ op: "redo", step });

/** The last step once all that waits is done: how many steps of this phone follow the one of the server, and the names
 * of those that are undone. */
function findLastSteps() {
  const { undo: last, redo: next } = state.table ?? {};
  return { own: 0, step: last?.step ?? 0, undone: next ? [next.step] : [], ...state.waiting.findLast(isOfTable)?.after };
}

/** The steps that an undo and a redo name, so that they move no other one: null for one of this phone that waits; 0 if
 * there is none. */
export function findNextSteps() {
  const { own, step, undone } = findLastSteps();
  return { undo: own ? null : step, redo: undone.length ? undone.at(-1) : 0 };
}

/** The last step after changes that wait, too. */
function findStepsAfter([{ op }]) {
  const { own, step, undone } = findLastSteps();
  const { undo: last, redo: next } = findNextSteps();
  const move = (name, by) => (name === null ? { own: own + by, step } : { own, step: step + by });
  if (op === "undo") return { ...move(last, -1), undone: [...undone, last] };
  if (op === "redo") return { ...move(next, Math.min(undone.length, 1)), undone: undone.slice(0, -1) };
  return { own: own + 1, step, undone: [] };
}

/** A move with the step that had to be answered first; 0, which the server refuses, if that was refused. */
const withStep = (move, answer) => (move.step === null ? { ...move, step: answer?.[move.op]?.step ?? 0 } : move);

/** Say what the last step of a state has done, with a button that takes it back, and no other. */
function showStep(text, { table, undo: last }) {
  if (table === state.table.table) showToast(text, last && { text: t("undo"), run: () => undo(last.step) }, last?.step);
}

function setWaiting(waiting, game = withWaiting(state.table, waiting)) {
  update({ waiting, game });
  saveWaiting(waiting);
}

/** The steps that this page has to send: none that another page of this phone has taken. */
const listOwnWaiting = () => (areTaken() ? [] : state.waiting);

/** Keep what waits when the page is shown or hidden: the next page may take it once this one is hidden or closed. */
export function keepWaiting(isFree = document.hidden) {
  if (!state.waiting.length) return;
  if (areTaken()) setWaiting([]);
  else saveWaiting(state.waiting, isFree);
}

/** Send what waits, in order. */
async function flush() {
  if (sending) return;
  sending = true;
  keepWaiting();
  while (state.waiting.length) {
    const [step] = state.waiting;
    let answer = null;
    const changes = step.changes.map((change) => withStep(change, answers[step.table]));
    try {
      answer = await api.post(`/api/tables/${step.table}/changes`, { changes, id: step.id });
      receive(answer);
    } catch (error) {
      if (api.isTemporary(error)) {
        update({ connection: "lost" });
        setTimeout(() => reconnect().then(flush), RETRY_MS);
        break;
      }
      if (error.status === 404 && isOfTable(step)) await reconnect(); // a table that is gone is left, and its game kept
      if (isOfTable(step)) offerBoard(step, error.message, error.hint);
      else if (!lostTables.has(step.table)) offerBoard(step, t("changeLost", { name: step.table, why: error.message }));
    }
    const otherSteps = listOwnWaiting().filter((waitingStep) => waitingStep !== step);
    setWaiting(otherSteps, makeShownGame(state.table, otherSteps));
    answers[step.table] = answer;
    step.resolve?.(answer);
  }
  sending = false;
}

/** Say why the server has refused a step. A board, with its changes that wait, can be typed on. */
function offerBoard({ table, changes: [{ op, id, game: number, round }] }, text, hint = "") {
  const rounds = op === "add_kingdom" ? Array.from({ length: round + 1 }, () => []) : [];
  const game = withWaiting({ table, game: { ...state.game, number, rounds } }, state.waiting);
  const kingdom = game.rounds[round]?.find((entry) => entry.id === id);
  if (!kingdom) return showToast(joinSentences(text, hint)); // its dialog is still open, or it was taken back
  setRefusedBoards([...state.refusedBoards, { id, text, hint, board: formatRows(kingdom.cells).join("\n") }]);
}

function setRefusedBoards(refusedBoards) {
  update({ refusedBoards });
  saveRefusedBoards(refusedBoards);
}

export const editRefusedBoard = (id, board) => setRefusedBoards(state.refusedBoards.map((entry) => (entry.id === id ? { ...entry, board } : entry)));

export const removeRefusedBoard = (id) => setRefusedBoards(state.refusedBoards.filter((refusedBoard) => refusedBoard.id !== id));

/** The game to show of a table. It stays the same until the server has taken back what this phone has taken back: the
 * server may have the step already, and show it for a moment. */
function makeShownGame(table, waiting) {
  const isTakingBack = waiting.some((step) => step.table === table.table && step.changes[0].step === null);
  return isTakingBack && state.game?.number === table.game.number ? state.game : withWaiting(table, waiting);
}

/** The game of a table with the changes that are on their way to it, as far as they show without the rules, and without
 * those that are taken back again. */
function withWaiting({ table, game }, waiting) {
  const [steps, undone] = [[], []];
  for (const { changes } of waiting.filter((step) => step.table === table)) {
    if (changes[0].op === "undo") undone.push(steps.pop() ?? []);
    else if (changes[0].op === "redo") steps.push(undone.pop() ?? []);
    else {
      steps.push(changes);
      undone.length = 0;
    }
  }
  return steps.flat().reduce(withChange, game);
}

function withChange(game, { op, kingdom: id, reading: _, ...values }) {
  const changeKingdom = (kingdom) => {
    if (op === "set_kingdom") return { ...kingdom, ...values, facts: { ...kingdom.facts, ...values.facts } };
    if (op === "set_pieces") return withPieces(kingdom, values);
    if (op === "set_square") return withSquare(kingdom, values);
    if (op !== "answer_piece" || !kingdom.seen) return kingdom;
    const pieces = kingdom.seen.pieces.filter((piece) => piece.kind !== values.kind || piece.at !== values.at);
    return { ...kingdom, seen: { ...kingdom.seen, pieces } };
  };
  // The server may have applied the change already, and its answer is still on its way.
  const change = (kingdom) => (kingdom.id === id ? keepEqual(kingdom, changeKingdom(kingdom)) : kingdom);
  if (op === "set_rules") return { ...game, rules: withRules(game.rules, values) };
  if (op === "add_kingdom") return withKingdom(game, values);
  if (op === "remove_kingdom") return { ...game, rounds: game.rounds.map((round) => round.filter((kingdom) => kingdom.id !== id)) };
  return id ? { ...game, rounds: game.rounds.map((round) => round.map(change)) } : game;
}

/** A step with the rules that it changes: the version of the page before has stored only what it sets. */
function withBefore(step, { table, game }) {
  const isPartial = (change) => step.table === table && change.op === "set_rules" && !change.before;
  if (!step.changes.some(isPartial)) return step; // the same one, because it may be on its way
  return { ...step, changes: step.changes.map((change) => (isPartial(change) ? makeRulesChange(game.rules, change.rules, change.variants) : change)) };
}

/** The rules with what a change has changed in those `before`; of lists, what it has added and removed. */
function withRules(oldRules, { before, rules }) {
  const merge = (key) => {
    const [currentValue, seenValue, nextValue] = [oldRules[key], before[key], rules[key]];
    if (!Array.isArray(nextValue)) return nextValue === seenValue ? currentValue : nextValue;
    const keptItems = currentValue.filter((item) => nextValue.includes(item) || !seenValue.includes(item));
    return [...keptItems, ...nextValue.filter((item) => !seenValue.includes(item) && !keptItems.includes(item))];
  };
  return Object.fromEntries(Object.keys(oldRules).map((key) => [key, merge(key)]));
}

/** The game with one more kingdom, which the server names and colours; unless its board is wrong. */
function withKingdom(game, { id, game: number, round, board }) {
  const isThere = game.rounds.flat().some((shownKingdom) => shownKingdom.id === id);
  const cells = parseBoard(board);
  if (isThere || !cells || game.number !== number || !game.rounds[round]) return game;
  const kingdom = { id, player: t("newKingdom"), colour: "", cells, facts: {}, fixes: {}, seen: null, checked: false };
  return { ...game, rounds: game.rounds.map((kingdoms, n) => (n === round ? [...kingdoms, kingdom] : kingdoms)) };
}

function withSquare(kingdom, { at, cell }) {
  const { [at]: _, ...cells } = kingdom.cells;
  const doubts = kingdom.seen?.doubts.filter((doubt) => doubt.at !== at);
  return {
    ...kingdom,
    cells: cell === "." ? cells : { ...cells, [at]: cell },
    fixes: { ...kingdom.fixes, [at]: cell },
    seen: kingdom.seen && { ...kingdom.seen, doubts },
  };
}

// The changes of a person.

/** Fix a square of a kingdom; the server then decides the others again. */
export async function setSquare(kingdom, at, cell) {
  const oldCell = kingdom.cells[at] ?? ".";
  const accepted = await change({ op: "set_square", kingdom: kingdom.id, reading: kingdom.seen?.reading ?? "", at, cell });
  const entry = state.points.get(kingdom.id);
  if (!accepted || !entry || oldCell === cell) return;
  const words = t("changed", { square: nameSquareAt(kingdom, at) || nameSquareAt(entry.kingdom, at), cell: describeCell(cell) });
  announce(entry.score.complete ? `${words} ${t("nowPoints", { n: entry.score.total, name: kingdom.player })}` : words);
}

export const setKingdom = (id, values) => change({ op: "set_kingdom", kingdom: id, ...values });

/** Set the pieces of a kind on a place of the reading that is shown; those on other places stay. */
export const setPieces = ({ id, seen }, key, at, pieces) => change({ op: "set_pieces", kingdom: id, key, at, pieces, reading: seen?.reading ?? "" });

/** A change of some rules; `variants` says of each variant that it changes whether it is played. The server leaves the
 * others as somebody else may have set them. */
function makeRulesChange(before, values, variants = {}) {
  const variantIds = new Set([...(values.variants ?? before.variants), ...Object.keys(variants)]);
  const rules = { ...before, ...values, variants: [...variantIds].filter((id) => variants[id] ?? true) };
  return { op: "set_rules", before, rules };
}

export const setRules = (values, variants) => change(makeRulesChange(state.game.rules, values, variants));

/** Add a kingdom with the rows of a board in notation; returns whether it is shown. If not, the server says what is wrong. */
export function addBoard(board, mode = "") {
  const id = newId();
  change({ op: "add_kingdom", game: state.game.number, round: state.round, board, id });
  if (!findKingdom(id)) return false;
  update({ selected: id, mode });
  return true;
}

export async function removeKingdom(kingdom) {
  const answer = await change({ op: "remove_kingdom", kingdom: kingdom.id });
  if (answer) showStep(t("removed", { name: kingdom.player, n: 1 }), answer);
}

export async function newGame() {
  const answer = await change({ op: "new_game", game: state.game.number, id: newId() });
  if (answer) showStep(t("newGameDone"), answer);
}
