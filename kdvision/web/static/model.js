// The game as the page holds it, and its ways into and out of the notation that the server knows. No rule is here.
//
// A kingdom's squares are kept by place, "row,col", on the grid that the photo showed (any origin for typed boards), so
// that nothing moves when a tile is added at the edge. Names such as C3 are those of the smallest frame around it all.

export const COLOURS = ["blue", "green", "pink", "yellow", "red", "orange", "purple", "white", "grey"];

const MOST = 8; // kingdoms of a game
const LONGEST = 26; // rows of a board
const CELL = /^([a-z][0-9]?|#|\?)$/;

let ids = Date.now() % 1e9;

export const emptyGame = () => ({
  rules: { game: "kingdomino", variants: [], side: null, seats: null, dynasty: false, teams: false, openGems: [] },
  round: 0,
  rounds: [[]],
});

const NOT_TOLD = "?"; // as game files say it
const COUNTS = ["coins", "towers", "spare_knights"];
const ON_BOARD = ["knights", "buildings", "gems"];

/** What lies on or beside a kingdom; `untold` are the keys of which nobody has told all. */
const emptyPieces = () => ({
  ...Object.fromEntries(COUNTS.map((key) => [key, 0])),
  ...{ queen: false, knights: [], buildings: [], gems: [], untold: [] },
});

export function newKingdom(player, colour, cells, seen = null) {
  return { id: String((ids += 1)), player, colour, cells, pieces: emptyPieces(), fixes: {}, seen };
}

/** Whether a game is played with gems. */
export const playsWithGems = ({ variants }) => variants.includes("lost-treasures");

/** A kingdom as a photo shows it, with the pieces that were seen on it; what no photo tells is left open. */
export function readKingdom(player, colour, read, seen, { game, variants }) {
  const kingdom = newKingdom(player, colour, cellsOf(read.board, read.origin), seen);
  const [top, left] = read.origin;
  const placed = (name) => at(...squarePlace(name).map((value, axis) => value + [top, left][axis]));
  const standing = (kind) => read.pieces.filter((piece) => game !== "kingdomino" && piece.kind === kind);
  const on = (kind) => standing(kind).map((piece) => placed(piece.square));
  const queen = standing("queen").length > 0;
  const pieces = {
    queen,
    knights: on("knight"),
    buildings: on("building").map((place) => ({ at: place, name: NOT_TOLD })),
    gems: playsWithGems({ variants }) ? read.gems.map((gem) => gemSeen(placed(cornerOf(gem.between)))) : [],
    untold: read.untold.filter((key) => !(queen && key === "queen")),
  };
  return { ...kingdom, pieces: { ...kingdom.pieces, ...pieces } };
}

/** How many pieces on a kingdom's board people have named: no photo tells them. */
export const namedPieces = ({ pieces }) => [...pieces.buildings, ...pieces.gems].filter(isNamed).length;

/** The pieces of a kingdom that was read anew: those on the board as they were seen, those beside it as they were told. */
export function keptPieces(before, after) {
  const counts = Object.fromEntries([...COUNTS, "queen"].map((key) => [key, before.pieces[key]]));
  const untold = after.pieces.untold.filter((key) => ON_BOARD.includes(key) || before.pieces.untold.includes(key));
  return { ...after.pieces, ...counts, untold };
}

const gemSeen = (place) => ({ at: place, kind: NOT_TOLD, crowns: [0, 0, 0, 0], skull: null, turned: 0 });

/** The upper left of the squares around a crossing, of two that touch there: "B2 C3". */
function cornerOf(between) {
  const [one, other] = between.split(" ").map(squarePlace);
  return squareName(Math.min(one[0], other[0]), Math.min(one[1], other[1]));
}

export const isNamed = (piece) => (piece.kind ?? piece.name) !== NOT_TOLD;

export const at = (row, col) => `${row},${col}`;
export const placeOf = (text) => text.split(",").map(Number);

/** The frame around all squares: top, left, rows, cols. */
export function frame(cells) {
  const places = Object.keys(cells).map(placeOf);
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

/** The place of a square that is named by its column and row on the board, such as C3. */
export function placeNamed(kingdom, name) {
  const { top, left } = frame(kingdom.cells);
  const [row, col] = squarePlace(name);
  return at(row + top, col + left);
}

/** The player's name of a place, as the board is framed now; places outside the frame have none. */
export function nameAt(kingdom, place) {
  const { top, left, rows, cols } = frame(kingdom.cells);
  const [row, col] = placeOf(place);
  const inside = row >= top && col >= left && row < top + rows && col < left + cols;
  return inside ? squareName(row - top, col - left) : "";
}

/** The board in notation, one text a row. */
export function boardRows(cells) {
  const { top, left, rows, cols } = frame(cells);
  const row = (r) => Array.from({ length: cols }, (_, c) => cells[at(r + top, c + left)] ?? ".").join(" ");
  return Array.from({ length: rows }, (_, r) => row(r));
}

/** Squares by place, of rows of notation; `origin` is where the first row and column lie. */
export function cellsOf(rows, [top, left] = [0, 0]) {
  const cells = {};
  rows.forEach((text, r) =>
    text
      .trim()
      .split(/\s+/)
      .forEach((word, c) => {
        if (word && word !== ".") cells[at(r + top, c + left)] = word;
      }),
  );
  return cells;
}

/** What the page keeps of a kingdom that was read: where it lies, what is unsure, and what is needed to decide again. */
export function seenOf(read, photo) {
  const { sight, squares } = read;
  return { photo, sight, squares, ...judged(read) };
}

/** What is unsure, what could change most first: who wins, then places, then points. */
function judged(read) {
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
    return { at: at(row + top, col + left), read: cell, instead, sure, total };
  });
  return { probability, review, doubts: moved, problems: problems.map((problem) => problem.text) };
}

