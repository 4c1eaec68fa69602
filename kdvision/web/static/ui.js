// Elements that every part of the page uses. Text never becomes markup: components build nodes.

import { Component, h, render } from "./vendor/preact.js";
import { useEffect, useLayoutEffect, useRef, useState } from "./vendor/hooks.js";
import htm from "./vendor/htm.js";
import { countCrowns, getKind } from "./model.js";
import { closeDialog, state, update } from "./store.js";
import { t } from "./strings.js";

export const html = htm.bind(h);
export { render, useEffect, useLayoutEffect, useRef, useState };

/** A component that is drawn again only if a property has changed. */
export function memo(View) {
  return class extends Component {
    shouldComponentUpdate(nextProps) {
      return Object.keys({ ...nextProps, ...this.props }).some((key) => nextProps[key] !== this.props[key]);
    }
    render(props) {
      return h(View, props);
    }
  };
}

/** Draws `instead` if the children cannot be drawn, so that the rest of the page stays; `of` is what they show. */
export class Guard extends Component {
  componentDidCatch(error) {
    console.error("not drawn:", error);
    this.setState({ failed: this.props.of });
  }
  render({ of, instead, children }) {
    return this.state.failed === of ? instead : children;
  }
}

const DRAW_DELAY_MS = 150;

/** A component that is drawn again a moment after the last change of a property: for what may follow the points. */
export function drawLater(View) {
  const MemoView = memo(View);
  return (props) => {
    const [drawnProps, setDrawnProps] = useState(props);
    useEffect(() => {
      const timer = setTimeout(() => setDrawnProps(props), DRAW_DELAY_MS);
      return () => clearTimeout(timer);
    }, Object.values(props));
    return h(MemoView, drawnProps);
  };
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
  screen: "M3 4h18v12H3zM9 20h6M12 16v4",
  board: "M4 4h16v16H4zM4 9.3h16M4 14.6h16M9.3 4v16M14.6 4v16",
};

/** An icon, 24 by 24. It is hidden from screen readers, so the element that contains it needs a name. */
export const Icon = ({ name }) => html`<svg viewBox="0 0 24 24" class="icon" aria-hidden="true">
  <path d=${PATHS[name]} fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round" />
</svg>`;

/** The outline of crowns side by side; each is 24 by 20, and the next one begins 27 further on. */
export const makeCrownsPath = (count) => Array.from({ length: count }, (_, n) => `M${4 + 27 * n} 18l-2.5-13 6 5L${12 + 27 * n} 2l4.5 8 6-5L${20 + 27 * n} 18z`).join("");

/** A number of drawn crowns. */
export const Crowns = ({ count }) => html`<svg viewBox="0 0 ${27 * count - 3} 20" class="crowns" style=${{ "--crowns": 1.1 * count - 0.1 }} aria-hidden="true"><path class="crown" d=${makeCrownsPath(count)} /></svg>`;

/** The letter and the crowns of a cell; the terrain's picture is the background of the element that contains them. */
export function CellFace({ cell }) {
  const count = countCrowns(cell);
  return html`${cell !== "#" && html`<span class="letter" aria-hidden="true">${cell[0]}</span>`}${count ? html`<${Crowns} count=${count} />` : null}`;
}

/** The class of a cell's picture. */
export const choosePictureClass = (cell) => `sq-${getKind(cell)}`;

/** The style of an element in the colour of a player or a gem; base.css has the colours. */
export const makeColourStyle = (name) => ({ "--colour": `var(--${name})` });

/** A button with an icon and a label; if `label` is false, only screen readers get the text. */
export function Button({ icon = null, text, label = true, ...props }) {
  const name = label ? {} : { "aria-label": text, title: text };
  return html`<button type="button" ...${name} ...${props}>${icon && html`<${Icon} name=${icon} />`}${label && html`<span>${text}</span>`}</button>`;
}

/** Details whose content is made only once they have been opened; the child is a function to the content. */
export function Details({ summary, children }) {
  const [isOpen, setOpen] = useState(false);
  return html`<details onToggle=${(event) => setOpen(event.currentTarget.open)}>
    <summary onClick=${() => setOpen(true)}>${summary}</summary>
    ${isOpen && children()}
  </details>`;
}

let fieldCount = 0; // Preact's useId starts again whenever the page is drawn

/** A control with its label above it; the child is a function from the control's id to the control. */
export function Field({ name, children }) {
  const [id] = useState(() => `field-${(fieldCount += 1)}`);
  return html`<div class="field"><label for=${id}>${name}</label>${children(id)}</div>`;
}

export const Checkbox = ({ name, checked, onChange }) => html`<label class="check">
  <input type="checkbox" checked=${checked} onChange=${(event) => onChange(event.target.checked)} />${name}
</label>`;

/** A list of choices, `options` being pairs of value and text. */
export const Select = ({ value, options, onChange, ...props }) => html`<select
  value=${value}
  onChange=${(event) => onChange(event.target.value)}
  ...${props}
>
  ${options.map(([key, text]) => html`<option value=${key} selected=${String(key) === String(value)}>${text}</option>`)}
</select>`;

export const SelectField = ({ name, ...props }) => html`<${Field} name=${name}>${(id) => html`<${Select} id=${id} ...${props} />`}<//>`;

/** A text input that keeps its text while it has the focus, whatever arrives, and commits it with Enter or on leaving. */
export function TextInput({ value, onCommit, ...props }) {
  const [draft, setDraft] = useState(null);
  const commit = (event) => {
    setDraft(null);
    if (draft !== null && draft !== String(value)) onCommit(event.target.value);
  };
  return html`<input
    value=${draft ?? value}
    autocomplete="off"
    dir="auto"
    onFocus=${() => setDraft(String(value))}
    onBlur=${() => setDraft(null)}
    onInput=${(event) => setDraft(event.target.value)}
    onChange=${commit}
    onKeyDown=${(event) => event.key === "Enter" && event.target.blur()}
    ...${props}
  />`;
}

/** An open dialog. It closes by Escape, by its close button and by a tap outside, which the page gets, too. */
export function Dialog({ title, kind = "", children, ...props }) {
  const ref = useRef();
  useLayoutEffect(() => {
    const node = ref.current;
    node.showPopover();
    node.querySelector("[data-focus]")?.focus();
    const close = (event) => event.newState === "closed" && closeDialog();
    node.addEventListener("toggle", close);
    return () => {
      node.removeEventListener("toggle", close);
      node.hidePopover(); // the focus returns to the element that opened it
    };
  }, []);
  return html`<dialog popover ref=${ref} class=${kind} aria-labelledby="dialog-title" ...${props}>
    <div class="dialog-body">
      <div class="dialog-head">
        <h2 id="dialog-title">${title}</h2>
        <${Button} icon="close" text=${t("close")} label=${false} class="quiet round" onClick=${closeDialog} />
      </div>
      ${children}
    </div>
    <${Messages} />
  </dialog>`;
}

/** The toast and the announcements; they are in the open dialog, which would hide them otherwise. */
export function Messages() {
  const { toast, announcement } = state;
  const act = () => (update({ toast: null }), toast.action.run());
  return html`<div id="live" class="sr-only" role="status" aria-live="polite">${announcement}</div>
    ${toast &&
    html`<section class="toast" aria-label=${toast.text}><span>${toast.text}</span>${toast.action && html`<${Button} text=${toast.action.text} onClick=${act} />`}</section>`}`;
}
