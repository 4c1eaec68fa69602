// The pieces on and beside a kingdom of Queendomino: coins, towers, knights, buildings, the Queen.

import { updateKingdom, updatePieces, score } from "./actions.js";
import { button, field, h } from "./dom.js";
import { isNamed, nameAt } from "./model.js";
import { commit, findKingdom, currentKingdoms, state, withKingdoms } from "./state.js";
import { t } from "./strings.js";

export function piecesView(kingdom) {
  if (state.game.rules.game === "kingdomino") return null;
  const { queen, buildings, untold } = kingdom.pieces;
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
      h("input", { type: "checkbox", checked: queen, "data-key": "queen", onchange: () => placeQueen(kingdom, !queen) }),
      t("queen"),
    ),
    untold.includes("queen") && button(null, t("queenNot"), () => updatePieces(kingdom.id, { queen: false }), { class: "soft", "data-key": "no queen" }),
    built.map((one) =>
      h(
        "div",
        { class: "built" },
        h("b", {}, nameAt(kingdom, one.at)),
        isNamed(one) ? ` ${describeGivenBuilding(one)} ` : buildingSelect(kingdom, one.at),
        button("close", t("remove"), () => setBuilding(kingdom, one.at, null), { label: false, class: "quiet round" }),
      ),
    ),
    noMoreButton(kingdom, "buildings"),
    noMoreButton(kingdom, "knights"),
    h("p", { class: "hint" }, t("beside")),
  );
}

/** A button that says there are no more pieces of a kind than listed; null if that is known. */
export function noMoreButton(kingdom, key) {
  if (!kingdom.pieces.untold.includes(key)) return null;
  const confirm = () => updatePieces(kingdom.id, {}, { all: [key] });
  return button("check", t("noMore")[key], confirm, { class: "soft", "data-key": `no more ${key}` });
}

/** Place the Queen in a kingdom, or remove her. Only one kingdom has her at a time. */
function placeQueen(kingdom, here) {
  const isKnown = (one) => here || one.id === kingdom.id;
  const pieces = (one) => ({
    ...one.pieces,
    queen: here && one.id === kingdom.id,
    untold: one.pieces.untold.filter((key) => key !== "queen" || !isKnown(one)),
  });
  commit(withKingdoms(currentKingdoms().map((one) => ({ ...one, pieces: pieces(one) }))));
  score();
}

function stepper(kingdom, key, name) {
  const count = kingdom.pieces[key];
  const untold = kingdom.pieces.untold.includes(key);
  const set = (value) => updatePieces(kingdom.id, { [key]: Math.max(0, Math.min(999, Math.round(value) || 0)) });
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
        value: untold ? "" : count,
        placeholder: "?",
        "data-key": `count ${key}`,
        onchange: (event) => event.target.value && set(Number(event.target.value)),
      }),
      step("more", 1, "+"),
    ),
  );
}

const UNREAD = "seen";

/** A list to choose the building that stands on a town. */
export function buildingSelect(kingdom, place) {
  const buildings = state.rules?.buildings ?? [];
  const here = kingdom.pieces.buildings.find((one) => one.at === place);
  const unread = here && !isNamed(here);
  const now = unread ? UNREAD : here ? buildings.findIndex((one) => isBuilding(one, here)) : -1;
  const chosen = (value) => value !== UNREAD && setBuilding(findKingdom(kingdom.id) ?? kingdom, place, buildings[Number(value)] ?? null);
  const options = buildings.map((one, index) => h("option", { value: index }, describeBuilding(one)));
  return field(
    t("building"),
    h(
      "select",
      { value: now, "data-key": `building ${place}`, onchange: (event) => chosen(event.target.value) },
      unread ? h("option", { value: UNREAD }, t("whichBuilding")) : null,
      h("option", { value: -1 }, t("noBuilding")),
      options,
    ),
  );
}

const describeBuilding = ({ name, gives }) => (name ? t("namedGives", { name, gives }) : t("gives", { gives }));

const isBuilding = (building, here) => Object.entries(building.as).every(([key, value]) => here[key] === value);

function describeGivenBuilding(here) {
  const found = (state.rules?.buildings ?? []).find((one) => isBuilding(one, here));
  return found ? describeBuilding(found) : here.name ?? "";
}

function setBuilding(kingdom, place, building) {
  const others = kingdom.pieces.buildings.filter((one) => one.at !== place);
  const here = building ? [{ at: place, ...building.as }] : [];
  return updateKingdom(kingdom.id, { pieces: { ...kingdom.pieces, buildings: [...others, ...here] } });
}
