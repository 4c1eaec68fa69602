// The corners of a kingdom in the photo: moved by finger, mouse or keys, then read.

import { traceOutline } from "./model.js";
import { Photo, Picture } from "./photoview.js";
import { readCorners, releasePhotos } from "./photos.js";
import { findKingdom, state, update } from "./store.js";
import { t } from "./strings.js";
import { Button, html, Select, useLayoutEffect, useRef, useState } from "./ui.js";

// Pixels of the screen.
const REACH = 28; // radius in which a handle can be grabbed
const RING = 9; // radius of the ring that is drawn
const GLASS = 44; // width of what the magnifier shows
const STEP = 2; // by one arrow key
const LONG_STEP = 12; // with Shift

const ARROWS = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] };
const SIZES = [3, 4, 5, 6, 7].map((side) => [`${side}x${side}`, `${side} × ${side}`]);

/** Start to move the corners of a kingdom, or, without one, to draw a kingdom that was missed. They belong to the round
 * that is shown now: somebody may start another game meanwhile. */
export function startCorners(photo, kingdom = null) {
  update({ corners: { photo, kingdom, table: state.table.table, game: state.game.number, round: state.round }, mode: "" });
}

function stopCorners() {
  update({ corners: null });
  releasePhotos();
}

/** The card in which corners are moved. It stays the same while scores and photos arrive. */
export function CornerEditor({ photo, kingdom }) {
  const card = useRef();
  const [corners, setCorners] = useState(() => placeCorners(photo, findKingdom(kingdom)));
  const [size, setSize] = useState("");
  const [activeCorner, setActiveCorner] = useState(null); // the corner under the finger
  useLayoutEffect(() => {
    card.current.scrollIntoView({ block: "center" });
    const escape = (event) => event.key === "Escape" && !state.dialog && stopCorners();
    addEventListener("keydown", escape);
    return () => removeEventListener("keydown", escape);
  }, []);
  const move = (index, [x, y]) => {
    const corner = [Math.max(0, Math.min(photo.width, x)), Math.max(0, Math.min(photo.height, y))];
    setCorners((currentCorners) => currentCorners.map((otherCorner, number) => (number === index ? corner : otherCorner)));
  };
  const read = () => {
    const points = corners.map(([x, y]) => `${Math.round(x)},${Math.round(y)}`).join(" ");
    readCorners(state.corners, `${size ? `${size}: ` : ""}${points}`);
  };
  const renderOutline = (unit) => html`
    <polygon class="drawn" points=${corners.flat().join(" ")} />
    ${corners.map((corner, index) => html`<${Handle} key=${index} corner=${corner} index=${index} unit=${unit} onMove=${move} onHold=${setActiveCorner} />`)}
  `;
  return html`<section class="card photo" aria-label=${t("photo")} ref=${card}>
    <${Picture} photo=${photo} view=${[0, 0, photo.width, photo.height]} label=${t("photoOf")}>
      ${(unit) => [renderOutline(unit), html`<${Glass} photo=${photo} corner=${corners[activeCorner]} unit=${unit} />`]}
    <//>
    <p class="hint">${t("cornersHint")}</p>
    <div class="toolbar">
      <${Select} value=${size} options=${[["", t("sizeAuto")], ...SIZES]} onChange=${setSize} aria-label=${t("size")} />
      <${Button} icon="close" text=${t("cancel")} class="soft" onClick=${stopCorners} />
      <${Button} icon="check" text=${t("readHere")} class="primary" onClick=${read} disabled=${Boolean(state.progress)} />
    </div>
  </section>`;
}

function placeCorners({ width, height }, kingdom) {
  if (kingdom?.seen) return traceOutline(kingdom);
  return [[0.3, 0.3], [0.7, 0.3], [0.7, 0.7], [0.3, 0.7]].map(([x, y]) => [x * width, y * height]);
}

/** Keep a finger on a handle from scrolling the page, which would end the drag: touch-action is not for parts of an SVG. */
const keepPageStill = (event) => event.preventDefault();

function Handle({ corner, index, unit, onMove, onHold }) {
  const ref = useRef();
  const offset = useRef(null); // from the pointer to the corner, while it is dragged
  useLayoutEffect(() => void (index === 0 && ref.current.focus({ preventScroll: true })), []);
  const pointIn = ({ currentTarget, clientX, clientY }) =>
    new DOMPoint(clientX, clientY).matrixTransform(currentTarget.ownerSVGElement.getScreenCTM().inverse());
  const grab = (event) => {
    const { x, y } = pointIn(event);
    offset.current = [corner[0] - x, corner[1] - y];
    event.currentTarget.setPointerCapture(event.pointerId);
    event.currentTarget.focus({ preventScroll: true });
    event.preventDefault();
    onHold(index);
  };
  const drag = (event) => {
    if (!offset.current) return;
    const { x, y } = pointIn(event);
    onMove(index, [x + offset.current[0], y + offset.current[1]]);
  };
  const drop = () => ((offset.current = null), onHold(null));
  const moveByKey = (event) => {
    const direction = ARROWS[event.key];
    if (!direction) return;
    const step = unit * (event.shiftKey ? LONG_STEP : STEP);
    onMove(index, corner.map((value, axis) => value + step * direction[axis]));
    event.preventDefault();
  };
  return html`<g
    ref=${ref} class="handle" tabindex="0" role="button" aria-label=${t("corners")[index]} transform="translate(${corner[0]} ${corner[1]})"
    onTouchStart=${keepPageStill} onPointerDown=${grab} onPointerMove=${drag} onPointerUp=${drop} onPointerCancel=${drop} onKeyDown=${moveByKey}
  >
    <circle r=${REACH * unit} class="reach" />
    <circle r=${RING * unit} class="ring" />
  </g>`;
}

/** A magnified view of the corner under the finger. */
function Glass({ photo, corner, unit }) {
  if (!corner) return null;
  const [x, y] = corner;
  const width = GLASS * unit;
  const isNear = x < 140 * unit && y < 140 * unit; // then the glass would cover the corner
  const place = { x: isNear ? photo.width - 124 * unit : 8 * unit, y: 8 * unit, width: 116 * unit, height: 116 * unit };
  return html`<svg class="glass" ...${place} viewBox="${x - width / 2} ${y - width / 2} ${width} ${width}" aria-hidden="true">
    <${Photo} photo=${photo} />
    <path class="cross" d="M${x - width / 4} ${y}h${width / 2}M${x} ${y - width / 4}v${width / 2}" />
    <rect class="rim" x=${x - width / 2} y=${y - width / 2} width=${width} height=${width} />
  </svg>`;
}
