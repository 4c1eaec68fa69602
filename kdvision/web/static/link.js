// A game as text for a link, and as a game file. The server checks what a link contains.

import { computeFrame, formatPlace, formatRows, formatSquareName, listPlacesAround, nameSquareAt, parsePlace } from "./model.js";
import { isInDoubt, isPlayed, state } from "./store.js";
import { describeCell, t } from "./strings.js";

const PLACE = /-?\d+,-?\d+/g;
const STARTS_WITH_PLACE = /^-?\d+,-?\d+( |$)/;

/** The game as text: without photos, with the open questions. */
export function encodeGame({ rules, rounds }) {
  const bytes = new TextEncoder().encode(JSON.stringify({ rules, rounds: rounds.map((kingdoms) => kingdoms.map(toLink)) }));
  const text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return btoa(text).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

/** A kingdom with the places counted from its A1, as those of a board in notation. */
function toLink(kingdom) {
  const { player, colour, cells, facts } = kingdom;
  const { top, left } = computeFrame(cells);
  const move = (value) => mapPlaces(value, (row, col) => formatPlace(row - top, col - left));
  return { player, colour, board: formatRows(cells), facts: move(facts), ...move(collectQuestions(kingdom)) };
}

/** What nobody has checked of a kingdom: doubts, pieces, and problems, which say why the board is uncertain, ask about a
 * photo, or say that squares are being decided again. */
function collectQuestions(kingdom) {
  const { doubts, pieces, problems: allProblems, review } = (!kingdom.checked && kingdom.seen) || { doubts: [], pieces: [], problems: [] };
  const proposals = state.game.proposals.filter(({ kingdoms }) => kingdoms.includes(kingdom.id));
  const round = state.game.rounds.findIndex((kingdoms) => kingdoms.some(({ id }) => id === kingdom.id));
  const isDeciding = kingdom.seen && state.game.deciding.includes(round);
  const problems = [...(review ? allProblems : []), ...proposals.map(({ question }) => question), ...(isDeciding ? [t("decidingAgain")] : [])];
  const isUnexplained = isInDoubt(kingdom) && ![...doubts, ...pieces.filter(isPlayed), ...problems].length;
  return { doubts, pieces, problems: isUnexplained ? [t("uncertain")] : problems };
}

/** What nobody has checked of a kingdom, in words, without pieces that are no part of the game. */
function listQuestions(kingdom) {
  const { doubts, pieces, problems } = collectQuestions(kingdom);
  const words = ({ at, read, instead }) => ({ square: nameSquareAt(kingdom, at), cell: describeCell(read), instead: describeCell(instead) });
  return [...doubts.map((doubt) => t("squareUnsure", words(doubt))), ...pieces.filter(isPlayed).map((piece) => askForPiece(kingdom, piece)), ...problems];
}

/** The question whether a piece stands on a square, or a gem lies at its corner. */
export function askForPiece(kingdom, { kind, at }) {
  const [a, , d] = listPlacesAround(at).map((place) => nameSquareAt(kingdom, place));
  return t(kind === "gem" ? "isGemThere" : "isPieceThere", { kind: t(kind), a, d });
}

/** A value with other texts for its places, also for those that are keys and those that a name follows. */
function mapPlaces(value, write) {
  const map = (item) => mapPlaces(item, write);
  if (Array.isArray(value)) return value.map(map);
  if (value && typeof value === "object") return Object.fromEntries(Object.entries(value).map((entry) => entry.map(map)));
  if (typeof value !== "string" || !STARTS_WITH_PLACE.test(value)) return value;
  return value.replace(PLACE, (place) => write(...parsePlace(place)));
}

/** The game with the keys of a game file. Pieces off the board, and what was entered for other rules, are left out: `keys`
 * are the facts of these rules. */
export function toGameFile({ rules, rounds }, keys, teams) {
  const { game, variants, side, seats, open_gems } = rules;
  const gems = keys.includes("gems") && open_gems.length ? open_gems : null;
  const options = { side: teams ? null : side, kingdoms: seats, teams: teams || null };
  const fileRounds = rounds.map((kingdoms) => ({ ...(gems && { open_gems: gems }), kingdom: kingdoms.map((kingdom) => toFileKingdom(kingdom, keys, teams)) }));
  const chosenOptions = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== null));
  return { game, variants, ...chosenOptions, ...(fileRounds.length > 1 ? { round: fileRounds } : fileRounds[0]) };
}

function toFileKingdom(kingdom, keys, teams) {
  const { player, cells, facts: allFacts } = kingdom;
  const { top, left } = computeFrame(cells);
  const isOnBoard = (piece) => {
    const names = [];
    mapPlaces(piece, (row, col) => names.push(nameSquareAt(kingdom, formatPlace(row, col))));
    return names.every(Boolean);
  };
  const playedFacts = Object.entries(allFacts).filter(([key]) => keys.includes(key));
  const facts = Object.fromEntries(playedFacts.map(([key, value]) => [key, Array.isArray(value) ? value.filter(isOnBoard) : value]));
  const players = teams && player.includes("&") ? { players: player.split("&", 2).map((name) => name.trim()) } : { player };
  const questions = listQuestions(kingdom);
  return { ...players, questions, board: formatRows(cells), ...mapPlaces(facts, (row, col) => formatSquareName(row - top, col - left)) };
}

/** The rules and rounds in a link, which the server checks; throws if it is no JSON. */
export function decodeGame(text) {
  const raw = atob(text.replace(/-/g, "+").replace(/_/g, "/"));
  const { rules, rounds } = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(Uint8Array.from(raw, (c) => c.charCodeAt(0))));
  return { rules, rounds };
}
