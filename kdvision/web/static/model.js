// Squares, boards and facts of kingdoms as the server sends them. No rules are here.
//
// The squares of a kingdom are stored by place, "row,col" on the grid of the photo (any origin for typed boards), so
// nothing moves when a tile is added at the edge. Names such as C3 count from the smallest frame around all squares.

export const CASTLE = "#";
export const UNKNOWN = "?"; // a fact, or a part of one, that nobody has entered

/** A unique id of a photo: it outlives the page, so no id is used twice. */
export const newId = () => `${Date.now().toString(36)}-${Math.random().toString(36).slice(2, 8)}`;

export const formatPlace = (row, col) => `${row},${col}`;
export const parsePlace = (text) => text.split(",").map(Number);

/** What a cell shows, for its picture and colours: a letter of a terrain, "castle" or "none". */
export const getKind = (cell) => ({ "#": "castle", ".": "none", "?": "none" })[cell] ?? cell[0];

export const countCrowns = (cell) => Number(cell.slice(1));

/** The smallest frame around all squares: top, left, rows, cols. */
export function computeFrame(cells) {
  const places = Object.keys(cells).map(parsePlace);
  if (!places.length) return { top: 0, left: 0, rows: 0, cols: 0 };
  const rows = places.map((place) => place[0]);
  const cols = places.map((place) => place[1]);
  const [top, left] = [Math.min(...rows), Math.min(...cols)];
  return { top, left, rows: Math.max(...rows) - top + 1, cols: Math.max(...cols) - left + 1 };
}

export const formatSquareName = (row, col) => `${String.fromCharCode(65 + col)}${row + 1}`;

/** The place of a square by its name, such as C3. */
export function findPlaceByName(kingdom, name) {
  const { top, left } = computeFrame(kingdom.cells);
  return formatPlace(Number(name.slice(1)) - 1 + top, name.toUpperCase().charCodeAt(0) - 65 + left);
}

/** The name of a place in the current frame, such as C3; "" outside. */
export function nameSquareAt(kingdom, place) {
  const { top, left, rows, cols } = computeFrame(kingdom.cells);
  const [row, col] = parsePlace(place);
  const isInside = row >= top && col >= left && row < top + rows && col < left + cols;
  return isInside ? formatSquareName(row - top, col - left) : "";
}

/** The board in notation, one text per row. */
export function formatRows(cells) {
  const { top, left, rows, cols } = computeFrame(cells);
  const row = (r) => Array.from({ length: cols }, (_, c) => cells[formatPlace(r + top, c + left)] ?? ".").join(" ");
  return Array.from({ length: rows }, (_, r) => row(r));
}

/** The cells by place of a board in notation; null if the server would refuse it. */
export function parseBoard(rows) {
  const words = rows.map((row) => row.toLowerCase().split(/\s+/));
  const cells = words.flatMap((row, r) => row.map((word, c) => [formatPlace(r, c), word]));
  const isBoard = words.every((row) => row.length === words[0].length) && cells.every(([, word]) => /^([wflgsmt]\d?|[#.?])$/.test(word));
  return isBoard ? Object.fromEntries(cells.filter(([, word]) => word !== ".")) : null;
}

/** The corners of a place in the photo: x and y of four corners, clockwise; undefined outside the grid. */
export function computeQuad(kingdom, place) {
  const { squares, first } = kingdom.seen;
  const [row, col] = parsePlace(place);
  return squares[row - first[0]]?.[col - first[1]];
}

/** The four corners of a kingdom's frame in the photo, clockwise from the top left. */
export function traceOutline(kingdom) {
  const { squares, first } = kingdom.seen;
  const { top, left, rows, cols } = computeFrame(kingdom.cells);
  const within = (value, count) => Math.max(0, Math.min(count - 1, value));
  const [up, down] = [top, top + rows - 1].map((row) => within(row - first[0], squares.length));
  const [start, end] = [left, left + cols - 1].map((col) => within(col - first[1], squares[0].length));
  const corner = (row, col, index) => squares[row][col].slice(2 * index, 2 * index + 2);
  return [corner(up, start, 0), corner(up, end, 1), corner(down, end, 2), corner(down, start, 3)];
}

/** The four places around a crossing, clockwise from its upper left one. */
export function listPlacesAround(place) {
  const [row, col] = parsePlace(place);
  return [[0, 0], [0, 1], [1, 1], [1, 0]].map(([down, right]) => formatPlace(row + down, col + right));
}

/** The upper left place of a crossing, from the two places that a gem lies between. */
export function findCrossing({ between }) {
  const places = between.split(" ").map(parsePlace);
  return formatPlace(Math.min(...places.map(([row]) => row)), Math.min(...places.map(([, col]) => col)));
}

/** The pieces of a kind that are entered or were seen, without the "?" that stands for further ones. */
export const listPieces = (kingdom, key) => listEntries(kingdom, key).filter((piece) => piece !== UNKNOWN);

const listEntries = (kingdom, key) => [kingdom.facts[key] ?? []].flat(); // "?" alone, if none is known

/** Whether there may be more of a fact than is entered. */
export const isOpen = (kingdom, key) => listEntries(kingdom, key).includes(UNKNOWN);

const getPlace = (piece) => (typeof piece === "string" ? piece.trim().split(" ")[0] : (piece.at ?? findCrossing(piece)));

/** The kingdom with other pieces of a kind on a place; "?" is the place of those that are not listed. */
export function withPieces(kingdom, { key, at, pieces }) {
  const otherPieces = listEntries(kingdom, key).filter((piece) => getPlace(piece) !== at);
  return { ...kingdom, facts: { ...kingdom.facts, [key]: [...pieces, ...otherPieces] } };
}

/** Whether a building or a gem has been named. */
export const isNamed = (piece) => (piece.kind ?? piece.name) !== UNKNOWN;

/** The points of a score in a few characters: "31", or "31+" while facts are missing. */
export const formatShortTotal = (score) => (score ? (score.complete ? String(score.total) : `${score.least}+`) : null);
