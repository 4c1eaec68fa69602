// The board of a kingdom: squares to tap, and a grid for the keyboard (arrows move, letters and digits correct).

import { correctSquare } from "./actions.js";
import { crowns, h } from "./dom.js";
import { crossingsView } from "./gems.js";
import { placeAt, frame, nameAt, placeNamed, parsePlace, squareName } from "./model.js";
import { editSquare, focusNextDoubt } from "./sheet.js";
import { scoreOf, state } from "./state.js";
import { describeCell, t } from "./strings.js";

const MOVES = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

/** The visible places: the frame, with `edge` also a rim around it if the kingdom may still grow. */
function visibleFrame(kingdom, edge) {
  const { top, left, rows, cols } = frame(kingdom.cells);
  const rim = (count) => (edge && count < 9 ? 1 : 0);
  const [r, c] = [rim(rows), rim(cols)];
  return { top: top - r, left: left - c, rows: rows + 2 * r, cols: cols + 2 * c };
}

export function boardView(kingdom) {
  const area = visibleFrame(kingdom, state.mode === "edge");
  const territories = territoriesOf(kingdom);
  const doubts = new Map((kingdom.seen?.doubts ?? []).map((doubt) => [doubt.at, doubt]));
  const places = [...Array(area.rows).keys()].map((r) =>
    [...Array(area.cols).keys()].map((c) => placeAt(area.top + r, area.left + c)),
  );
  const active = places.flat().includes(state.square) ? state.square : places[0]?.[0];
  const inner = frame(kingdom.cells);
  const column = (place) => {
    const col = parsePlace(place)[1] - inner.left;
    return col >= 0 && col < inner.cols ? squareName(0, col)[0] : "";
  };
  const within = (place) => Boolean(nameAt(kingdom, place));
  const heads = places[0]?.map((place) =>
    h("div", { role: "columnheader", class: "coord" }, column(place)),
  );
  const rows = places.map((line) => {
    const number = parsePlace(line[0])[0] - inner.top + 1;
    const label = number > 0 && number <= inner.rows ? number : "";
    const squares = line.map((place) => squareView(kingdom, place, { doubts, territories, active, within: within(place) }));
    return h("div", { role: "row", class: "row", "data-key": `row ${parsePlace(line[0])[0]}` }, h("div", { role: "rowheader", class: "coord" }, label), squares);
  });
  const grid = h(
    "div",
    { role: "grid", class: `grid mode-${state.mode || "plain"}`, "aria-label": `${t("board")}: ${kingdom.player}`, onkeydown: (event) => handleKey(event, kingdom) },
    h("div", { role: "row", class: "row" }, h("div", { role: "columnheader", class: "coord" }), heads),
    rows,
  );
  grid.style.setProperty("--cols", area.cols);
  const layer = state.mode === "gem" || kingdom.pieces.gems.length ? crossingsView(kingdom, area) : null;
  return h("div", { class: "board-scroll" }, h("div", { class: "board" }, grid, layer));
}

/** The number of each place's territory on the scorecard. */
export function territoriesOf(kingdom) {
  const score = scoreOf(kingdom);
  const found = new Map();
  (score?.lines ?? []).forEach((line, number) => {
    if (!line.terrain) return;
    for (const name of line.squares) found.set(placeNamed(kingdom, name), number);
  });
  return found;
}

function squareView(kingdom, place, { doubts, territories, active, within }) {
  const cell = kingdom.cells[place] ?? ".";
  const doubt = doubts.get(place);
  const name = within ? nameAt(kingdom, place) : t("edgeOf", { square: nearestSquareName(kingdom, place) });
  const words = { square: name, cell: describeCell(cell), instead: doubt ? describeCell(doubt.instead) : "" };
  const kind = cell === "." ? "none" : cell === "#" ? "castle" : cell === "?" ? "none" : cell[0];
  const marks = [];
  if (state.flash?.has(place)) marks.push("flash");
  if (doubt) marks.push("unsure");
  if (place in kingdom.fixes) marks.push("fixed");
  if (state.editing === place) marks.push("editing");
  const pieces = pieceMarks(kingdom, place);
  return h(
    "button",
    {
      type: "button",
      role: "gridcell",
      class: `square sq-${kind} ${marks.join(" ")} ${borderClasses(place, territories)}`,
      "aria-label": [t(doubt ? "squareUnsure" : "squareNow", words), ...pieces.map((piece) => piece.words)].join(", "),
      tabindex: place === active ? 0 : -1,
      "data-key": `square ${place}`,
      "data-place": place,
      onclick: () => ((state.square = place), editSquare(kingdom, place)),
      onfocus: () => (state.square = place),
    },
    cell === "." ? h("span", { class: "plus", "aria-hidden": "true" }, state.mode === "edge" ? "+" : "") : cellFace(cell),
    pieces.map((piece) => h("span", { class: `piece ${piece.kind}`, "aria-hidden": "true" }, piece.letter)),
    doubt && h("span", { class: "mark", "aria-hidden": "true" }, "?"),
  );
}

