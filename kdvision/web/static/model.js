// The game as the page holds it, and its ways into and out of the notation that the server knows. No rule is here.
//
// A kingdom's squares are kept by place, "row,col", on the grid that the photo showed (any origin for typed boards), so
// that nothing moves when a tile is added at the edge. Names such as C3 are those of the smallest frame around it all.

export const COLOURS = ["blue", "green", "pink", "yellow", "red", "orange", "violet", "grey"];

const MOST = 8; // kingdoms of a game
const LONGEST = 26; // rows of a board

let ids = Date.now() % 1e9;

export const emptyGame = () => ({
  rules: { game: "kingdomino", variants: [], side: null, seats: null, dynasty: false, teams: false, openGems: [] },
  round: 0,
  rounds: [[]],
});

const emptyPieces = () => ({ coins: 0, towers: 0, spare_knights: 0, queen: false, knights: [], buildings: [], gems: [] });

export function newKingdom(player, colour, cells, seen = null) {
  return { id: String((ids += 1)), player, colour, cells, pieces: emptyPieces(), fixes: {}, seen };
}

/** A kingdom as a photo shows it, in a game with knights with those that were seen on it. */
export function readKingdom(player, colour, read, seen, game) {
  const kingdom = newKingdom(player, colour, cellsOf(read.board, read.origin), seen);
  const [top, left] = read.origin;
  const placed = ([row, col]) => at(row + top, col + left);
  const standing = game === "kingdomino" ? [] : read.pieces.filter((piece) => piece.kind === "knight");
  const knights = standing.map((piece) => placed(squarePlace(piece.square)));
  return { ...kingdom, pieces: { ...kingdom.pieces, knights } };
}

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
  const seen = kingdom.seen && { ...kingdom.seen, doubts: kingdom.seen.doubts.filter((doubt) => doubt.at !== place) };
  return { ...kingdom, cells, fixes, seen };
}

const lists = (value) => (Array.isArray(value) ? value.length > 0 : Boolean(value));

/** A kingdom as a game file has it. */
function givenOf(kingdom, rules) {
  const { knights, buildings, gems, ...counts } = kingdom.pieces;
  const name = (place) => nameAt(kingdom, place);
  const teams = rules.teams && rules.game === "royal-wedding";
  const given = { board: boardRows(kingdom.cells) };
  if (teams && kingdom.player.includes("&")) given.players = kingdom.player.split("&", 2).map((part) => part.trim());
  else if (!teams) given.player = kingdom.player;
  const extra = {};
  if (rules.game !== "kingdomino") {
    Object.assign(extra, counts, { knights: knights.map(name).filter(Boolean) });
    extra.buildings = buildings.map((one) => ({ ...one, at: name(one.at) })).filter((one) => one.at);
  }
  if (rules.variants.includes("lost-treasures")) extra.gems = gems.map((gem) => gemGiven(kingdom, gem)).filter(Boolean);
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
  const open = rules.variants.includes("lost-treasures") && rules.openGems.length ? { open_gems: rules.openGems } : {};
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
  const kingdom = newKingdom(String(given.player), COLOURS.includes(given.colour) ? given.colour : "grey", cellsOf(given.board.slice(0, LONGEST)));
  const place = (name) => at(...squarePlace(name));
  const [coins, towers, spare_knights] = [given.coins, given.towers, given.spare_knights].map((count) => Number(count) || 0);
  const queen = given.queen === true;
  const gems = (given.gems ?? []).map(({ between, ...gem }) => {
    const corners = between.split(" ").map(squarePlace);
    const corner = at(Math.min(corners[0][0], corners[1][0]), Math.min(corners[0][1], corners[1][1]));
    return { skull: null, turned: 0, crowns: [0, 0, 0, 0], ...gem, at: corner };
  });
  const buildings = (given.buildings ?? []).map((one) => ({ ...one, at: place(one.at) }));
  const knights = (given.knights ?? []).map(place);
  return { ...kingdom, pieces: { coins, towers, spare_knights, queen, knights, buildings, gems } };
}
