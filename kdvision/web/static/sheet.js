// The sheet in which a square is named: every square the box has is one tap away.

import { amendPieces, correct } from "./actions.js";
import { cells, face } from "./board.js";
import { button, dialog, h, say, svg } from "./dom.js";
import { nameAt, onGrid, placeOf } from "./model.js";
import { buildingSelect } from "./pieces.js";
import { kingdomOf, selected, state } from "./state.js";
import { cellWords, t } from "./strings.js";

const ORDER = "wflgsmt";

/** Open the sheet for a place of a kingdom; with `walk`, how many were checked before, the next unsure one follows. */
export function editSquare(kingdom, place, { walk = null } = {}) {
  const cell = kingdom.cells[place] ?? ".";
  const doubt = kingdom.seen?.doubts.find((one) => one.at === place);
  const choose = async (word) => {
    node.close("chosen");
    if (walk === null) focusSquare(place);
    if (word !== cell || doubt || !(place in kingdom.fixes)) await correct(kingdom.id, place, word);
    // what follows from it may have answered other questions, or raised new ones
    if (walk !== null) walkDoubts(kingdom.id, walk + 1);
  };
  const name = nameAt(kingdom, place);
  const title = t("squareHead", { square: name || "+" });
  const count = walk === null ? null : h("span", { class: "count" }, walked(kingdom, walk));
  const content = [
    count,
    h("div", { class: "evidence" }, closeUp(kingdom, place), doubt ? suspicion(kingdom, doubt, choose) : plainly(cell)),
    palette(cell, doubt, choose),
    extras(kingdom, place, cell),
  ];
  bringUp(place);
  markEdited(place);
  const onclose = () => markEdited(null);
  const node = dialog(title, content, { close: t("close"), kind: "sheet", onclose });
  node.addEventListener("keydown", (event) => typed(event, cell, choose));
  node.querySelector('[aria-pressed="true"]')?.focus();
}

/** Mark the square that the open sheet is about. */
function markEdited(place) {
  state.editing = place;
  for (const node of document.querySelectorAll(".grid [data-place]")) {
    node.classList.toggle("editing", node.dataset.place === place);
  }
}

/** Scroll the square above where the sheet of a small screen will lie. */
function bringUp(place) {
  const square = document.querySelector(`.grid [data-place="${place}"]`);
  const { top = 0, bottom = 0 } = square?.getBoundingClientRect() ?? {};
  if (innerWidth < 720 && (bottom > innerHeight * 0.42 || top < 60)) scrollBy(0, top - innerHeight * 0.25);
}

const unsure = (kingdom) => (kingdom?.seen?.doubts ?? []).map((doubt) => doubt.at).filter((place) => !(place in kingdom.fixes));

const walked = (kingdom, before) => t("checkedOf", { n: before + 1, all: before + unsure(kingdom).length });

/** Go through the unsure squares of a kingdom one by one, so many of them done before. */
function walkDoubts(id, before) {
  const kingdom = kingdomOf(id);
  const [next] = unsure(kingdom);
  if (next === undefined) return say(t("allGood"));
  if (id === state.selected && !document.querySelector("dialog[open]")) editSquare(kingdom, next, { walk: before });
}

export const checkAll = () => walkDoubts(state.selected, 0);

/** Move to the next unsure square of the board. */
export function nextDoubt() {
  const places = unsure(selected());
  if (!places.length) return say(t("allGood"));
  const next = places[(places.indexOf(state.square) + 1) % places.length];
  focusSquare(next);
}

function focusSquare(place) {
  state.square = place;
  const square = document.querySelector(`[data-key="square ${place}"]`);
  square?.focus({ preventScroll: false });
}

const plainly = (cell) => h("p", {}, h("b", {}, cellWords(cell)), h("br"), h("span", { class: "hint" }, t("tapWhat")));

function suspicion(kingdom, doubt, choose) {
  const percent = Math.round(100 * doubt.sure);
  const words = { read: cellWords(doubt.read), instead: cellWords(doubt.instead), percent, total: doubt.total };
  const plain = state.game.rules.game !== "kingdomino" || state.game.rules.variants.length > 0 || doubt.total === null;
  return h(
    "div",
    { class: "suspicion" },
    h("p", {}, t(plain ? "looksLikeOne" : "looksLike", words)),
    h(
      "div",
      { class: "buttons" },
      [doubt.read, doubt.instead].map((cell) =>
        button("check", t("itIs", { cell: cellWords(cell) }), () => choose(cell), { class: "soft" }),
      ),
    ),
  );
}

/** Every square of the box: a column for each terrain, a row for each number of crowns; castle and nothing below. */
function palette(cell, doubt, choose) {
  const known = cells();
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
        "aria-label": cellWords(word),
        "aria-pressed": String(word === cell),
        onclick: () => choose(word),
      },
      word === "." ? h("span", { class: "plus", "aria-hidden": "true" }, "∅") : face(word),
    );
    node.style.gridArea = `${row + 1} / ${column + 1}`;
    return node;
  };
  const terrains = places.filter(([, column]) => column >= 0).sort((a, b) => a[1] - b[1] || a[2] - b[2]);
  const node = h("div", { class: "palette" }, [...terrains, ...others].map(option));
  node.style.setProperty("--columns", columns.length);
  return node;
}

/** The square in the photo, with a little of what is around it. */
function closeUp(kingdom, place) {
  const photo = state.photos.get(kingdom.seen?.photo);
  if (!photo || !onGrid(kingdom, place)) return null;
  const [row, col] = placeOf(place);
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

/** What stands on the square besides: a knight, and on a town a building. */
function extras(kingdom, place, cell) {
  if (state.game.rules.game === "kingdomino" || cell === "." || cell === "#") return null;
  const here = kingdom.pieces.knights.includes(place);
  const toggle = (event) => {
    const others = (kingdomOf(kingdom.id) ?? kingdom).pieces.knights.filter((one) => one !== place);
    amendPieces(kingdom.id, { knights: event.target.checked ? [...others, place] : others });
  };
  return h(
    "div",
    { class: "fields" },
    h("label", { class: "check" }, h("input", { type: "checkbox", checked: here, onchange: toggle }), t("knightHere")),
    cell[0] === "t" ? buildingSelect(kingdom, place) : null,
  );
}

function typed(event, cell, choose) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("select, input")) return;
  const key = event.key.toLowerCase();
  const known = cells();
  if (key === "#" || key === ".") choose(key);
  else if (known.includes(key)) choose(key);
  else if (/^[0-3]$/.test(key) && /^[a-z]/.test(cell)) {
    const word = key === "0" ? cell[0] : `${cell[0]}${key}`;
    if (known.includes(word)) choose(word);
  } else return;
  event.preventDefault();
}
