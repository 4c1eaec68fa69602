// The sheet in which a person corrects a square: every cell of the game is one tap away.

import { updatePieces, correctSquare } from "./actions.js";
import { gameCells, cellFace } from "./board.js";
import { button, openDialog, h, announce, svg } from "./dom.js";
import { nameAt, onGrid, parsePlace } from "./model.js";
import { buildingSelect } from "./pieces.js";
import { findKingdom, selectedKingdom, state } from "./state.js";
import { describeCell, t } from "./strings.js";

const ORDER = "wflgsmt";

/** Open the sheet for a place of a kingdom. In a review, `checked` is the number of squares before this one. */
export function editSquare(kingdom, place, { checked = null } = {}) {
  const cell = kingdom.cells[place] ?? ".";
  const doubt = kingdom.seen?.doubts.find((one) => one.at === place);
  const choose = async (word) => {
    node.close("chosen");
    if (checked === null) focusSquare(place);
    if (word !== cell || doubt || !(place in kingdom.fixes)) await correctSquare(kingdom.id, place, word);
    // The new decision may have removed other doubts, or added some.
    if (checked !== null) reviewDoubts(kingdom.id, checked + 1);
  };
  const name = nameAt(kingdom, place);
  const title = t("squareHead", { square: name || "+" });
  const count = checked === null ? null : h("span", { class: "count" }, reviewProgress(kingdom, checked));
  const content = [
    count,
    h("div", { class: "evidence" }, closeUpView(kingdom, place), doubt ? doubtView(kingdom, doubt, choose) : cellSummary(cell)),
    paletteView(cell, doubt, choose),
    pieceControls(kingdom, place, cell),
  ];
  scrollIntoReach(place);
  markEdited(place);
  const onclose = () => markEdited(null);
  const node = openDialog(title, content, { close: t("close"), kind: "sheet", onclose });
  node.addEventListener("keydown", (event) => handleKey(event, cell, choose));
  node.querySelector('[aria-pressed="true"]')?.focus();
}

/** Mark the square that the open sheet is about. */
function markEdited(place) {
  state.editing = place;
  for (const node of document.querySelectorAll(".grid [data-place]")) {
    node.classList.toggle("editing", node.dataset.place === place);
  }
}

/** Scroll the square above the part of a small screen that the sheet covers. */
function scrollIntoReach(place) {
  const square = document.querySelector(`.grid [data-place="${place}"]`);
  const { top = 0, bottom = 0 } = square?.getBoundingClientRect() ?? {};
  if (innerWidth < 720 && (bottom > innerHeight * 0.42 || top < 60)) scrollBy(0, top - innerHeight * 0.25);
}

const findUnsurePlaces = (kingdom) => (kingdom?.seen?.doubts ?? []).map((doubt) => doubt.at).filter((place) => !(place in kingdom.fixes));

const reviewProgress = (kingdom, before) => t("checkedOf", { n: before + 1, all: before + findUnsurePlaces(kingdom).length });

/** Open the next unsure square of a kingdom; `before` squares have been checked. */
function reviewDoubts(id, before) {
  const kingdom = findKingdom(id);
  const [next] = findUnsurePlaces(kingdom);
  if (next === undefined) return announce(t("allGood"));
  if (id === state.selected && !document.querySelector("dialog[open]")) editSquare(kingdom, next, { checked: before });
}

export const startReview = () => reviewDoubts(state.selected, 0);

/** Focus the next unsure square of the board. */
export function focusNextDoubt() {
  const places = findUnsurePlaces(selectedKingdom());
  if (!places.length) return announce(t("allGood"));
  const next = places[(places.indexOf(state.square) + 1) % places.length];
  focusSquare(next);
}

function focusSquare(place) {
  state.square = place;
  const square = document.querySelector(`[data-key="square ${place}"]`);
  square?.focus({ preventScroll: false });
}

const cellSummary = (cell) => h("p", {}, h("b", {}, describeCell(cell)), h("br"), h("span", { class: "hint" }, t("tapWhat")));