/** The kingdom as it was decided again; what people have said stays, also of places beyond its grid. */
export function decidedAgain(kingdom, read) {
  const beyond = Object.entries(kingdom.cells).filter(([place]) => !onGrid(kingdom, place));
  const named = { ...cellsOf(read.board, read.origin), ...Object.fromEntries(beyond), ...kingdom.fixes };
  const cells = Object.fromEntries(Object.entries(named).filter(([, cell]) => cell !== "."));
  return { ...kingdom, cells, seen: { ...kingdom.seen, ...judged(read) } };
}

/** Whether the photo showed this place, so that what is said of it can be decided with. */
export function onGrid(kingdom, place) {
  const [row, col] = placeOf(place);
  const squares = kingdom.seen?.squares;
  return Boolean(squares && row >= 0 && col >= 0 && row < squares.length && col < squares[0].length);
}

/** The kingdom with one square as a person says it is, "." for none. */
export function corrected(kingdom, place, cell) {
  const cells = { ...kingdom.cells };
  if (cell === ".") delete cells[place];
  else cells[place] = cell;
  const fixes = onGrid(kingdom, place) ? { ...kingdom.fixes, [place]: cell } : kingdom.fixes;
  const pieces = { ...kingdom.pieces };
  if (cell[0] !== "t") pieces.buildings = pieces.buildings.filter((one) => one.at !== place); // they stand on towns
  const seen = kingdom.seen && { ...kingdom.seen, doubts: kingdom.seen.doubts.filter((doubt) => doubt.at !== place) };
  return { ...kingdom, cells, fixes, pieces, seen };
}

const lists = (value) => (Array.isArray(value) ? value.length > 0 : Boolean(value));

/** A kingdom as a game file has it. */
function givenOf(kingdom, rules) {
  const { knights, buildings, gems, untold, ...counts } = kingdom.pieces;
  const open = (key) => (untold.includes(key) ? [NOT_TOLD] : []);
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
    extra.gems = [...gems.map((gem) => gemGiven(kingdom, gem)).filter(Boolean), ...open("gems")];
  }
  return { ...given, ...Object.fromEntries(Object.entries(extra).filter(([, value]) => lists(value))) };
}

