// The Lost Treasures: gems on crossings. The rotation of a gem decides where its crowns and its skull point.

import { updatePieces } from "./actions.js";
import { noMoreButton } from "./pieces.js";
import { button, openDialog, field, h } from "./dom.js";
import { placeAt, isNamed, nameAt, parsePlace, playsWithGems } from "./model.js";
import { refresh, selectedKingdom, currentKingdoms, state } from "./state.js";
import { t } from "./strings.js";

const AROUND = [
  [0, 0],
  [0, 1],
  [1, 1],
  [1, 0],
];
const SKULL = "skull";

export function gemsView(kingdom) {
  if (!playsWithGems(state.game.rules)) return null;
  const placing = state.mode === "gem";
  const toggle = () => ((state.mode = placing ? "" : "gem"), refresh());
  return h(
    "section",
    { class: "card gems" },
    h("h3", {}, t("gems")),
    button("gem", placing ? t("done") : t("placeGem"), toggle, { class: "soft", "data-key": "gems", "aria-pressed": String(placing) }),
    placing && h("p", { class: "hint" }, t("gemHint")),
    noMoreButton(kingdom, "gems"),
  );
}

/** A layer over the board with a button on each crossing, or only on those with gems unless one is being placed. */
export function crossingsView(kingdom, area) {
  const gems = new Map(kingdom.pieces.gems.map((gem) => [gem.at, gem]));
  const targets = [];
  for (let r = 0; r < area.rows - 1; r += 1) {
    for (let c = 0; c < area.cols - 1; c += 1) {
      const place = placeAt(area.top + r, area.left + c);
      const gem = gems.get(place);
      if (gem || (state.mode === "gem" && squaresAround(place).every((one) => nameAt(kingdom, one)))) {
        targets.push(crossingView(kingdom, place, gem, r, c, area));
      }
    }
  }
  return h("div", { class: "crossings" }, targets);
}

function crossingView(kingdom, place, gem, r, c, area) {
  const [a, b, d, e] = squaresAround(place).map((one) => nameAt(kingdom, one));
  const label = gem ? t(isNamed(gem) ? "gemAt" : "gemSeenAt", { kind: gem.kind, a, d }) : t("crossing", { a, b, c: d, d: e });
  const node = h(
    "button",
    { type: "button", class: `crossing ${gem ? "taken" : ""}`, "aria-label": label, "data-key": `gem ${place}`, onclick: () => editGem(place) },
    h("span", { "aria-hidden": "true" }, gem ? (isNamed(gem) ? "◆" : "?") : "+"),
  );
  node.style.setProperty("--x", `${(100 * (c + 1)) / area.cols}%`);
  node.style.setProperty("--y", `${(100 * (r + 1)) / area.rows}%`);
  return node;
}

function squaresAround(place) {
  const [row, col] = parsePlace(place);
  return AROUND.map(([down, right]) => placeAt(row + down, col + right));
}

/** Open the dialog for the gem on a crossing. Its quarters are shown as they lie and stored as they are printed. */
function editGem(place) {
  const kingdom = selectedKingdom();
  const old = kingdom.pieces.gems.find((gem) => gem.at === place);
  let gem = old ?? { at: place, kind: "", crowns: [0, 0, 0, 0], skull: null, turned: 0 };
  const names = squaresAround(place).map((one) => nameAt(kingdom, one));
  const others = kingdom.pieces.gems.filter((one) => one.at !== place);
  const named = currentKingdoms().flatMap((one) => one.pieces.gems).filter(isNamed);
  const known = [...new Map(named.map((one) => [one.kind, one])).values()];
  const quarters = h("div", { class: "quarters" });
  const kind = h("input", { list: "gem-kinds", value: isNamed(gem) ? gem.kind : "", maxlength: 20, autocomplete: "off", required: true });
  kind.addEventListener("input", () => {
    const name = kind.value.trim().toLowerCase();
    const joker = name === state.rules?.joker && { crowns: [1, 0, 0, 0], skull: null };
    const like = known.find((one) => one.kind === name) ?? joker; // all gems of a kind are printed alike
    if ((old && isNamed(old)) || !like) return;
    gem = { ...gem, crowns: like.crowns, skull: like.skull };
    draw();
  });
  const draw = () => quarters.replaceChildren(...names.map((name, lies) => quarter(name, lies)));
  const quarter = (name, lies) => {
    const printed = (lies - gem.turned + 4) % 4;
    const skull = gem.skull === (state.rules?.quarters ?? [])[printed];
    const what = skull ? t("skull") : t("crownsN", { n: gem.crowns[printed] });
    const next = () => {
      gem = advanceQuarter(gem, printed, skull);
      draw();
      quarters.children[lies].focus();
    };
    const mark = skull ? "☠" : "♛".repeat(gem.crowns[printed]) || "·";
    return h("button", { type: "button", class: `quarter q${lies}`, "aria-label": t("gemQuarter", { square: name, what }), onclick: next }, mark);
  };
  const turn = () => ((gem = { ...gem, turned: (gem.turned + 1) % 4 }), draw());
  const save = (event) => {
    event.preventDefault();
    updatePieces(kingdom.id, { gems: [...others, { ...gem, kind: kind.value.trim().toLowerCase() }] });
    node.close();
  };
  const remove = () => (updatePieces(kingdom.id, { gems: others }), node.close());
  draw();
  const form = h(
    "form",
    { onsubmit: save },
    field(t("gemKind"), kind),
    h("datalist", { id: "gem-kinds" }, [...new Set([...known.map((one) => one.kind), state.rules?.joker ?? "joker"])].map((one) => h("option", { value: one }))),
    h("p", { class: "hint" }, t("gemQuarters")),
    quarters,
    h(
      "div",
      { class: "buttons" },
      button("turn", t("turnGem"), turn, { class: "soft" }),
      old && button("trash", t("remove"), remove, { class: "soft" }),
      h("button", { type: "submit", class: "primary" }, t("saveGem")),
    ),
  );
  const node = openDialog(t("gemHead", { a: names[0], d: names[2] }), form, { close: t("close"), kind: "sheet" });
}

/** The gem with the next state of a quarter: 0, 1, 2, 3 crowns, skull, 0 … */
function advanceQuarter(gem, printed, skull) {
  const crowns = [...gem.crowns];
  const quarters = state.rules?.quarters ?? [];
  if (skull) return { ...gem, skull: null };
  if (crowns[printed] < 3) crowns[printed] += 1;
  else {
    crowns[printed] = 0;
    return { ...gem, crowns, skull: quarters[printed] ?? SKULL };
  }
  return { ...gem, crowns };
}
