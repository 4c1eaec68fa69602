// The photo with the reading drawn over it: squares to tap, sized by the screen.

import { findTerritoryEnds, listTerritories } from "./board.js";
import { startCorners } from "./corners.js";
import { computeQuad, countCrowns, formatShortTotal, traceOutline } from "./model.js";
import { listKingdoms, listOpenQuestions, openDialog, selectKingdom, state, update } from "./store.js";
import { t } from "./strings.js";
import { Button, choosePictureClass, drawLater, html, makeColourStyle, makeCrownsPath, memo, useLayoutEffect, useRef, useState } from "./ui.js";

// Pixels of the screen.
const LABEL = 15; // height of the label of a square
const MIN_SQUARE = 20; // smaller squares have no label
const PLAQUE = 15; // size of the letters of a name

/** The card with the photo of a kingdom; nothing if it was entered by hand. */
export function PhotoCard({ kingdom }) {
  if (!kingdom.seen?.photo || state.corners?.photo === kingdom.seen.photo) return null;
  const photo = state.photos.get(kingdom.seen.photo);
  if (!photo) return html`<section class="card photo"><p class="hint">${t("photoGone")}</p></section>`;
  const kingdoms = listKingdoms().filter((roundKingdom) => roundKingdom.seen?.photo === kingdom.seen.photo);
  const questions = listOpenQuestions();
  const view = state.zoomed ? computeBox(photo, kingdom) : [0, 0, photo.width, photo.height];
  const tap = (event) => {
    const { place, id } = event.target.closest("[data-place]")?.dataset ?? {};
    if (!place) return;
    if (id === kingdom.id) openDialog("square", { kingdom: id, place });
    else selectKingdom(id);
  };
  return html`<section class="card photo" aria-label=${t("photo")}>
    <${Picture} photo=${photo} view=${view} label=${t("photoOf")} onClick=${tap}>
      ${(unit) => kingdoms.map((photoKingdom) => html`<${KingdomOverlay} key=${photoKingdom.id} kingdom=${photoKingdom} entry=${state.points.get(photoKingdom.id)}
        unit=${unit} viewBox=${view.join(" ")} asked=${questions.filter((question) => question.kingdom === photoKingdom.id).map(({ at }) => at).join(" ")}
        isActive=${photoKingdom.id === kingdom.id} isWhole=${!state.zoomed} places=${state.highlight?.id === photoKingdom.id ? state.highlight.places : null} />`)}
    <//>
    <div class="toolbar">
      <${Button} icon="zoom" text=${t(state.zoomed ? "wholePhoto" : "closeUp")} class="quiet" onClick=${() => update({ zoomed: !state.zoomed })} />
      <${Button} icon="corners" text=${t("moveCorners")} class="quiet" onClick=${() => startCorners(photo.id, kingdom.id)} />
      <${Button} icon="plus" text=${t("drawKingdom")} class="quiet" onClick=${() => startCorners(photo.id)} />
    </div>
  </section>`;
}

/** A photo, and what is drawn over it: a function of how many of its pixels are one pixel of the screen. */
export function Picture({ photo, view, label, children, ...props }) {
  const ref = useRef();
  const [unit, setUnit] = useState(0);
  useLayoutEffect(() => {
    const measure = () => {
      const { width, height } = ref.current.getBoundingClientRect();
      if (width) setUnit(Math.max(view[2] / width, view[3] / height));
    };
    const observer = new ResizeObserver(measure);
    observer.observe(ref.current);
    measure();
    return () => observer.disconnect();
  }, [view.join(" ")]);
  return html`<div class="picture-frame">
    <svg ref=${ref} class="picture" viewBox=${view.join(" ")} role="group" aria-label=${label} ...${props}>
      <${Photo} photo=${photo} />
      ${unit ? children?.(unit) : null}
    </svg>
  </div>`;
}

export const Photo = memo(({ photo }) => html`<image href=${photo.url} width=${photo.width} height=${photo.height} preserveAspectRatio="none" />`);

