// A game as text for a link, and as a game file. The server checks what a link contains.

import { boardRows, frame, parsePlace, placeAt, squareName } from "./model.js";
import { t } from "./strings.js";

const PLACE = /-?\d+,-?\d+/g;
const STARTS_WITH_PLACE = /^-?\d+,-?\d+( |$)/;

/** The game as text: without photos, with the open questions. */
export function encodeGame({ rules, rounds }) {
  const bytes = new TextEncoder().encode(JSON.stringify({ rules, rounds: rounds.map((kingdoms) => kingdoms.map(toLink)) }));
  const text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return btoa(text).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

/** A kingdom with the places counted from its A1, as those of a board in notation. */
function toLink({ player, colour, cells, facts, seen: info, checked }) {
  const seen = checked ? null : info;
  const { top, left } = frame(cells);
  const moved = (value) => mapPlaces(value, (row, col) => placeAt(row - top, col - left));
  const { doubts = [], pieces = [] } = seen ?? {};
  const isUnexplained = seen?.reading && ![...doubts, ...pieces, ...seen.problems].length;
  const problems = !seen?.review ? [] : isUnexplained ? [t("uncertain")] : seen.problems;
  return { player, colour, board: boardRows(cells), facts: moved(facts), doubts: moved(doubts), pieces: moved(pieces), problems };
}

/** A value with other texts for its places, also for those that are keys and those that a name follows. */
function mapPlaces(value, write) {
  const map = (one) => mapPlaces(one, write);
  if (Array.isArray(value)) return value.map(map);
  if (value && typeof value === "object") return Object.fromEntries(Object.entries(value).map((entry) => entry.map(map)));
  if (typeof value !== "string" || !STARTS_WITH_PLACE.test(value)) return value;
  return value.replace(PLACE, (place) => write(...parsePlace(place)));
}

/** The game with the keys of a game file. What was entered for other rules is left out: `keys` are the facts of these. */
export function toGameFile({ rules, rounds }, keys, teams) {
  const { game, variants, side, seats, open_gems } = rules;
  const gems = keys.includes("gems") && open_gems.length ? open_gems : null;
  const options = { side: teams ? null : side, kingdoms: seats, teams: teams || null, open_gems: gems };
  const given = rounds.map((kingdoms) => ({ kingdom: kingdoms.map((one) => toFileKingdom(one, keys, teams)) }));
  const known = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== null));
  return { game, variants, ...known, ...(given.length > 1 ? { round: given } : given[0]) };
}

function toFileKingdom({ player, cells, facts: all }, keys, teams) {
  const { top, left } = frame(cells);
  const facts = Object.fromEntries(Object.entries(all).filter(([key]) => keys.includes(key)));
  const players = teams && player.includes("&") ? { players: player.split("&", 2).map((one) => one.trim()) } : { player };
  return { ...players, board: boardRows(cells), ...mapPlaces(facts, (row, col) => squareName(row - top, col - left)) };
}

/** The rules and rounds in a link, which the server checks; throws if it is no JSON. */
export function decodeGame(text) {
  const raw = atob(text.replace(/-/g, "+").replace(/_/g, "/"));
  const { rules, rounds } = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(Uint8Array.from(raw, (c) => c.charCodeAt(0))));
  return { rules, rounds };
}
