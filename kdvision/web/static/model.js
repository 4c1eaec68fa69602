// The game as the page stores it, and its conversion to and from the notation of the server. No rules are here.
//
// The squares of a kingdom are stored by place, "row,col" on the grid of the photo (any origin for typed boards), so
// nothing moves when a tile is added at the edge. Names such as C3 count from the smallest frame around all squares.

export const COLOURS = ["blue", "green", "pink", "yellow", "red", "orange", "purple", "white", "grey"];

const MAX_KINGDOMS = 8;
const MAX_ROWS = 26;
const MAX_WORDS = 9; // variants or open gems in a link
const CELL = /^([a-z][0-9]?|#|\?)$/;

let ids = Date.now() % 1e9;

export const emptyGame = () => ({
  rules: { game: "kingdomino", variants: [], side: null, seats: null, dynasty: false, teams: false, openGems: [] },
  round: 0,
  rounds: [[]],
});

const UNKNOWN = "?"; // in game files
const COUNTS = ["coins", "towers", "spare_knights"];
const ON_BOARD = ["knights", "buildings", "gems"];

/** The pieces on and beside a kingdom; `untold` are the keys of facts that are not known in full. */
const emptyPieces = () => ({
  ...Object.fromEntries(COUNTS.map((key) => [key, 0])),
  ...{ queen: false, knights: [], buildings: [], gems: [], untold: [] },
});

export function createKingdom(player, colour, cells, seen = null) {
  return { id: String((ids += 1)), player, colour, cells, pieces: emptyPieces(), fixes: {}, seen };
}

/** Whether a game is played with gems. */
export const playsWithGems = ({ variants }) => variants.includes("lost-treasures");

/** A kingdom from a reading, with the pieces seen on it; facts that no photo shows stay open. */
export function kingdomFromReading(player, colour, read, seen, { game, variants }) {
  const kingdom = createKingdom(player, colour, cellsOf(read.board, read.origin), seen);
  const [top, left] = read.origin;
  const placed = (name) => placeAt(...squarePlace(name).map((value, axis) => value + [top, left][axis]));
  const standing = (kind) => read.pieces.filter((piece) => game !== "kingdomino" && piece.kind === kind);
  const on = (kind) => standing(kind).map((piece) => placed(piece.square));
  const queen = standing("queen").length > 0;
  const pieces = {
    queen,
    knights: on("knight"),
    buildings: on("building").map((place) => ({ at: place, name: UNKNOWN })),
    gems: playsWithGems({ variants }) ? read.gems.map((gem) => unnamedGem(placed(upperLeftSquare(gem.between)))) : [],
    untold: read.untold.filter((key) => !(queen && key === "queen")),
  };
  return { ...kingdom, pieces: { ...kingdom.pieces, ...pieces } };
}

/** The number of pieces on the board that a person has named; no photo shows their names. */
export const countNamedPieces = ({ pieces }) => [...pieces.buildings, ...pieces.gems].filter(isNamed).length;

/** The pieces of a kingdom that was read again: those on the board from the photo, those beside it as before. */
export function mergePieces(before, after) {
  const counts = Object.fromEntries([...COUNTS, "queen"].map((key) => [key, before.pieces[key]]));
  const untold = after.pieces.untold.filter((key) => ON_BOARD.includes(key) || before.pieces.untold.includes(key));
  return { ...after.pieces, ...counts, untold };
}

const unnamedGem = (place) => ({ at: place, kind: UNKNOWN, crowns: [0, 0, 0, 0], skull: null, turned: 0 });

/** The upper left square of a crossing, from two squares that touch there: "B2 C3". */
function upperLeftSquare(between) {
  const [one, other] = between.split(" ").map(squarePlace);
  return squareName(Math.min(one[0], other[0]), Math.min(one[1], other[1]));
}

export const isNamed = (piece) => (piece.kind ?? piece.name) !== UNKNOWN;

export const placeAt = (row, col) => `${row},${col}`;
export const parsePlace = (text) => text.split(",").map(Number);

/** The smallest frame around all squares: top, left, rows, cols. */
export function frame(cells) {
  const places = Object.keys(cells).map(parsePlace);
  if (!places.length) return { top: 0, left: 0, rows: 0, cols: 0 };
  const rows = places.map((place) => place[0]);
  const cols = places.map((place) => place[1]);
  const [top, left] = [Math.min(...rows), Math.min(...cols)];
  return { top, left, rows: Math.max(...rows) - top + 1, cols: Math.max(...cols) - left + 1 };
}

export const squareName = (row, col) => `${String.fromCharCode(65 + col)}${row + 1}`;

function squarePlace(name) {
  return [Number(name.slice(1)) - 1, name.toUpperCase().charCodeAt(0) - 65];
}

/** The place of a square by its name, such as C3. */
export function placeNamed(kingdom, name) {
  const { top, left } = frame(kingdom.cells);
  const [row, col] = squarePlace(name);
  return placeAt(row + top, col + left);
}

/** The name of a place in the current frame, such as C3; "" outside. */
export function nameAt(kingdom, place) {
  const { top, left, rows, cols } = frame(kingdom.cells);
  const [row, col] = parsePlace(place);
  const inside = row >= top && col >= left && row < top + rows && col < left + cols;
  return inside ? squareName(row - top, col - left) : "";
}

/** The board in notation, one text per row. */
export function boardRows(cells) {
  const { top, left, rows, cols } = frame(cells);
  const row = (r) => Array.from({ length: cols }, (_, c) => cells[placeAt(r + top, c + left)] ?? ".").join(" ");
  return Array.from({ length: rows }, (_, r) => row(r));
}

/** The cells of rows of notation by place; the origin is the place of the first row and column. */
export function cellsOf(rows, [top, left] = [0, 0]) {
  const cells = {};
  rows.forEach((text, r) =>
    text
      .trim()
      .split(/\s+/)
      .forEach((word, c) => {
        if (word && word !== ".") cells[placeAt(r + top, c + left)] = word;
      }),
  );
  return cells;
}

/** What the page stores of a reading: its position, its doubts, and the token to decide it again. */
export function seenData(read, photo) {
  const { sight, squares } = read;
  return { photo, sight, squares, ...reviewData(read) };
}

/** The doubts of a reading, most important first: those that change the winner, then places, then points. */
function reviewData(read) {
  const { probability, review, doubts, problems } = read;
  const [top, left] = read.origin;
  const weight = (one) => [one.changes_winner, one.changes_standing, Math.abs(one.total_if - read.total)].map(Number);
  const first = (one, other) => {
    const [a, b] = [weight(one), weight(other)];
    const step = a.findIndex((value, index) => value !== b[index]);
    return step < 0 ? one.probability - other.probability : b[step] - a[step];
  };
  const moved = [...doubts].sort(first).map(({ square, read: cell, instead, probability: sure, total_if: total }) => {
    const [row, col] = squarePlace(square);
    return { at: placeAt(row + top, col + left), read: cell, instead, sure, total };
  });
  return { probability, review, doubts: moved, problems: problems.map((problem) => problem.text) };
}

/** The kingdom with a new decision. Squares that a person has named stay, also those outside the grid. */
export function withDecision(kingdom, read) {
  const beyond = Object.entries(kingdom.cells).filter(([place]) => !onGrid(kingdom, place));
  const named = { ...cellsOf(read.board, read.origin), ...Object.fromEntries(beyond), ...kingdom.fixes };
  const cells = Object.fromEntries(Object.entries(named).filter(([, cell]) => cell !== "."));
  return { ...kingdom, cells, seen: { ...kingdom.seen, ...reviewData(read) } };
}

/** Whether a place is on the grid of the photo, so that the server can fix it. */
export function onGrid(kingdom, place) {
  const [row, col] = parsePlace(place);
  const squares = kingdom.seen?.squares;
  return Boolean(squares && row >= 0 && col >= 0 && row < squares.length && col < squares[0].length);
}

/** The kingdom with one square fixed by a person; "." is no tile. */
export function withCell(kingdom, place, cell) {
  const cells = { ...kingdom.cells };
  if (cell === ".") delete cells[place];
  else cells[place] = cell;
  const fixes = onGrid(kingdom, place) ? { ...kingdom.fixes, [place]: cell } : kingdom.fixes;
  const pieces = { ...kingdom.pieces };
  if (cell[0] !== "t") pieces.buildings = pieces.buildings.filter((one) => one.at !== place); // buildings stand on towns
  const seen = kingdom.seen && { ...kingdom.seen, doubts: kingdom.seen.doubts.filter((doubt) => doubt.at !== place) };
  return { ...kingdom, cells, fixes, pieces, seen };
}

const hasContent = (value) => (Array.isArray(value) ? value.length > 0 : Boolean(value));

/** A kingdom in the form of a game file. */
function toGameFile(kingdom, rules) {
  const { knights, buildings, gems, untold, ...counts } = kingdom.pieces;
  const open = (key) => (untold.includes(key) ? [UNKNOWN] : []);
  const name = (place) => nameAt(kingdom, place);
  const teams = rules.teams && rules.game === "royal-wedding";
  const given = { board: boardRows(kingdom.cells) };
  if (teams && kingdom.player.includes("&")) given.players = kingdom.player.split("&", 2).map((part) => part.trim());
  else if (!teams) given.player = kingdom.player;
  const extra = {};
  if (rules.game !== "kingdomino") {
    Object.assign(extra, counts, Object.fromEntries(Object.keys(counts).flatMap((key) => open(key).map((word) => [key, word]))));
    extra.knights = [...knights.map(name).filter(Boolean), ...open("knights")];
    extra.buildings = [...buildings.map((one) => ({ ...one, at: name(one.at) })).filter((one) => one.at), ...open("buildings")];
  }
  if (playsWithGems(rules)) {
    extra.gems = [...gems.map((gem) => gemToGameFile(kingdom, gem)).filter(Boolean), ...open("gems")];
  }
  return { ...given, ...Object.fromEntries(Object.entries(extra).filter(([, value]) => hasContent(value))) };
}

function gemToGameFile(kingdom, { at: place, ...gem }) {
  const [row, col] = parsePlace(place);
  const names = [nameAt(kingdom, place), nameAt(kingdom, placeAt(row + 1, col + 1))];
  const between = names.every(Boolean) ? names.join(" ") : "";
  if (!between) return null;
  return { between, ...Object.fromEntries(Object.entries(gem).filter(([, value]) => value !== null)) };
}

/** The game in the form of a game file, with the ids of its kingdoms: `{ data, ids, whole }`.
 *
 * A Dynasty is whole if every round has kingdoms; until then the current round is scored alone. */
export function gameData(game) {
  const { rules, rounds } = game;
  const filled = rounds.map((kingdoms) => kingdoms.filter((kingdom) => Object.keys(kingdom.cells).length));
  const whole = rounds.length === 1 || filled.every((kingdoms) => kingdoms.length > 0);
  const played = whole ? filled : [filled[game.round]];
  const data = { game: rules.game, variants: rules.variants };
  if (rules.side) data.side = rules.side;
  if (rules.seats) data.kingdoms = rules.seats;
  if (rules.teams && rules.game === "royal-wedding") data.teams = true;
  const open = playsWithGems(rules) && rules.openGems.length ? { open_gems: rules.openGems } : {};
  const given = played.map((kingdoms) => ({ kingdom: kingdoms.map((kingdom) => toGameFile(kingdom, rules)), ...open }));
  if (given.length > 1) data.round = given;
  else Object.assign(data, given[0]);
  return { data, ids: played.map((kingdoms) => kingdoms.map((kingdom) => kingdom.id)), whole };
}

/** The game as text for a link, without photos. */
export function encodeGame(game) {
  const { rules, rounds } = game;
  const kingdoms = rounds.map((round) =>
    round.map((kingdom) => ({ ...toGameFile(kingdom, { ...rules, teams: false }), colour: kingdom.colour })),
  );
  const bytes = new TextEncoder().encode(JSON.stringify({ rules, kingdoms }));
  const text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return btoa(text).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

/** The game in a link; throws if it is not valid. Links are untrusted: only known fields are used. */
export function decodeGame(text) {
  const raw = atob(text.replace(/-/g, "+").replace(/_/g, "/"));
  const data = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(Uint8Array.from(raw, (c) => c.charCodeAt(0))));
  const rounds = data.kingdoms.map((kingdoms) => kingdoms.slice(0, MAX_KINGDOMS).map(parseKingdom));
  if (rounds.flat().some(({ cells }) => Object.values(cells).some((cell) => !CELL.test(cell)))) throw new Error("cells");
  if (![1, 3].includes(rounds.length)) throw new Error("rounds");
  return { ...emptyGame(), rules: { ...parseRules(data.rules), dynasty: rounds.length > 1 }, rounds };
}

function parseRules({ game, variants, side, seats, teams, openGems }) {
  const words = (list) => (Array.isArray(list) ? list.slice(0, MAX_WORDS).map(String) : []);
  return {
    game: String(game),
    variants: words(variants),
    side: [5, 7].includes(side) ? side : null,
    seats: Number.isInteger(seats) ? seats : null,
    teams: teams === true,
    openGems: words(openGems),
  };
}

function parseKingdom(given) {
  const kingdom = createKingdom(String(given.player), parseColour(given.colour), cellsOf(given.board.slice(0, MAX_ROWS)));
  const place = (name) => placeAt(...squarePlace(name));
  const known = (key) => (given[key] ?? []).filter((one) => one !== UNKNOWN);
  const counts = Object.fromEntries(COUNTS.map((key) => [key, Number(given[key]) || 0]));
  const gems = known("gems").map(({ between, ...gem }) => ({ ...unnamedGem(place(upperLeftSquare(between))), ...gem }));
  const buildings = known("buildings").map((one) => ({ ...one, at: place(one.at) }));
  const untold = [
    ...[...COUNTS, "queen"].filter((key) => given[key] === UNKNOWN),
    ...ON_BOARD.filter((key) => (given[key] ?? []).includes(UNKNOWN)),
  ];
  return { ...kingdom, pieces: { ...counts, queen: given.queen === true, knights: known("knights").map(place), buildings, gems, untold } };
}

function parseColour(colour) {
  if (colour === "violet") return "purple"; // the word of earlier versions
  return COLOURS.includes(colour) ? colour : "grey";
}
