// What lies on and beside a kingdom: coins, towers, knights, buildings, the Queen, and tokens of expansions.

import { isNamed, isOpen, listPieces, nameSquareAt, UNKNOWN } from "./model.js";
import { CloseUp } from "./photoview.js";
import { getPlayedGame, listKingdoms, listPlayedVariants, state } from "./store.js";
import { capitalise, t } from "./strings.js";
import { change, setKingdom, setPieces } from "./table.js";
import { Button, Checkbox, html, SelectField, TextInput } from "./ui.js";

const MAX_COUNT = 999;

export function PiecesCard({ kingdom }) {
  if (!getPlayedGame().pieces) return null;
  const buildings = listBuildings(kingdom).filter((building) => nameSquareAt(kingdom, building.at));
  const queen = kingdom.facts.queen;
  return html`<section class="card pieces">
    <h3>${t("pieces")}</h3>
    <div class="steppers">
      ${["coins", "towers", "spare_knights"].map((key) => html`<${Stepper} kingdom=${kingdom} name=${key} key=${key} />`)}
    </div>
    <${Checkbox} name=${t("queenHere")} checked=${queen === true} onChange=${(isHere) => placeQueen(kingdom, isHere)} />
    ${queen === UNKNOWN && html`<${Button} text=${t("queenNot")} class="soft" onClick=${() => setKingdom(kingdom.id, { facts: { queen: false } })} />`}
    ${buildings.map((building) => html`<div class="built" key=${building.at}>
      <${CloseUp} kingdom=${kingdom} place=${building.at} small />
      <b>${nameSquareAt(kingdom, building.at)}</b>
      ${isNamed(building) ? ` ${describeBuilding(findBuilding(building) ?? { gives: building.name })} ` : html`<${BuildingSelect} kingdom=${kingdom} place=${building.at} />`}
      <${Button} icon="close" text=${t("remove")} label=${false} class="quiet round" onClick=${() => setBuilding(kingdom, building.at, null)} />
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
function placeQueen(kingdom, isHere) {
  const otherKingdoms = isHere ? listKingdoms().filter((otherKingdom) => otherKingdom.id !== kingdom.id && otherKingdom.facts.queen) : [];
  const set = (id, queen) => ({ op: "set_kingdom", kingdom: id, facts: { queen } });
  change(set(kingdom.id, isHere), ...otherKingdoms.map((otherKingdom) => set(otherKingdom.id, false)));
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

/** The buildings of a kingdom; texts of a place and a name become objects. */
const listBuildings = (kingdom) => listPieces(kingdom, "buildings").map((building) => {
  if (typeof building !== "string") return building;
  const [at, ...words] = building.trim().split(" ");
  return { at, name: words.join(" ") };
});

const describeBuilding = ({ name, gives }) => (name ? t("namedGives", { name, gives }) : gives);

const findBuilding = (building) => state.rules.buildings.find(
  ({ name, gives, as }) => [name, gives].includes(building.name) || Object.entries(as).every(([key, value]) => building[key] === value),
);

/** A list to choose the building that stands on a town. */
function BuildingSelect({ kingdom, place }) {
  const { buildings } = state.rules;
  const building = listBuildings(kingdom).find((entry) => entry.at === place);
  const selection = building && !isNamed(building) ? UNKNOWN : building ? buildings.indexOf(findBuilding(building)) : -1;
  const unknownOptions = selection === UNKNOWN ? [[UNKNOWN, t("whichBuilding")]] : [];
  const options = [...unknownOptions, [-1, t("noBuilding")], ...buildings.map((listedBuilding, index) => [index, describeBuilding(listedBuilding)])];
  const choose = (value) => value !== UNKNOWN && setBuilding(kingdom, place, buildings[value] ?? null);
  return html`<${SelectField} name=${t("building")} value=${selection} options=${options} onChange=${choose} />`;
}

const setBuilding = (kingdom, place, building) => setPieces(kingdom, "buildings", place, building ? [{ at: place, ...building.as }] : []);

/** The controls for the pieces on a square: knight, building, tokens. Without a tile, those that are there can be removed. */
export function SquarePieces({ kingdom, place, cell }) {
  if ((cell === "." || cell === "#") && !listPieceMarks(kingdom)[place]) return null;
  const hasPieces = getPlayedGame().pieces;
  const kinds = listTokenKinds();
  if (!hasPieces && !kinds.length) return null;
  const setKnight = (isHere) => setPieces(kingdom, "knights", place, isHere ? [place] : []);
  return html`<div class="fields">
    ${hasPieces && html`<${Checkbox} name=${t("knightHere")} checked=${listPieces(kingdom, "knights").includes(place)} onChange=${setKnight} />`}
    ${hasPieces && cell[0] === "t" && html`<${BuildingSelect} kingdom=${kingdom} place=${place} />`}
    ${kinds.map((kind) => html`<${TokenSelect} kingdom=${kingdom} place=${place} kind=${kind} key=${kind.key} />`)}
  </div>`;
}

// Tokens of expansions: texts of a place and a name.

const listTokenKinds = () => listPlayedVariants().flatMap(({ tokens }) => tokens);

/** What stands on the squares of a kingdom: `{ name, symbol }` by place. */
export function listPieceMarks(kingdom) {
  const marks = {};
  const add = (place, name, symbol) => (marks[place] ??= []).push({ name, symbol });
  if (getPlayedGame().pieces) {
    for (const { at } of listBuildings(kingdom)) add(at, t("building"), "⌂");
    for (const place of listPieces(kingdom, "knights")) add(place, t("knight"), "♞");
  }
  for (const { key, word } of listTokenKinds()) {
    for (const token of listPieces(kingdom, key)) {
      const [place, ...names] = token.split(" ");
      const name = names.join(" ") || word;
      add(place, name, name[0].toUpperCase());
    }
  }
  return marks;
}

/** The choice of a token for a square: a name, or how many where they have none. */
function TokenSelect({ kingdom, place, kind: { key, word, crowns } }) {
  const tokens = listPieces(kingdom, key).filter((token) => token.split(" ")[0] === place);
  const set = (newTokens) => setPieces(kingdom, key, place, newTokens);
  const names = Object.keys(crowns).filter(Boolean);
  if (!names.length && !crowns[""]) {
    return html`<${Checkbox} name=${capitalise(word)} checked=${tokens.length > 0} onChange=${(on) => set(on ? [place] : [])} />`;
  }
  const options = [["", t("noToken")], ...(names.length ? names : [1, 2, 3]).map((choice) => [choice, choice])];
  const value = names.length ? tokens[0]?.slice(place.length + 1) ?? "" : tokens.length || "";
  const choose = (choice) => set(!choice ? [] : names.length ? [`${place} ${choice}`] : Array(Number(choice)).fill(place));
  return html`<${SelectField} name=${capitalise(word)} value=${value} options=${options} onChange=${choose} />`;
}

/** The tokens of a kingdom, counted; they are entered on their squares. */
export function TokensCard({ kingdom }) {
  const kinds = listTokenKinds();
  if (!kinds.length) return null;
  return html`<section class="card tokens">
    <h3>${t("tokens")}</h3>
    <p class="hint">${t("tokensHint")}</p>
    ${kinds.map(({ key, word }) => html`<p key=${key}>${capitalise(word)}: <b>${listPieces(kingdom, key).length}</b>${isOpen(kingdom, key) && ` ${t("maybeMore")}`}</p>
      <${NoMore} kingdom=${kingdom} name=${key} text=${t("noMoreTokens", { word })} />`)}
  </section>`;
}