function doubtView(kingdom, doubt, choose) {
  const percent = Math.round(100 * doubt.sure);
  const words = { read: describeCell(doubt.read), instead: describeCell(doubt.instead), percent, total: doubt.total };
  const plain = state.game.rules.game !== "kingdomino" || state.game.rules.variants.length > 0 || doubt.total === null;
  return h(
    "div",
    { class: "suspicion" },
    h("p", {}, t(plain ? "looksLikeOne" : "looksLike", words)),
    h(
      "div",
      { class: "buttons" },
      [doubt.read, doubt.instead].map((cell) =>
        button("check", t("itIs", { cell: describeCell(cell) }), () => choose(cell), { class: "soft" }),
      ),
    ),
  );
}

/** Every cell of the game: a column per terrain, a row per number of crowns; castle and "no tile" below. */
function paletteView(cell, doubt, choose) {
  const known = gameCells();
  const columns = [...ORDER].filter((letter) => known.includes(letter));
  const most = Math.max(2, ...known.map((one) => Number(one.slice(1) || 0)));
  const free = columns.slice(0, 2).every((letter) => !known.includes(`${letter}${most}`));
  const places = known.map((word) => [word, columns.indexOf(word[0]), Number(word.slice(1) || 0)]);
  const others = ["#", "."].map((word, column) => [word, column, free ? most : most + 1]);
  const option = ([word, column, row]) => {
    const node = h(
      "button",
      {
        type: "button",
        class: `option sq-${word === "#" ? "castle" : word === "." ? "none" : word[0]} ${doubt?.instead === word ? "maybe" : ""}`,
        "aria-label": describeCell(word),
        "aria-pressed": String(word === cell),
        onclick: () => choose(word),
      },
      word === "." ? h("span", { class: "plus", "aria-hidden": "true" }, "∅") : cellFace(word),
    );
    node.style.gridArea = `${row + 1} / ${column + 1}`;
    return node;
  };
  const terrains = places.filter(([, column]) => column >= 0).sort((a, b) => a[1] - b[1] || a[2] - b[2]);
  const node = h("div", { class: "palette" }, [...terrains, ...others].map(option));
  node.style.setProperty("--columns", columns.length);
  return node;
}

/** The square in the photo, with a margin. */
function closeUpView(kingdom, place) {
  const photo = state.photos.get(kingdom.seen?.photo);
  if (!photo || !onGrid(kingdom, place)) return null;
  const [row, col] = parsePlace(place);
  const quad = kingdom.seen.squares[row][col];
  const xs = quad.filter((_, index) => index % 2 === 0);
  const ys = quad.filter((_, index) => index % 2 === 1);
  const side = Math.max(Math.max(...xs) - Math.min(...xs), Math.max(...ys) - Math.min(...ys)) * 1.35;
  const [x, y] = [xs, ys].map((values) => (Math.max(...values) + Math.min(...values)) / 2 - side / 2);
  return svg(
    "svg",
    { class: "close-up", viewBox: `${x} ${y} ${side} ${side}`, role: "img", "aria-label": t("photo") },
    svg("image", { href: photo.url, width: photo.width, height: photo.height, preserveAspectRatio: "none" }),
    svg("polygon", { points: quad.join(" "), class: "frame" }),
  );
}

/** Controls for the pieces on the square: a knight, and on a town a building. */
function pieceControls(kingdom, place, cell) {
  if (state.game.rules.game === "kingdomino" || cell === "." || cell === "#") return null;
  const here = kingdom.pieces.knights.includes(place);
  const toggle = (event) => {
    const others = (findKingdom(kingdom.id) ?? kingdom).pieces.knights.filter((one) => one !== place);
    updatePieces(kingdom.id, { knights: event.target.checked ? [...others, place] : others });
  };
  return h(
    "div",
    { class: "fields" },
    h("label", { class: "check" }, h("input", { type: "checkbox", checked: here, onchange: toggle }), t("knightHere")),
    cell[0] === "t" ? buildingSelect(kingdom, place) : null,
  );
}

function handleKey(event, cell, choose) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("select, input")) return;
  const key = event.key.toLowerCase();
  const known = gameCells();
  if (key === "#" || key === ".") choose(key);
  else if (known.includes(key)) choose(key);
  else if (/^[0-3]$/.test(key) && /^[a-z]/.test(cell)) {
    const word = key === "0" ? cell[0] : `${cell[0]}${key}`;
    if (known.includes(word)) choose(word);
  } else return;
  event.preventDefault();
}
