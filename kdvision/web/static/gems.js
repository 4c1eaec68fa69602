// The Lost Treasures: gems on crossings. The rotation of a gem decides where its crowns and its skull point.

import { findCrossing, formatPlace, isNamed, listPieces, listPlacesAround, nameSquareAt, UNKNOWN } from "./model.js";
import { CloseUp } from "./photoview.js";
import { NoMore } from "./pieces.js";
import { closeDialog, hasGems, listKingdoms, openDialog, state, update } from "./store.js";
import { t } from "./strings.js";
import { setPieces } from "./table.js";
import { Button, Dialog, html, makeColourStyle, useState } from "./ui.js";

export function GemsCard({ kingdom }) {
  if (!hasGems()) return null;
  const isPlacing = state.mode === "gem";
  const toggle = () => update({ mode: isPlacing ? "" : "gem" });
  return html`<section class="card gems">
    <h3>${t("gems")}</h3>
    <${Button} icon="gem" text=${t(isPlacing ? "done" : "placeGem")} class="soft" aria-pressed=${String(isPlacing)} onClick=${toggle} />
    ${isPlacing && html`<p class="hint">${t("gemHint")}</p>`}
    <${NoMore} kingdom=${kingdom} name="gems" />
  </section>`;
}

/** A layer over the board with a button on each gem, and on every crossing while one is being placed. */
export function Crossings({ kingdom, area }) {
  if (!hasGems()) return null;
  const gems = new Map(listPieces(kingdom, "gems").map((gem) => [findCrossing(gem), gem]));
  const targets = [];
  for (let r = 0; r < area.rows - 1; r += 1) {
    for (let c = 0; c < area.cols - 1; c += 1) {
      const place = formatPlace(area.top + r, area.left + c);
      const isFree = state.mode === "gem" && listPlacesAround(place).every((neighbour) => nameSquareAt(kingdom, neighbour));
      const [x, y] = [(c + 1) / area.cols, (r + 1) / area.rows];
      if (gems.has(place) || isFree) targets.push({ place, gem: gems.get(place), x, y });
    }
  }
  return html`<div class="crossings">${targets.map((target) => html`<${Crossing} kingdom=${kingdom} ...${target} key=${target.place} />`)}</div>`;
}

function Crossing({ kingdom, place, gem, x, y }) {
  const [a, b, d, c] = listPlacesAround(place).map((neighbour) => nameSquareAt(kingdom, neighbour));
  const label = gem ? t(isNamed(gem) ? "gemAt" : "gemSeenAt", { kind: gem.kind, a, d }) : t("crossing", { a, b, c: d, d: c });
  return html`<button
    type="button" class="crossing ${gem ? "taken" : ""}" aria-label=${label} style=${{ left: `${100 * x}%`, top: `${100 * y}%` }}
    onClick=${() => openDialog("gem", { kingdom: kingdom.id, place })}
  >
    <span aria-hidden="true">${gem ? (isNamed(gem) ? "◆" : "?") : "+"}</span>
  </button>`;
}

/** A kind of gem to choose, in its colour; a white border would not show. */
export const GemKind = ({ kind, ...props }) => html`<label class="kind" style=${kind !== "white" && makeColourStyle(kind)}><input ...${props} />${t("gemColours")[kind] ?? kind}</label>`;

/** The dialog for the gem on a crossing. Its quarters are shown as they lie and stored as they are printed. */
export function GemDialog({ kingdom, place }) {
  const quarterNames = state.rules.quarters;
  const oldGem = listPieces(kingdom, "gems").find((piece) => findCrossing(piece) === place);
  const places = listPlacesAround(place);
  const [gem, setGem] = useState({ between: `${places[0]} ${places[2]}`, kind: "", crowns: [0, 0, 0, 0], skull: null, turned: 0, ...oldGem });
  const names = places.map((neighbour) => nameSquareAt(kingdom, neighbour));
  const namedGems = listKingdoms().flatMap((roundKingdom) => listPieces(roundKingdom, "gems")).filter(isNamed);
  const chooseKind = (kind) => {
    const joker = kind === state.rules.joker && { crowns: [1, 0, 0, 0], skull: null };
    const printedGem = namedGems.find((namedGem) => namedGem.kind === kind) ?? joker; // all gems of a kind are printed alike
    setGem({ ...gem, kind, ...(printedGem && !(oldGem && isNamed(oldGem)) ? { crowns: printedGem.crowns ?? [0, 0, 0, 0], skull: printedGem.skull ?? null } : {}) });
  };
  const save = (event) => {
    event.preventDefault();
    const { skull, ...gemValues } = gem;
    setPieces(kingdom, "gems", place, [skull ? { ...gemValues, skull } : gemValues]);
    closeDialog();
  };
  const remove = () => (setPieces(kingdom, "gems", place, []), closeDialog());
  const enteredKinds = [...namedGems, gem].map(({ kind }) => kind).filter((kind) => kind && kind !== UNKNOWN);
  const kinds = [...new Set([...Object.keys(t("gemColours")), state.rules.joker, ...enteredKinds])];
  const quarter = (name, index) => {
    const printedIndex = (index - gem.turned + 4) % 4;
    const isSkull = gem.skull === quarterNames[printedIndex];
    const count = gem.crowns[printedIndex];
    const label = t("gemQuarter", { square: name, what: isSkull ? t("skull") : t("crownsN", { n: count }) });
    const next = () => setGem(advanceQuarter(gem, printedIndex, isSkull ? null : quarterNames[printedIndex]));
    const symbol = isSkull ? "☠" : "♛".repeat(count) || "·";
    return html`<button type="button" class="quarter soft q${index}" aria-label=${label} onClick=${next}>${symbol}</button>`;
  };
  return html`<${Dialog} title=${t("gemHead", { a: names[0], d: names[2] })} kind="sheet">
    <form onSubmit=${save}>
      <${CloseUp} kingdom=${kingdom} place=${place} crossing />
      <fieldset>
        <legend>${t("gemKind")}</legend>
        <div class="kinds">
          ${kinds.map((kind) => html`<${GemKind} kind=${kind} type="radio" name="kind" required checked=${gem.kind === kind} onChange=${() => chooseKind(kind)} />`)}
        </div>
      </fieldset>
      <p class="hint">${t("gemQuarters")}</p>
      <div class="quarters">${names.map(quarter)}</div>
      <div class="buttons">
        <${Button} icon="turn" text=${t("turnGem")} class="soft" onClick=${() => setGem({ ...gem, turned: (gem.turned + 1) % 4 })} />
        ${oldGem && html`<${Button} icon="trash" text=${t("remove")} class="soft" onClick=${remove} />`}
        <button type="submit" class="primary">${t("saveGem")}</button>
      </div>
    </form>
  <//>`;
}

/** The gem with the next state of a quarter: 0, 1, 2, 3 crowns, skull, 0 …; `skull` is null if the skull is there. */
function advanceQuarter(gem, printedIndex, skull) {
  if (!skull) return { ...gem, skull: null };
  const count = gem.crowns[printedIndex];
  const crowns = gem.crowns.map((crownCount, index) => (index === printedIndex ? (crownCount + 1) % 4 : crownCount));
  return { ...gem, crowns, ...(count === 3 ? { skull } : {}) };
}
