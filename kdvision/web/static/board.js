// The board of a kingdom: squares to tap, and a grid for the keyboard (arrows move, letters and digits correct).

import { Crossings } from "./gems.js";
import { listPieceMarks } from "./pieces.js";
import { computeFrame, findPlaceByName, formatPlace, formatSquareName, nameSquareAt, parsePlace } from "./model.js";
import { announce, getPlayedGame, listOpenQuestions, listPlayedVariants, openDialog, state, update } from "./store.js";
import { describeCell, t } from "./strings.js";
import { setSquare } from "./table.js";
import { Button, CellFace, choosePictureClass, html, memo, useLayoutEffect, useRef, useState } from "./ui.js";

const MOVES = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
const MAX_SIDE = 9; // of the board with a rim

export function BoardCard({ kingdom }) {
  const isEdge = state.mode === "edge";
  const toggle = () => update({ mode: isEdge ? "" : "edge" });
  const letters = [...new Set(listGameCells().map((cell) => cell[0]))].filter((letter) => letter !== "#").join(" ");
  return html`<section class="card board-card" aria-label=${t("board")}>
    <${Board} kingdom=${kingdom} entry=${state.points.get(kingdom.id)} mode=${state.mode} flash=${state.flash}
      editing=${state.dialog?.kingdom === kingdom.id && state.dialog.place} highlight=${state.highlight} rules=${state.game.rules} />
    <div class="toolbar">
      <${Button} icon="edge" text=${t(isEdge ? "done" : "addEdge")} class="quiet" aria-pressed=${String(isEdge)} onClick=${toggle} />
    </div>
    <p class="hint">${t(isEdge ? "edgeHint" : "boardHint")}</p>
    <p class="hint keys">${t("boardKeys", { letters })}</p>
  </section>`;
}

/** The visible places: the frame; in edge mode also a rim, and around a lone castle as many squares as a kingdom has. */
function computeVisibleFrame({ cells }) {
  const { top, left, rows, cols } = computeFrame(cells);
  if (state.mode !== "edge") return { top, left, rows, cols };
  const least = state.table.score.side ?? 5;
  const widen = (start, count) => {
    const rim = count < MAX_SIDE ? 1 : 0;
    const more = Math.max(0, Math.floor((least - count - 2 * rim) / 2));
    return [start - rim - more, count + 2 * (rim + more)];
  };
  const [[firstRow, allRows], [firstCol, allCols]] = [widen(top, rows), widen(left, cols)];
  return { top: firstRow, left: firstCol, rows: allRows, cols: allCols };
}

/** The number of each place's territory on the scorecard. */
export function listTerritories(entry) {
  const numbers = new Map();
  (entry?.score.lines ?? []).forEach((line, number) => {
    if (!line.terrain) return;
    for (const name of line.squares) numbers.set(findPlaceByName(entry.kingdom, name), number);
  });
  return numbers;
}

/** The board; drawn again only if one of these properties has changed. */
const Board = memo(({ kingdom, entry, mode, editing, flash, highlight }) => {
  const ref = useRef();
  const [active, setActive] = useState(null);
  const [hasFocus, setFocus] = useState(false);
  const area = computeVisibleFrame(kingdom);
  const inner = computeFrame(kingdom.cells);
  const rows = Array.from({ length: area.rows }, (_, r) => Array.from({ length: area.cols }, (_, c) => formatPlace(area.top + r, area.left + c)));
  const current = rows.flat().includes(active) ? active : rows[0]?.[0];
  useLayoutEffect(() => {
    // The square with the focus has gone, such as one at the edge.
    if (hasFocus && document.activeElement === document.body) ref.current.querySelector('[tabindex="0"]')?.focus({ preventScroll: true });
  });
  const territories = listTerritories(entry);
  const display = { editing, flash, highlight };
  const marks = listPieceMarks(kingdom);
  const doubts = new Map((kingdom.seen?.doubts ?? []).map((doubt) => [doubt.at, doubt]));
  const tap = (event) => {
    const place = event.target.closest("[data-place]")?.dataset.place;
    if (place) openDialog("square", { kingdom: kingdom.id, place });
  };
  const focus = (event) => (setFocus(true), setActive(event.target.dataset.place ?? active));
  const leave = (event) => event.target.isConnected && event.relatedTarget && setFocus(false);
  const column = (c) => nameSquareAt(kingdom, formatPlace(inner.top, c))[0];
  const number = (r) => nameSquareAt(kingdom, formatPlace(r, inner.left)).slice(1);
  return html`<div class="board" style=${{ "--cols": area.cols }}>
    <div
      ref=${ref} role="grid" class="grid" aria-label="${t("board")}: ${kingdom.player}"
      onClick=${tap} onKeyDown=${(event) => handleKey(event, kingdom)} onFocusIn=${focus} onFocusOut=${leave}
    >
      <div role="row" class="row" key="head">
        <${Coordinate} />
        ${rows[0]?.map((_, c) => html`<${Coordinate} role="columnheader" text=${column(area.left + c)} />`)}
      </div>
      ${rows.map((places, r) => html`<div role="row" class="row" key=${area.top + r}>
        <${Coordinate} role="rowheader" text=${number(area.top + r)} />
        ${places.map((place, c) => {
          const square = formatSquareName(clamp(area.top + r - inner.top, inner.rows), clamp(area.left + c - inner.left, inner.cols));
          const name = nameSquareAt(kingdom, place) || t("edgeOf", { square });
          const pieces = marks[place] ?? [];
          return html`<${Square} key=${place} place=${place} name=${name} cell=${kingdom.cells[place] ?? "."} instead=${doubts.get(place)?.instead}
            pieces=${pieces.map((piece) => piece.name).join(", ")} symbols=${pieces.map((piece) => piece.symbol).join("")}
            classes=${listSquareClasses(kingdom.id, place, display)} ends=${findTerritoryEnds(place, territories).join("")}
            isEdge=${mode === "edge"} tabindex=${place === current ? 0 : -1} />`;
        })}
      </div>`)}
    </div>
    <${Crossings} kingdom=${kingdom} area=${area} />
  </div>`;
});

