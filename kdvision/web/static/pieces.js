// What lies on and beside a kingdom: coins, towers, knights, buildings, the Queen, and tokens of expansions.

import { isNamed, isOpen, nameAt, piecesOf, UNKNOWN } from "./model.js";
import { CloseUp } from "./photoview.js";
import { currentKingdoms, playedGame, playedVariants, state } from "./store.js";
import { capitalise, t } from "./strings.js";
import { change, setKingdom, setPieces } from "./table.js";
import { Button, Checkbox, html, SelectField, TextInput } from "./ui.js";

const MAX_COUNT = 999;

export function PiecesCard({ kingdom }) {
  if (!playedGame().pieces) return null;
  const built = buildingsOf(kingdom).filter((one) => nameAt(kingdom, one.at));
  const queen = kingdom.facts.queen;
  return html`<section class="card pieces">
    <h3>${t("pieces")}</h3>
    <div class="steppers">
      ${["coins", "towers", "spare_knights"].map((key) => html`<${Stepper} kingdom=${kingdom} name=${key} key=${key} />`)}
    </div>
    <${Checkbox} name=${t("queenHere")} checked=${queen === true} onChange=${(here) => placeQueen(kingdom, here)} />
    ${queen === UNKNOWN && html`<${Button} text=${t("queenNot")} class="soft" onClick=${() => setKingdom(kingdom.id, { facts: { queen: false } })} />`}
    ${built.map((one) => html`<div class="built" key=${one.at}>
      <${CloseUp} kingdom=${kingdom} place=${one.at} small />
      <b>${nameAt(kingdom, one.at)}</b>
      ${isNamed(one) ? ` ${describeBuilding(findBuilding(one) ?? { gives: one.name })} ` : html`<${BuildingSelect} kingdom=${kingdom} place=${one.at} />`}
      <${Button} icon="close" text=${t("remove")} label=${false} class="quiet round" onClick=${() => setBuilding(kingdom, one.at, null)} />
    </div>`)}
    <${NoMore} kingdom=${kingdom} name="buildings" />
    <${NoMore} kingdom=${kingdom} name="knights" />
    <p class="hint">${t("beside")}</p>
  </section>`;
}

/** A button that says there are no more pieces of a kind than listed. */
export const NoMore = ({ kingdom, name, text = t("noMore")[name] }) => isOpen(kingdom, name) && html`<${Button}
  icon="check" text=${text} class="soft" onClick=${() => setPieces(kingdom, name, UNKNOWN, [])}
/>`;

/** Place the Queen in a kingdom, or remove her. Only one kingdom has her at a time. */
function placeQueen(kingdom, here) {
  const others = here ? currentKingdoms().filter((one) => one.id !== kingdom.id && one.facts.queen) : [];
  const set = (id, queen) => ({ op: "set_kingdom", kingdom: id, facts: { queen } });
  change(set(kingdom.id, here), ...others.map((one) => set(one.id, false)));
}

/** A count with buttons for less and more; one that nobody has entered is a "?" beside a 0 to tap. */
function Stepper({ kingdom, name }) {
  const count = kingdom.facts[name] ?? 0;
  const isUnknown = count === UNKNOWN;
  const id = `count-${name}`;
  const set = (value) => setKingdom(kingdom.id, { facts: { [name]: Math.max(0, Math.min(MAX_COUNT, Math.round(value) || 0)) } });
  const step = (label, by, sign) => {
    const change = () => set((isUnknown ? 0 : count) + by);
    return html`<button type="button" class="soft round" aria-label=${t(label, { name: t(name) })} onClick=${change}>${sign}</button>`;
  };
  return html`<div class="stepper">
    <label for=${id}>${t(name)}</label>
    <div>
      ${isUnknown ? step("none", 0, "0") : step("less", -1, "−")}
      <${TextInput}
        id=${id} type="number" min="0" max=${MAX_COUNT} inputmode="numeric" placeholder="?"
        value=${isUnknown ? "" : count} onCommit=${(text) => text && set(Number(text))}
      />
      ${step("more", 1, "+")}
    </div>
  </div>`;
}

// Buildings.

/** The buildings of a kingdom; those that are texts of a place and a name are made objects, too. */
const buildingsOf = (kingdom) => piecesOf(kingdom, "buildings").map((one) => {
  if (typeof one !== "string") return one;
  const [at, ...words] = one.trim().split(" ");
  return { at, name: words.join(" ") };
});

const describeBuilding = ({ name, gives }) => (name ? t("namedGives", { name, gives }) : gives);

