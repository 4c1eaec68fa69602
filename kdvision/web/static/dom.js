// Helpers that build the page. Text never becomes markup: everything is inserted as nodes.

const SVG = "http://www.w3.org/2000/svg";

const handlers = new WeakMap(); // node → { event type: function }

const dispatch = (event) => handlers.get(event.currentTarget)[event.type]?.(event);

function listen(node, functions) {
  handlers.set(node, functions);
  for (const type of Object.keys(functions)) node.addEventListener(type, dispatch); // adding it twice has no effect
}

function assign(node, props) {
  const functions = {};
  for (const [key, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on")) functions[key.slice(2)] = value;
    else if (key === "value" && "value" in node) node.value = value;
    else node.setAttribute(key, value === true ? "" : String(value));
  }
  listen(node, functions);
}

function fill(node, children) {
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

/** Create an HTML element: h("p", { class: "note" }, "text", child, …). Properties such as `onclick` are listeners. */
export function h(tag, props = {}, ...children) {
  const node = document.createElement(tag);
  // A select needs its options before it accepts a value.
  fill(node, children);
  assign(node, props);
  return node;
}

/** Create an SVG element. */
export function svg(tag, props = {}, ...children) {
  const node = document.createElementNS(SVG, tag);
  assign(node, props);
  return fill(node, children);
}

const openFolds = new Set(); // data-fold of the details that are open

/** Create a details element. `updateChildren` keeps it open or closed by its key, also while it is not in the page. */
export function fold(key, { head, ...props }, ...children) {
  const summary = h("summary", { "data-key": `fold ${key}` }, head);
  return h("details", { ...props, "data-fold": key }, summary, children);
}

const edited = new WeakSet(); // inputs whose text has not been committed by a change event

document.addEventListener("input", ({ target }) => edited.add(target), { capture: true });
for (const type of ["change", "focusout"]) {
  document.addEventListener(type, ({ target }) => edited.delete(target), { capture: true });
}

/** Make the children of `node` equal to these, and keep the elements that are there already.
 *
 * An element that stays keeps the focus, the pointer that drags it, its open list of choices and a text that is being
 * typed. Elements match by tag, data-key (or id) and first class. If the focused element goes, another with the same
 * data-key takes the focus, or else the board if the element was a square. */
export function updateChildren(node, ...children) {
  const active = document.activeElement;
  const key = node.contains(active) ? active.dataset.key : null;
  // Read the state of the details themselves: their toggle events arrive later.
  for (const one of node.querySelectorAll("details[data-fold]")) openFolds[one.open ? "add" : "delete"](one.dataset.fold);
  const wanted = fill(document.createDocumentFragment(), children);
  for (const one of wanted.querySelectorAll("details[data-fold]")) one.open = openFolds.has(one.dataset.fold);
  patchChildren(node, [...wanted.childNodes]);
  if (!key || active.isConnected) return;
  const next = node.querySelector(`[data-key="${CSS.escape(key)}"]`);
  const square = key.startsWith("square ") ? node.querySelector('.grid [tabindex="0"]') : null;
  (next ?? square)?.focus({ preventScroll: true });
}

const identity = (node) => [node.nodeName, node.dataset?.key || node.dataset?.fold || node.id, node.classList?.[0]].join(" ");

function patchChildren(parent, wanted) {
  const old = [...parent.childNodes];
  const nodes = wanted.map((next) => {
    const index = old.findIndex((node) => identity(node) === identity(next));
    return index < 0 ? next : patch(old.splice(index, 1)[0], next);
  });
  for (const node of old) node.remove(); // before the others are placed, so that none of them has to move
  let place = parent.firstChild;
  for (const node of nodes) {
    if (node === place) place = place.nextSibling;
    else parent.insertBefore(node, place);
  }
}

/** Give an element the attributes, listeners, children and value of another; returns the element. */
function patch(node, next) {
  if (node.nodeType === Node.TEXT_NODE) {
    if (node.data !== next.data) node.data = next.data;
    return node;
  }
  for (const { name } of [...node.attributes]) if (!next.hasAttribute(name)) node.removeAttribute(name);
  for (const { name, value } of next.attributes) {
    if (node.getAttribute(name) === value) continue;
    if (name === "style") node.style.cssText = value; // the content security policy forbids the attribute
    else node.setAttribute(name, value);
  }
  listen(node, handlers.get(next) ?? {});
  patchChildren(node, [...next.childNodes]);
  if (node.matches("input, select, textarea") && node.type !== "file" && !edited.has(node)) {
    if (node.value !== next.value) node.value = next.value;
    if (node.type === "checkbox") node.checked = next.checked;
  }
  return node;
}

let pressed = false;
for (const [type, now] of [["pointerdown", true], ["pointerup", false], ["pointercancel", false]]) {
  document.addEventListener(type, () => (pressed = now), { capture: true });
}

/** Run something after the tap that is in progress: a change of the layout would move its target from under the finger. */
export function runAfterTap(run) {
  const soon = () => setTimeout(run, 40); // milliseconds: the click follows the pointerup
  if (pressed) document.addEventListener("pointerup", soon, { once: true });
  else soon();
}

const PATHS = {
  undo: "M9 14 4 9l5-5M4 9h9a6 6 0 0 1 0 12h-3",
  redo: "M15 14l5-5-5-5M20 9h-9a6 6 0 0 0 0 12h3",
  share: "M12 15V3M8 7l4-4 4 4M5 12v8h14v-8",
  menu: "M4 7h16M4 12h16M4 17h16",
  camera: "M4 8h3l2-3h6l2 3h3v11H4zM12 10a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7z",
  image: "M4 5h16v14H4zM4 16l5-5 4 4 3-3 4 4M15.5 9.2a.6.6 0 1 0 0-.1",
  keyboard: "M3 7h18v10H3zM7 11h.01M11 11h.01M15 11h.01M17 11h.01M8 14h8",
  plus: "M12 5v14M5 12h14",
  check: "M5 13l4 4L19 7",
  close: "M6 6l12 12M18 6 6 18",
  corners: "M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5",
  zoom: "M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM16 16l5 5",
  turn: "M20 12a8 8 0 1 1-3-6.2M17 2v4h-4",
  trash: "M4 7h16M10 4h4M6 7l1 13h10l1-13M10 11v5M14 11v5",
  gem: "M6 4h12l4 6-10 11L2 10zM2 10h20M9 10l3 11 3-11-3-6z",
  phone: "M7 2h10v20H7zM11 18h2",
  edge: "M4 4h16v16H4zM12 8v8M8 12h8",
  help: "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM9.5 9.5a2.5 2.5 0 1 1 3.6 2.2c-.8.4-1.1.9-1.1 1.8M12 17h.01",
};

/** An icon, 24 by 24. It is hidden from screen readers, so the element that contains it needs a name. */
export function icon(name) {
  const path = svg("path", { d: PATHS[name], fill: "none", stroke: "currentColor", "stroke-width": 2 });
  path.setAttribute("stroke-linecap", "round");
  path.setAttribute("stroke-linejoin", "round");
  return svg("svg", { viewBox: "0 0 24 24", class: "icon", "aria-hidden": "true" }, path);
}

/** A number of drawn crowns. */
export function crowns(count) {
  const crown = () =>
    svg(
      "svg",
      { viewBox: "0 0 24 20", class: "crown", "aria-hidden": "true" },
      svg("path", { d: "M4 18 1.5 5l6 5L12 2l4.5 8 6-5L20 18z" }),
    );
  return h("span", { class: "crowns" }, Array.from({ length: count }, crown));
}

/** A button with an icon and a label; if `label` is false, only screen readers get the text. */
export function button(name, text, onclick, { label = true, ...props } = {}) {
  const named = label ? {} : { "aria-label": text, title: text };
  return h("button", { type: "button", onclick, ...named, ...props }, name && icon(name), label && h("span", {}, text));
}

let fields = 0;

/** A control with its label above it. */
export function field(name, control) {
  control.id ||= `field-${(fields += 1)}`;
  return h("div", { class: "field" }, h("label", { for: control.id }, name), control);
}

/** Announce a text to screen readers. */
export function announce(text) {
  moveIntoDialog();
  const region = document.getElementById("live");
  region.textContent = "";
  requestAnimationFrame(() => {
    region.textContent = text;
  });
}

/** Move the live region and the toast into the open dialog, which would hide them otherwise. */
function moveIntoDialog() {
  const host = [...document.querySelectorAll("dialog[open]")].at(-1) ?? document.body;
  for (const id of ["toast", "live"]) {
    const node = document.getElementById(id);
    if (node.parentElement !== host) host.append(node);
  }
}

const TOAST_MS = 6000;
let toastTimer;

/** Show a line at the bottom for some seconds, with at most one button. */
export function showToast(text, action = null) {
  moveIntoDialog();
  const node = document.getElementById("toast");
  clearTimeout(toastTimer);
  const act = action && button(null, action.text, () => (hide(), action.run()));
  const hide = () => node.replaceChildren();
  node.replaceChildren(h("div", { class: "toast" }, h("span", {}, text), act || ""));
  announce(text);
  toastTimer = setTimeout(hide, TOAST_MS);
}

/** Open a dialog. It closes by Escape, by a tap outside and by its close button. */
export function openDialog(title, content, { close, wide = false, onclose = () => {}, kind = "" } = {}) {
  const head = h("h2", { id: "dialog-title" }, title);
  const shut = button("close", close, () => node.close(), { label: false, class: "quiet round" });
  const node = h(
    "dialog",
    { "aria-labelledby": "dialog-title", class: `${wide ? "wide" : ""} ${kind}` },
    h("div", { class: "dialog-body" }, h("header", {}, head, shut), content),
  );
  node.addEventListener("click", (event) => event.target === node && node.close());
  node.addEventListener("close", () => {
    node.removeAttribute("open");
    moveIntoDialog();
    node.remove();
    onclose();
  });
  document.body.append(node);
  node.showModal();
  moveIntoDialog();
  return node;
}
