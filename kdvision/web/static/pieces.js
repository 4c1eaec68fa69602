// What lies on a kingdom of Queendomino or beside it: coins, towers, knights, buildings, the Queen.

import { amend, amendPieces, score } from "./actions.js";
import { button, field, h } from "./dom.js";
import { nameAt } from "./model.js";
import { go, selected, shown, state, withRound } from "./state.js";
import { t } from "./strings.js";

export function piecesView(kingdom) {
  if (state.game.rules.game === "kingdomino") return null;
  const { queen, buildings } = kingdom.pieces;
  const built = buildings.filter((one) => nameAt(kingdom, one.at));
  return h(
    "section",
    { class: "card pieces" },
    h("h3", {}, t("pieces")),
    h(
      "div",
      { class: "steppers" },
      stepper(kingdom, "coins", t("coins")),
      stepper(kingdom, "towers", t("towers")),
      stepper(kingdom, "spare_knights", t("spareKnights")),
    ),
    h(
      "label",
      { class: "check" },
      h("input", { type: "checkbox", checked: queen, "data-key": "queen", onchange: () => host(kingdom, !queen) }),
      t("queen"),
    ),
    built.map((one) =>
      h(
        "p",
        { class: "built" },
        h("b", {}, nameAt(kingdom, one.at)),
        ` ${buildingWords(one)} `,
        button("close", t("remove"), () => build(kingdom, one.at, null), { label: false, class: "quiet round" }),
      ),
    ),
    h("p", { class: "hint" }, t("photosKnow")),
  );
}

/** The Queen is with one kingdom at a time: where she comes, she leaves the others. */
function host(kingdom, here) {
  const kingdoms = shown().map((one) => ({ ...one, pieces: { ...one.pieces, queen: here && one.id === kingdom.id } }));
  go(withRound(kingdoms));
  score();
}

function stepper(kingdom, key, name) {
  const count = kingdom.pieces[key];
  const set = (value) => amendPieces(selected(), { [key]: Math.max(0, Math.min(999, Math.round(value) || 0)) });
  const step = (words, by, letter) =>
    h(
      "button",
      { type: "button", class: "round", "aria-label": t(words, { name }), "data-key": `${key} ${words}`, onclick: () => set(count + by) },
      letter,
    );
  return h(
    "div",
    { class: "stepper" },
    h("label", { for: `count-${key}` }, name),
    h(
      "div",
      {},
      step("less", -1, "−"),
      h("input", {
        id: `count-${key}`,
        type: "number",
        min: 0,
        max: 999,
        inputmode: "numeric",
        value: count,
        "data-key": `count ${key}`,
        onchange: (event) => set(Number(event.target.value)),
      }),
      step("more", 1, "+"),
    ),
  );
}

/** Which building stands on a town: a choice among those of the box. */
export function buildingSelect(kingdom, place) {
  const buildings = state.rules?.buildings ?? [];
  const here = kingdom.pieces.buildings.find((one) => one.at === place);
  const now = here ? buildings.findIndex((one) => same(one, here)) : -1;
  const options = buildings.map((one, index) => h("option", { value: index }, words(one)));
  return field(
    t("building"),
    h(
      "select",
      { value: now, onchange: (event) => build(selected(), place, buildings[Number(event.target.value)] ?? null) },
      h("option", { value: -1 }, t("noBuilding")),
      options,
    ),
  );
}

const words = ({ name, gives }) => (name ? t("namedGives", { name, gives }) : t("gives", { gives }));

const same = (building, here) => Object.entries(building.as).every(([key, value]) => here[key] === value);

function buildingWords(here) {
  const found = (state.rules?.buildings ?? []).find((one) => same(one, here));
  return found ? words(found) : here.name ?? "";
}

function build(kingdom, place, building) {
  const others = kingdom.pieces.buildings.filter((one) => one.at !== place);
  const here = building ? [{ at: place, ...building.as }] : [];
  return amend(kingdom, { pieces: { ...kingdom.pieces, buildings: [...others, ...here] } });
}
