// Corners of a kingdom in the photo, moved by finger, mouse or keys, and read where they were put.

import { readCorners } from "./actions.js";
import { button, h, svg } from "./dom.js";
import { frame } from "./model.js";
import { refresh, state } from "./state.js";
import { t } from "./strings.js";

let drag = null; // { photo, kingdom, corners, size } while corners are moved

/** Begin to move the corners of a kingdom, or to draw those of one that was missed, `mended` null; `alone` on a photo
 * that shows no kingdom. */
export function startDrag(id, mended, { alone = false } = {}) {
  const photo = state.photos.get(id);
  const { width, height } = photo;
  const middle = [
    [0.3, 0.3],
    [0.7, 0.3],
    [0.7, 0.7],
    [0.3, 0.7],
  ].map(([x, y]) => [x * width, y * height]);
  drag = { photo: id, kingdom: mended, corners: mended ? outline(mended) : middle, size: "" };
  Object.assign(state, { mode: mended ? "corners" : "draw", drawn: alone ? id : null });
  if (!mended) state.close = false;
  refresh();
  document.querySelector(".card.photo")?.scrollIntoView({ block: "center" });
  document.querySelector(".handle")?.focus({ preventScroll: true });
}

/** What can be done while corners are moved. */
export function dragBar() {
  const sizes = ["", ...[3, 4, 5, 6, 7].map((side) => `${side}x${side}`)];
  const choose = (event) => (drag.size = event.target.value);
  const stop = () => {
    Object.assign(state, { mode: "", drawn: null });
    refresh();
  };
  return h(
    "div",
    { class: "toolbar" },
    h("p", { class: "hint" }, t("cornersHint")),
    h(
      "select",
      { "aria-label": t("size"), value: drag.size, onchange: choose },
      sizes.map((size) => h("option", { value: size }, size ? size.replace("x", " × ") : t("sizeAuto"))),
    ),
    button("close", t("cancel"), stop, { class: "soft" }),
    button("check", t("readHere"), () => readCorners(drag.photo, drag.kingdom, drag.corners, drag.size), { class: "primary" }),
  );
}

/** The four corners of a kingdom's frame in the photo. */
export function outline(kingdom) {
  const { top, left, rows, cols } = frame(kingdom.cells);
  const last = { row: Math.min(top + rows, kingdom.seen.squares.length) - 1, col: Math.min(left + cols, kingdom.seen.squares[0].length) - 1 };
  const first = { row: Math.max(0, top), col: Math.max(0, left) };
  const corner = (row, col, index) => kingdom.seen.squares[row][col].slice(2 * index, 2 * index + 2);
  return [
    corner(first.row, first.col, 0),
    corner(first.row, last.col, 1),
    corner(last.row, last.col, 2),
    corner(last.row, first.col, 3),
  ];
}

/** The outline and its four handles; while one is moved, a glass shows what lies under the finger. */
export function corners(side, photo) {
  return [svg("polygon", { class: "drawn", points: drag.corners.flat().join(" ") }), ...handles(side, photo)];
}

function handles(side, photo) {
  return drag.corners.map((corner, index) => {
    const node = svg(
      "g",
      { class: "handle", tabindex: 0, role: "button", "aria-label": t("corners")[index], "data-key": `corner ${index}` },
      svg("circle", { r: side * 0.075, class: "reach" }),
      svg("circle", { r: side * 0.022, class: "ring", "stroke-width": side * 0.007 }),
    );
    const place = () => node.setAttribute("transform", `translate(${corner[0]} ${corner[1]})`);
    const move = (x, y) => {
      corner[0] = Math.max(0, Math.min(photo.width, x));
      corner[1] = Math.max(0, Math.min(photo.height, y));
      place();
      node.ownerSVGElement.querySelector(".drawn").setAttribute("points", drag.corners.flat().join(" "));
    };
    place();
    node.addEventListener("pointerdown", (event) => grabbed(event, node, corner, move, photo, side));
    node.addEventListener("keydown", (event) => {
      const steps = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] }[event.key];
      if (!steps) return;
      const step = side * (event.shiftKey ? 0.03 : 0.005);
      move(corner[0] + steps[0] * step, corner[1] + steps[1] * step);
      event.preventDefault();
    });
    return node;
  });
}

function grabbed(event, node, corner, move, photo, side) {
  const area = node.ownerSVGElement;
  const where = ({ clientX, clientY }) => new DOMPoint(clientX, clientY).matrixTransform(area.getScreenCTM().inverse());
  const start = where(event);
  const off = [corner[0] - start.x, corner[1] - start.y];
  const glass = magnifier(photo, side * 0.12);
  area.parentElement.append(glass.node);
  const moved = (next) => {
    const { x, y } = where(next);
    move(x + off[0], y + off[1]);
    glass.show(corner);
  };
  const ended = () => {
    node.removeEventListener("pointermove", moved);
    glass.node.remove();
  };
  node.setPointerCapture(event.pointerId);
  node.addEventListener("pointermove", moved);
  node.addEventListener("pointerup", ended, { once: true });
  node.addEventListener("pointercancel", ended, { once: true });
  glass.show(corner);
  event.preventDefault();
}

function magnifier(photo, width) {
  const node = svg(
    "svg",
    { class: "glass", "aria-hidden": "true" },
    svg("image", { href: photo.url, width: photo.width, height: photo.height, preserveAspectRatio: "none" }),
    svg("path", { class: "cross", "stroke-width": width * 0.02 }),
  );
  const show = ([x, y]) => {
    node.setAttribute("viewBox", `${x - width / 2} ${y - width / 2} ${width} ${width}`);
    node.querySelector("path").setAttribute("d", `M${x - width / 4} ${y}h${width / 2}M${x} ${y - width / 4}v${width / 2}`);
  };
  return { node, show };
}
