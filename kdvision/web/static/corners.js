// The corners of a kingdom in the photo: moved by finger, mouse or keys, then read.

import { readCorners } from "./actions.js";
import { button, h, svg } from "./dom.js";
import { frame } from "./model.js";
import { refresh, state } from "./state.js";
import { t } from "./strings.js";

// Shares of the longer side of the visible part of the photo.
const REACH = 0.075; // radius in which a handle can be grabbed
const RING = 0.022; // radius of the ring that is drawn
const MAGNIFIED = 0.12; // width of what the magnifier shows
const STEP = 0.005; // by one arrow key
const LONG_STEP = 0.03; // with Shift

const ARROWS = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] };

/** Start to move the corners of a kingdom. `kingdom` is null to draw one that was missed; `alone` says that the photo
 * shows no other kingdom. */
export function startDrag(photoId, kingdom, { alone = false } = {}) {
  const { width, height } = state.photos.get(photoId);
  const middle = [
    [0.3, 0.3],
    [0.7, 0.3],
    [0.7, 0.7],
    [0.3, 0.7],
  ].map(([x, y]) => [x * width, y * height]);
  const drag = { photo: photoId, kingdom, corners: kingdom ? outline(kingdom) : middle, size: "", handle: null };
  Object.assign(state, { drag, mode: kingdom ? "corners" : "draw", drawingPhoto: alone ? photoId : null });
  if (!kingdom) state.zoomed = false;
  refresh();
  document.querySelector(".card.photo")?.scrollIntoView({ block: "center" });
  document.querySelector(".handle")?.focus({ preventScroll: true });
}

/** The controls below the photo while corners are moved. */
export function dragBar() {
  const { drag } = state;
  const sizes = ["", ...[3, 4, 5, 6, 7].map((side) => `${side}x${side}`)];
  const cancel = () => {
    Object.assign(state, { mode: "", drawingPhoto: null, drag: null });
    refresh();
  };
  return h(
    "div",
    { class: "toolbar", "data-key": "drag bar" },
    h("p", { class: "hint" }, t("cornersHint")),
    h(
      "select",
      { "aria-label": t("size"), value: drag.size, "data-key": "size", onchange: (event) => (drag.size = event.target.value) },
      sizes.map((size) => h("option", { value: size }, size ? size.replace("x", " × ") : t("sizeAuto"))),
    ),
    button("close", t("cancel"), cancel, { class: "soft" }),
    button("check", t("readHere"), () => readCorners(drag), { class: "primary" }),
  );
}

/** The four corners of a kingdom's frame in the photo, clockwise from the top left. */
export function outline(kingdom) {
  const { squares } = kingdom.seen;
  const { top, left, rows, cols } = frame(kingdom.cells);
  const [first, last] = [
    { row: Math.max(0, top), col: Math.max(0, left) },
    { row: Math.min(top + rows, squares.length) - 1, col: Math.min(left + cols, squares[0].length) - 1 },
  ];
  const corner = (row, col, index) => squares[row][col].slice(2 * index, 2 * index + 2);
  return [
    corner(first.row, first.col, 0),
    corner(first.row, last.col, 1),
    corner(last.row, last.col, 2),
    corner(last.row, first.col, 3),
  ];
}

/** The outline that is drawn and its four handles; `side` is the longer side of the visible part of the photo. */
export function corners(side, photo) {
  const handle = (corner, index) =>
    svg(
      "g",
      {
        class: "handle",
        tabindex: 0,
        role: "button",
        transform: translation(corner),
        "aria-label": t("corners")[index],
        "data-key": `corner ${index}`,
        onpointerdown: (event) => grab(event, index, photo, side),
        onkeydown: (event) => moveByKey(event, index, photo, side),
      },
      svg("circle", { r: side * REACH, class: "reach" }),
      svg("circle", { r: side * RING, class: "ring", "stroke-width": side * 0.007 }),
    );
  return [svg("polygon", { class: "drawn", points: outlinePoints() }), ...state.drag.corners.map(handle)];
}

/** A magnified view of the corner under the finger; hidden while no corner is dragged. */
export function magnifier(photo, side) {
  const { corners, handle } = state.drag;
  const width = side * MAGNIFIED;
  return svg(
    "svg",
    { class: handle === null ? "glass hidden" : "glass", viewBox: magnifiedBox(corners[handle ?? 0], width), "aria-hidden": "true" },
    svg("image", { href: photo.url, width: photo.width, height: photo.height, preserveAspectRatio: "none" }),
    svg("path", { class: "cross", d: crosshair(corners[handle ?? 0], width), "stroke-width": width * 0.02 }),
  );
}

const translation = ([x, y]) => `translate(${x} ${y})`;
const outlinePoints = () => state.drag.corners.flat().join(" ");
const magnifiedBox = ([x, y], width) => `${x - width / 2} ${y - width / 2} ${width} ${width}`;
const crosshair = ([x, y], width) => `M${x - width / 4} ${y}h${width / 2}M${x} ${y - width / 4}v${width / 2}`;

function grab(event, index, photo, side) {
  const { drag } = state;
  const handle = event.currentTarget;
  const area = handle.ownerSVGElement;
  const photoPoint = ({ clientX, clientY }) => new DOMPoint(clientX, clientY).matrixTransform(area.getScreenCTM().inverse());
  const start = photoPoint(event);
  const offset = [drag.corners[index][0] - start.x, drag.corners[index][1] - start.y];
  const stop = new AbortController();
  const move = (next) => {
    if (state.drag !== drag) return; // cancelled with another finger
    const { x, y } = photoPoint(next);
    moveCorner(area, index, [x + offset[0], y + offset[1]], photo, side);
  };
  const release = () => {
    stop.abort();
    drag.handle = null;
    refresh();
  };
  handle.setPointerCapture(event.pointerId);
  handle.addEventListener("pointermove", move, { signal: stop.signal });
  for (const type of ["pointerup", "pointercancel"]) handle.addEventListener(type, release, { signal: stop.signal });
  drag.handle = index;
  refresh();
  event.preventDefault();
}

function moveByKey(event, index, photo, side) {
  const direction = ARROWS[event.key];
  if (!direction) return;
  const step = side * (event.shiftKey ? LONG_STEP : STEP);
  const point = state.drag.corners[index].map((value, axis) => value + step * direction[axis]);
  moveCorner(event.currentTarget.ownerSVGElement, index, point, photo, side);
  event.preventDefault();
}

/** Move a corner, within the photo, and update what is drawn of it without a rebuild of the page. */
function moveCorner(area, index, [x, y], photo, side) {
  const corner = [Math.max(0, Math.min(photo.width, x)), Math.max(0, Math.min(photo.height, y))];
  state.drag.corners[index] = corner;
  area.querySelectorAll(".handle")[index].setAttribute("transform", translation(corner));
  area.querySelector(".drawn").setAttribute("points", outlinePoints());
  const glass = area.parentElement.querySelector(".glass");
  glass.setAttribute("viewBox", magnifiedBox(corner, side * MAGNIFIED));
  glass.querySelector(".cross").setAttribute("d", crosshair(corner, side * MAGNIFIED));
}
