// The photo with the reading drawn over it: squares to tap, corners to drag.

import { corners, dragBar, magnifier, outline, startDrag } from "./corners.js";
import { territoriesOf } from "./board.js";
import { button, h, svg } from "./dom.js";
import { placeAt, parsePlace } from "./model.js";
import { editSquare } from "./sheet.js";
import { shortTotal } from "./standing.js";
import { refresh, scoreOf, currentKingdoms, state } from "./state.js";
import { t } from "./strings.js";

/** The card with the photo of the selected kingdom; null if it has none. */
export function photoView(kingdom) {
  if (!kingdom?.seen) return null;
  const photo = state.photos.get(kingdom.seen.photo);
  if (!photo) return h("section", { class: "card photo" }, h("p", { class: "hint" }, t("photoGone")));
  const dragging = !state.drawingPhoto && (state.mode === "corners" || state.mode === "draw");
  const kingdoms = currentKingdoms().filter((one) => one.seen?.photo === kingdom.seen.photo);
  return h(
    "section",
    { class: "card photo", "aria-label": t("photo") },
    pictureView(photo, kingdoms, kingdom, dragging),
    dragging ? dragBar() : toolBar(kingdom),
  );
}

/** The card with a photo in which no kingdom was found, to draw one on it. */
export function drawingView() {
  const photo = state.photos.get(state.drawingPhoto);
  if (!photo || state.mode !== "draw") return null;
  return h("section", { class: "card photo", "aria-label": t("photo") }, pictureView(photo, [], null, true), dragBar());
}

function toolBar(kingdom) {
  const zoom = () => ((state.zoomed = !state.zoomed), refresh());
  return h(
    "div",
    { class: "toolbar" },
    button("zoom", state.zoomed ? t("wholePhoto") : t("closeUp"), zoom, { class: "quiet", "data-key": "zoom" }),
    button("corners", t("moveCorners"), () => startDrag(kingdom.seen.photo, kingdom), { class: "quiet", "data-key": "move" }),
    button("plus", t("drawKingdom"), () => startDrag(kingdom.seen.photo, null), { class: "quiet", "data-key": "draw" }),
  );
}

const points = (quad) => quad.map((value) => Math.round(value)).join(" ");

/** The corners of a place in the photo: x and y, eight numbers; undefined outside the grid. */
const quadAt = (kingdom, place) => {
  const [row, col] = parsePlace(place);
  return kingdom.seen.squares[row]?.[col];
};

function viewBox(photo, kingdom, zoomed) {
  if (!zoomed) return [0, 0, photo.width, photo.height];
  const four = outline(kingdom);
  const [xs, ys] = [0, 1].map((axis) => four.map((corner) => corner[axis]));
  const margin = 0.16 * Math.max(Math.max(...xs) - Math.min(...xs), Math.max(...ys) - Math.min(...ys));
  const [left, top] = [Math.max(0, Math.min(...xs) - margin), Math.max(0, Math.min(...ys) - 1.4 * margin)];
  return [left, top, Math.min(photo.width, Math.max(...xs) + margin) - left, Math.min(photo.height, Math.max(...ys) + margin) - top];
}

function pictureView(photo, kingdoms, selected, dragging) {
  const image = () => svg("image", { href: photo.url, width: photo.width, height: photo.height, preserveAspectRatio: "none" });
  const zoomed = state.zoomed && state.mode !== "draw";
  const view = viewBox(photo, selected, zoomed);
  const side = Math.max(view[2], view[3]);
  const drawn = dragging
    ? corners(side, photo)
    : kingdoms.map((kingdom) => kingdomOverlay(kingdom, kingdom.id === selected.id));
  const node = svg(
    "svg",
    { class: `picture ${dragging ? "dragging" : ""}`, viewBox: view.join(" "), role: "group", "aria-label": t("photoOf") },
    image(),
    drawn,
  );
  return h("div", { class: "picture-frame" }, node, dragging ? magnifier(photo, side) : null);
}

function kingdomOverlay(kingdom, active) {
  const territories = territoriesOf(kingdom);
  const doubts = new Set(kingdom.seen.doubts.map((doubt) => doubt.at));
  const places = [...new Set([...Object.keys(kingdom.cells), ...doubts])].filter((place) => quadAt(kingdom, place));
  const squares = places.map((place) => squareOverlay(kingdom, place, territories, doubts.has(place), active));
  const edges = places.flatMap((place) => borderLines(kingdom, place, territories));
  return svg("g", { class: active ? "kingdom active" : "kingdom" }, squares, edges, playerLabel(kingdom));
}