/** The name of the square of the frame that is nearest to a place outside. */
function nearestSquareName(kingdom, place) {
  const { rows, cols, top, left } = frame(kingdom.cells);
  const [row, col] = parsePlace(place);
  const within = (value, count) => Math.max(0, Math.min(count - 1, value));
  return squareName(within(row - top, rows), within(col - left, cols));
}

/** The letter and the crowns of a cell; the terrain's picture is the background of the element that contains them. */
export function cellFace(cell) {
  const count = Number(cell.slice(1) || 0);
  return [
    h("span", { class: "letter", "aria-hidden": "true" }, cell === "#" ? "♜" : cell[0]),
    count ? crowns(count) : null,
  ];
}

function pieceMarks(kingdom, place) {
  const { knights, buildings } = kingdom.pieces;
  if (state.game.rules.game === "kingdomino") return [];
  const marks = [];
  if (buildings.some((one) => one.at === place)) marks.push({ kind: "building", letter: "⌂", words: t("building") });
  if (knights.includes(place)) marks.push({ kind: "knight", letter: "♞", words: t("knight") });
  return marks;
}

/** CSS classes that draw a line where the territory ends. */
function borderClasses(place, territories) {
  const own = territories.get(place);
  if (own === undefined) return "";
  const [row, col] = parsePlace(place);
  const sides = { t: [row - 1, col], r: [row, col + 1], b: [row + 1, col], l: [row, col - 1] };
  const ends = Object.entries(sides).filter(([, [r, c]]) => territories.get(placeAt(r, c)) !== own);
  return ends.map(([side]) => `end-${side}`).join(" ");
}

function handleKey(event, { id, cells }) {
  const place = event.target.dataset?.place;
  if (!place || event.ctrlKey || event.metaKey || event.altKey) return;
  const [row, col] = parsePlace(place);
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const cell = cells[place] ?? ".";
  if (key in MOVES) {
    const [down, right] = MOVES[key];
    const next = event.currentTarget.querySelector(`[data-place="${placeAt(row + down, col + right)}"]`);
    if (next) focusCell(next);
  } else if (key === "Home" || key === "End") {
    const squares = [...event.target.parentElement.querySelectorAll("[data-place]")];
    focusCell(key === "Home" ? squares[0] : squares[squares.length - 1]);
  } else if (key === "n") focusNextDoubt();
  else if (key === "#" || key === ".") correctSquare(id, place, key);
  else if (key === "Delete" || key === "Backspace") correctSquare(id, place, ".");
  else if (terrainLetters().includes(key)) correctSquare(id, place, findCell(key, 0) ?? cell);
  else if (/^[0-3]$/.test(key)) correctCrowns(id, place, cell, Number(key));
  else return;
  event.preventDefault();
}

function focusCell(square) {
  state.square = square.dataset.place;
  for (const one of square.closest(".grid").querySelectorAll('[tabindex="0"]')) one.tabIndex = -1;
  square.tabIndex = 0;
  square.focus();
}

/** The letters of the terrains of this game. */
export function terrainLetters() {
  return [...new Set(gameCells().map((cell) => cell[0]))];
}

/** The cells that the dominoes of this game have, in notation. */
export function gameCells() {
  const games = state.rules?.games ?? [];
  return games.find((game) => game.game === state.game.rules.game)?.cells ?? [];
}

function findCell(letter, count) {
  const cell = count ? `${letter}${count}` : letter;
  return gameCells().includes(cell) ? cell : null;
}

function correctCrowns(id, place, cell, count) {
  if (!/^[a-z]/.test(cell)) return;
  const next = findCell(cell[0], count);
  if (next) correctSquare(id, place, next);
}

/** Dim all squares but those of the score line that is open, on the board and in the photo. */
export function highlightOpenLine() {
  const line = [...document.querySelectorAll("details[data-places][open]")].at(-1);
  const places = line && new Set(line.dataset.places.split(" "));
  for (const node of document.querySelectorAll(".grid [data-place], .kingdom.active [data-place]")) {
    node.classList.toggle("dim", Boolean(places) && !places.has(node.dataset.place));
  }
}