const findBuilding = (here) => state.rules.buildings.find(
  ({ name, gives, as }) => [name, gives].includes(here.name) || Object.entries(as).every(([key, value]) => here[key] === value),
);

/** A list to choose the building that stands on a town. */
function BuildingSelect({ kingdom, place }) {
  const { buildings } = state.rules;
  const here = buildingsOf(kingdom).find((one) => one.at === place);
  const now = here && !isNamed(here) ? UNKNOWN : here ? buildings.indexOf(findBuilding(here)) : -1;
  const unread = now === UNKNOWN ? [[UNKNOWN, t("whichBuilding")]] : [];
  const options = [...unread, [-1, t("noBuilding")], ...buildings.map((one, index) => [index, describeBuilding(one)])];
  const choose = (value) => value !== UNKNOWN && setBuilding(kingdom, place, buildings[value] ?? null);
  return html`<${SelectField} name=${t("building")} value=${now} options=${options} onChange=${choose} />`;
}

const setBuilding = (kingdom, place, building) => setPieces(kingdom, "buildings", place, building ? [{ at: place, ...building.as }] : []);

/** The controls for the pieces on a square: knight, building, tokens. Without a tile, those that are there can be removed. */
export function SquarePieces({ kingdom, place, cell }) {
  if ((cell === "." || cell === "#") && !pieceMarks(kingdom)[place]) return null;
  const hasPieces = playedGame().pieces;
  const kinds = tokenKinds();
  if (!hasPieces && !kinds.length) return null;
  const setKnight = (here) => setPieces(kingdom, "knights", place, here ? [place] : []);
  return html`<div class="fields">
    ${hasPieces && html`<${Checkbox} name=${t("knightHere")} checked=${piecesOf(kingdom, "knights").includes(place)} onChange=${setKnight} />`}
    ${hasPieces && cell[0] === "t" && html`<${BuildingSelect} kingdom=${kingdom} place=${place} />`}
    ${kinds.map((kind) => html`<${TokenSelect} kingdom=${kingdom} place=${place} kind=${kind} key=${kind.key} />`)}
  </div>`;
}

// Tokens of expansions: texts of a place and a name.

const tokenKinds = () => playedVariants().flatMap(({ tokens }) => tokens);

/** What stands on the squares of a kingdom: `{ name, symbol }` by place. */
export function pieceMarks(kingdom) {
  const marks = {};
  const add = (place, name, symbol) => (marks[place] ??= []).push({ name, symbol });
  if (playedGame().pieces) {
    for (const { at } of buildingsOf(kingdom)) add(at, t("building"), "⌂");
    for (const place of piecesOf(kingdom, "knights")) add(place, t("knight"), "♞");
  }
  for (const { key, word } of tokenKinds()) {
    for (const token of piecesOf(kingdom, key)) {
      const [place, ...names] = token.split(" ");
      const name = names.join(" ") || word;
      add(place, name, name[0].toUpperCase());
    }
  }
  return marks;
}

/** The choice of a token for a square: a name, or how many where they have none. */
function TokenSelect({ kingdom, place, kind: { key, word, crowns } }) {
  const here = piecesOf(kingdom, key).filter((token) => token.split(" ")[0] === place);
  const set = (now) => setPieces(kingdom, key, place, now);
  const names = Object.keys(crowns).filter(Boolean);
  if (!names.length && !crowns[""]) {
    return html`<${Checkbox} name=${capitalise(word)} checked=${here.length > 0} onChange=${(on) => set(on ? [place] : [])} />`;
  }
  const options = [["", t("noToken")], ...(names.length ? names : [1, 2, 3]).map((one) => [one, one])];
  const value = names.length ? here[0]?.slice(place.length + 1) ?? "" : here.length || "";
  const choose = (chosen) => set(!chosen ? [] : names.length ? [`${place} ${chosen}`] : Array(Number(chosen)).fill(place));
  return html`<${SelectField} name=${capitalise(word)} value=${value} options=${options} onChange=${choose} />`;
}

/** The tokens of a kingdom, counted; they are entered on their squares. */
export function TokensCard({ kingdom }) {
  const kinds = tokenKinds();
  if (!kinds.length) return null;
  return html`<section class="card tokens">
    <h3>${t("tokens")}</h3>
    <p class="hint">${t("tokensHint")}</p>
    ${kinds.map(({ key, word }) => html`<p key=${key}>${capitalise(word)}: <b>${piecesOf(kingdom, key).length}</b>${isOpen(kingdom, key) && ` ${t("maybeMore")}`}</p>
      <${NoMore} kingdom=${kingdom} name=${key} text=${t("noMoreTokens", { word })} />`)}
  </section>`;
}