function squareOverlay(kingdom, place, territories, unsure, active) {
  const quad = quadAt(kingdom, place);
  const cell = kingdom.cells[place] ?? ".";
  const [x, y] = centreOf(quad);
  const size = sideLength(quad);
  const tap = () => {
    state.square = place;
    if (active) editSquare(kingdom, place);
    else {
      state.selected = kingdom.id;
      refresh();
    }
  };
  const kind = cell === "#" ? "castle" : cell === "." || cell === "?" ? "none" : cell[0];
  return svg(
    "g",
    { class: `tap ${unsure ? "unsure" : ""}`, "data-place": place, onclick: tap },
    svg("polygon", { points: points(quad), class: `tint tint-${kind}` }),
    unsure && svg("polygon", { points: points(shrink(quad, 0.86)), class: "warn", "stroke-width": size * 0.06 }),
    (cell !== "#" || unsure) && cellLabel(x, y, size, `${cell === "." ? "" : cell}${unsure ? "?" : ""}`, unsure),
  );
}

function cellLabel(x, y, size, text, unsure) {
  if (!text) return null;
  const width = size * (0.2 + 0.17 * text.length);
  return svg(
    "g",
    { class: unsure ? "tag unsure" : "tag" },
    svg("rect", { x: x - size * 0.44, y: y - size * 0.44, width, height: size * 0.32, rx: size * 0.08 }),
    svg("text", { x: x - size * 0.44 + width / 2, y: y - size * 0.2, "font-size": size * 0.26, "text-anchor": "middle" }, text),
  );
}

/** Lines on the sides of a square at which its territory ends. */
function borderLines(kingdom, place, territories) {
  const own = territories.get(place);
  if (own === undefined) return [];
  const [row, col] = parsePlace(place);
  const near = [
    [row - 1, col],
    [row, col + 1],
    [row + 1, col],
    [row, col - 1],
  ];
  const quad = shrink(quadAt(kingdom, place), 0.96);
  const size = sideLength(quad);
  const kind = kingdom.cells[place]?.[0];
  return near.flatMap(([r, c], side) => {
    if (territories.get(placeAt(r, c)) === own) return [];
    const from = quad.slice(2 * side, 2 * side + 2);
    const to = quad.slice((2 * side + 2) % 8, ((2 * side + 2) % 8) + 2);
    const line = { x1: from[0], y1: from[1], x2: to[0], y2: to[1] };
    return [
      svg("line", { ...line, class: "edge under", "stroke-width": size * 0.075 }),
      svg("line", { ...line, class: `edge edge-${kind}`, "stroke-width": size * 0.04 }),
    ];
  });
}

/** The player and the points, above the kingdom. */
function playerLabel(kingdom) {
  const score = scoreOf(kingdom);
  const four = outline(kingdom);
  const x = four.reduce((sum, corner) => sum + corner[0], 0) / 4;
  const y = Math.min(...four.map((corner) => corner[1]));
  const size = sideLength(kingdom.seen.squares[0][0]) * 0.42;
  const name = kingdom.player.length > 16 ? `${kingdom.player.slice(0, 15)}…` : kingdom.player;
  const text = `${name}${score ? `: ${shortTotal(kingdom)}` : ""}`;
  const width = size * (1.9 + 0.62 * text.length);
  const top = Math.max(size * 0.1, y - size * 1.7);
  return svg(
    "g",
    { class: `plaque castle-${kingdom.colour}` },
    svg("rect", { x: x - width / 2, y: top, width, height: size * 1.45, rx: size * 0.4 }),
    svg("circle", { cx: x - width / 2 + size * 0.8, cy: top + size * 0.72, r: size * 0.32 }),
    svg("text", { x: x + size * 0.45, y: top + size * 1.06, "font-size": size, "text-anchor": "middle" }, text),
  );
}

function centreOf(quad) {
  const mean = (values) => values.reduce((sum, value) => sum + value, 0) / 4;
  return [mean(quad.filter((_, index) => index % 2 === 0)), mean(quad.filter((_, index) => index % 2 === 1))];
}

function shrink(quad, share) {
  const centre = centreOf(quad);
  return quad.map((value, index) => centre[index % 2] + share * (value - centre[index % 2]));
}

/** The side of a square in pixels: the root of its area. */
function sideLength(quad) {
  let area = 0;
  for (let i = 0; i < 8; i += 2) area += quad[i] * quad[(i + 3) % 8] - quad[(i + 2) % 8] * quad[i + 1];
  return Math.sqrt(Math.abs(area) / 2);
}