/** The part of a photo around a kingdom. */
function computeBox(photo, kingdom) {
  const [left, top, right, bottom] = computeBounds(traceOutline(kingdom).flat());
  const margin = 0.16 * Math.max(right - left, bottom - top);
  const [x, y] = [Math.max(0, left - margin), Math.max(0, top - 1.4 * margin)];
  return [x, y, Math.min(photo.width, right + margin) - x, Math.min(photo.height, bottom + margin) - y];
}

/** The reading of one kingdom: its squares as far as they are in view, with the lines around its territories. `asked`
 * are the places of its open questions. */
const KingdomOverlay = drawLater(({ kingdom, entry, unit, viewBox, asked, isActive, isWhole, places: shown }) => {
  const doubts = new Set(asked.split(" ").filter(Boolean));
  const [left, top, width, height] = viewBox.split(" ").map(Number);
  const isInView = (quad) => {
    const [x0, y0, x1, y1] = computeBounds(quad);
    return x1 > left && x0 < left + width && y1 > top && y0 < top + height;
  };
  const quads = [...new Set([...Object.keys(kingdom.cells), ...doubts])].map((place) => [place, computeQuad(kingdom, place)]);
  const squares = quads.filter(([, quad]) => quad && isInView(quad));
  const unsure = squares.filter(([place]) => doubts.has(place));
  const isDim = (place) => shown && !shown.has(place);
  return html`<g class=${isActive ? "kingdom active" : "kingdom"}>
    ${squares.map(([place, quad]) => html`<polygon
      key=${place} class="tap tint ${choosePictureClass(kingdom.cells[place] ?? ".")} ${isDim(place) ? "dim" : ""}" points=${quad.join(" ")} data-place=${place} data-id=${kingdom.id}
    />`)}
    <${Borders} kingdom=${kingdom} squares=${squares} territories=${listTerritories(entry)} />
    ${unsure.map(([place, quad]) => html`<polygon key=${place} class="warn" points=${shrink(quad, 0.86).join(" ")} />`)}
    ${squares.map(([place, quad]) => html`<${CellLabel} key=${place} quad=${quad} cell=${kingdom.cells[place] ?? "."} isUnsure=${doubts.has(place)} unit=${unit} />`)}
    ${(isActive || isWhole) && html`<${Plaque} kingdom=${kingdom} score=${entry?.score} unit=${unit} />`}
  </g>`;
});

/** The picture of the terrain and the crowns of a square, near its middle; a question mark where it is uncertain. */
const CellLabel = memo(({ quad, cell, isUnsure, unit }) => {
  const side = computeSideLength(quad);
  if (side < MIN_SQUARE * unit) return null;
  const size = Math.min(LABEL * unit, 0.36 * side);
  const count = countCrowns(cell);
  const isTile = /^[a-z]/.test(cell);
  if (!isTile && !isUnsure) return null;
  const width = size * ((isTile ? 1 : 0) + 0.85 * count + (isUnsure ? 0.7 : 0));
  const [x, y] = computeCentre(quad);
  const [left, top] = [x - width / 2, y - size * 0.5 - 0.18 * side];
  return html`<g class="cell-label ${isUnsure ? "unsure" : ""}">
    <rect x=${left - 0.1 * size} y=${top - 0.1 * size} width=${width + 0.2 * size} height=${1.2 * size} rx=${0.25 * size} />
    ${isTile && html`<image href="/tiles/${cell[0]}.png" x=${left} y=${top} width=${size} height=${size} />`}
    ${count > 0 && html`<path class="crown" d=${makeCrownsPath(count)} transform="translate(${left + size * 1.06} ${top + size * 0.18}) scale(${size / 32})" />`}
    ${isUnsure && html`<text x=${left + width - 0.32 * size} y=${top + 0.86 * size} font-size=${size} text-anchor="middle">?</text>`}
  </g>`;
});