function gemGiven(kingdom, { at: place, ...gem }) {
  const [row, col] = placeOf(place);
  const names = [nameAt(kingdom, place), nameAt(kingdom, at(row + 1, col + 1))];
  const between = names.every(Boolean) ? names.join(" ") : "";
  if (!between) return null;
  return { between, ...Object.fromEntries(Object.entries(gem).filter(([, value]) => value !== null)) };
}

/** The game as a game file has it, and which of the page's kingdoms its kingdoms are: `{ data, ids, whole }`.
 *
 * A Dynasty is whole when every round has its kingdoms; until then the round that is shown is scored by itself. */
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
  const given = played.map((kingdoms) => ({ kingdom: kingdoms.map((kingdom) => givenOf(kingdom, rules)), ...open }));
  if (given.length > 1) data.round = given;
  else Object.assign(data, given[0]);
  return { data, ids: played.map((kingdoms) => kingdoms.map((kingdom) => kingdom.id)), whole };
}

/** The whole game as text for a link: no photos, all of the notation. */
export function packed(game) {
  const { rules, rounds } = game;
  const kingdoms = rounds.map((round) =>
    round.map((kingdom) => ({ ...givenOf(kingdom, { ...rules, teams: false }), colour: kingdom.colour })),
  );
  const bytes = new TextEncoder().encode(JSON.stringify({ rules, kingdoms }));
  const text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return btoa(text).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

/** The game of such a text; throws where it is none. Links come from anywhere: only what is known is taken from them. */
export function unpacked(text) {
  const raw = atob(text.replace(/-/g, "+").replace(/_/g, "/"));
  const data = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(Uint8Array.from(raw, (c) => c.charCodeAt(0))));
  const rounds = data.kingdoms.map((kingdoms) => kingdoms.slice(0, MOST).map(kingdomGiven));
  if (rounds.flat().some(({ cells }) => Object.values(cells).some((cell) => !CELL.test(cell)))) throw new Error("cells");
  if (![1, 3].includes(rounds.length)) throw new Error("rounds");
  return { ...emptyGame(), rules: { ...rulesGiven(data.rules), dynasty: rounds.length > 1 }, rounds };
}

function rulesGiven({ game, variants, side, seats, teams, openGems }) {
  const words = (list) => (Array.isArray(list) ? list.slice(0, 9).map(String) : []);
  return {
    game: String(game),
    variants: words(variants),
    side: [5, 7].includes(side) ? side : null,
    seats: Number.isInteger(seats) ? seats : null,
    teams: teams === true,
    openGems: words(openGems),
  };
}

function kingdomGiven(given) {
  const kingdom = newKingdom(String(given.player), colourGiven(given.colour), cellsOf(given.board.slice(0, LONGEST)));
  const place = (name) => at(...squarePlace(name));
  const told = (key) => (given[key] ?? []).filter((one) => one !== NOT_TOLD);
  const counts = Object.fromEntries(COUNTS.map((key) => [key, Number(given[key]) || 0]));
  const gems = told("gems").map(({ between, ...gem }) => ({ ...gemSeen(place(cornerOf(between))), ...gem }));
  const buildings = told("buildings").map((one) => ({ ...one, at: place(one.at) }));
  const untold = [
    ...[...COUNTS, "queen"].filter((key) => given[key] === NOT_TOLD),
    ...ON_BOARD.filter((key) => (given[key] ?? []).includes(NOT_TOLD)),
  ];
  return { ...kingdom, pieces: { ...counts, queen: given.queen === true, knights: told("knights").map(place), buildings, gems, untold } };
}

function colourGiven(colour) {
  if (colour === "violet") return "purple"; // as links of former versions say
  return COLOURS.includes(colour) ? colour : "grey";
}