/** The name of a row or column; a header without a name would confuse screen readers. */
const Coordinate = ({ role, text }) =>
  text ? html`<div role=${role} class="coord ${role}">${text}</div>` : html`<div role="gridcell" class="coord" aria-hidden="true"></div>`;

/** CSS classes for what happens to a square. */
const listSquareClasses = (id, place, { editing, flash, highlight }) => [
  flash.has(`${id} ${place}`) && "flash",
  editing === place && "editing",
  highlight?.id === id && !highlight.places.has(place) && "dim",
].filter(Boolean).join(" ");

/** A square; drawn again only if one of these texts has changed. `instead` is set if the square is in doubt; `ends` are
 * the sides at which its territory ends. */
const Square = memo(({ place, name, cell, instead, pieces, symbols, classes, ends, isEdge, tabindex }) => {
  const words = { square: name, cell: describeCell(cell), instead: describeCell(instead) };
  const label = [t(instead ? "squareUnsure" : "squareNow", words), pieces].filter(Boolean).join(", ");
  const widths = [0, 1, 2, 3].map((side) => (ends.includes(side) ? "4px" : "0"));
  return html`<button
    type="button" role="gridcell" class="square ${choosePictureClass(cell)} ${instead ? "unsure" : ""} ${classes}" aria-label=${label}
    style=${{ "--ends": widths.join(" ") }} tabindex=${tabindex} data-place=${place}
  >
    ${cell === "." ? html`<span class="plus" aria-hidden="true">${isEdge ? "+" : ""}</span>` : html`<${CellFace} cell=${cell} />`}
    ${[...symbols].map((symbol) => html`<span class="piece" aria-hidden="true">${symbol}</span>`)}
    ${instead && html`<span class="mark" aria-hidden="true">?</span>`}
  </button>`;
});

/** The index below `count` that is nearest. */
const clamp = (index, count) => Math.max(0, Math.min(count - 1, index));

/** The sides of a place where its territory ends, numbered clockwise from the top. */
export function findTerritoryEnds(place, territories) {
  const [row, col] = parsePlace(place);
  const neighbours = [formatPlace(row - 1, col), formatPlace(row, col + 1), formatPlace(row + 1, col), formatPlace(row, col - 1)];
  const isEnd = (side) => territories.get(neighbours[side]) !== territories.get(place);
  return territories.has(place) ? [0, 1, 2, 3].filter(isEnd) : [];
}

function handleKey(event, kingdom) {
  const { place } = event.target.dataset;
  if (!place || event.ctrlKey || event.metaKey || event.altKey) return;
  const [row, col] = parsePlace(place);
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const cell = kingdom.cells[place] ?? ".";
  const rowSquares = event.target.parentElement.querySelectorAll("[data-place]");
  const next = MOVES[key] && event.currentTarget.querySelector(`[data-place="${formatPlace(row + MOVES[key][0], col + MOVES[key][1])}"]`);
  const word = changeCellByKey(key, cell);
  if (key in MOVES) next?.focus();
  else if (key === "Home" || key === "End") rowSquares[key === "Home" ? 0 : rowSquares.length - 1].focus();
  else if (key === "n") focusNextDoubt(event.currentTarget, event.target);
  else if (key === "Delete" || key === "Backspace") setSquare(kingdom, place, ".");
  else if (word) setSquare(kingdom, place, word);
  else return;
  event.preventDefault();
}

/** The cell that a key stands for on a square: a terrain, a number of crowns, the castle or no tile; null for others. */
export function changeCellByKey(key, cell) {
  if (key === "#" || key === ".") return key;
  const word = /^[0-9]$/.test(key) && /^[a-z]/.test(cell) ? (key === "0" ? cell[0] : `${cell[0]}${key}`) : key;
  return listGameCells().includes(word) ? word : null;
}

/** Focus the next unsure square of the board. */
function focusNextDoubt(grid, from) {
  const squares = [...grid.querySelectorAll(".square")];
  const index = squares.indexOf(from);
  const next = [...squares.slice(index + 1), ...squares.slice(0, index + 1)].find((square) => square.matches(".unsure"));
  if (next) next.focus();
  else announce(t(listOpenQuestions().length ? "goodHere" : "allGood"));
}

/** The cells that the dominoes of this game and of its variants have, in notation. */
export const listGameCells = () => [...new Set([getPlayedGame(), ...listPlayedVariants()].flatMap(({ cells }) => cells))];