/** Lines on the sides of squares at which their territories end: one path for each terrain, and a dark one under them. */
function Borders({ kingdom, squares, territories }) {
  const paths = new Map();
  for (const [place, outerQuad] of squares.filter(([at]) => territories.has(at))) {
    const quad = shrink(outerQuad, 0.96);
    const corner = (number) => `${quad[(2 * number) % 8]} ${quad[(2 * number + 1) % 8]}`;
    const sides = findTerritoryEnds(place, territories).map((side) => `M${corner(side)}L${corner(side + 1)}`);
    const terrain = choosePictureClass(kingdom.cells[place] ?? ".");
    paths.set(terrain, (paths.get(terrain) ?? "") + sides.join(""));
  }
  return html`<path class="edge under" d=${[...paths.values()].join("")} />
    ${[...paths].map(([terrain, path]) => html`<path class="edge ${terrain}" d=${path} key=${terrain} />`)}`;
}

/** The player and the points, above the kingdom. */
function Plaque({ kingdom, score, unit }) {
  const corners = traceOutline(kingdom).flat();
  const [x] = computeCentre(corners);
  const size = PLAQUE * unit;
  const name = kingdom.player.length > 16 ? `${kingdom.player.slice(0, 15)}…` : kingdom.player;
  // The isolates keep a name that is written from right to left apart from the points.
  const text = `\u2068${name}\u2069${score ? `\u00a0 ${formatShortTotal(score)}` : ""}`;
  const width = size * (2 + 0.62 * text.length);
  const top = Math.max(0.2 * size, computeBounds(corners)[1] - 1.7 * size);
  return html`<g class="plaque" style=${makeColourStyle(kingdom.colour)}>
    <rect x=${x - width / 2} y=${top} width=${width} height=${1.45 * size} rx=${0.4 * size} />
    <circle cx=${x - width / 2 + 0.8 * size} cy=${top + 0.72 * size} r=${0.32 * size} />
    <text x=${x + 0.45 * size} y=${top + 1.06 * size} font-size=${size} text-anchor="middle">${text}</text>
  </g>`;
}

/** A square of the photo with a margin, or the crossing at its lower right corner. */
export function CloseUp({ kingdom, place, crossing = false, small = false }) {
  const photo = state.photos.get(kingdom.seen?.photo);
  const quad = photo && computeQuad(kingdom, place);
  if (!quad) return null;
  const [left, top, right, bottom] = computeBounds(quad);
  const side = Math.max(right - left, bottom - top) * 1.35;
  const [x, y] = crossing ? quad.slice(4, 6) : [(left + right) / 2, (top + bottom) / 2];
  const view = `${x - side / 2} ${y - side / 2} ${side} ${side}`;
  return html`<svg class="close-up ${small ? "small" : ""}" viewBox=${view} role="img" aria-label=${t("photo")}>
    <${Photo} photo=${photo} />
    ${crossing ? html`<circle class="frame" cx=${x} cy=${y} r=${side / 5} />` : html`<polygon class="frame" points=${quad.join(" ")} />`}
  </svg>`;
}

const splitAxes = (quad) => [0, 1].map((axis) => quad.filter((_, index) => index % 2 === axis));

/** Left, top, right and bottom of a quad. */
const computeBounds = (quad) => [Math.min, Math.max].flatMap((most) => splitAxes(quad).map((values) => most(...values)));

const computeCentre = (quad) => splitAxes(quad).map((values) => values.reduce((sum, value) => sum + value, 0) / 4);

function shrink(quad, share) {
  const centre = computeCentre(quad);
  return quad.map((value, index) => centre[index % 2] + share * (value - centre[index % 2]));
}

/** The side of a square in pixels: the root of its area. */
function computeSideLength(quad) {
  let area = 0;
  for (let i = 0; i < 8; i += 2) area += quad[i] * quad[(i + 3) % 8] - quad[(i + 2) % 8] * quad[i + 1];
  return Math.sqrt(Math.abs(area) / 2);
}
