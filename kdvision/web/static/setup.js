// The options of the game: variants, side, rounds.

import { setRules } from "./actions.js";
import { field, fold, h } from "./dom.js";
import { playsWithGems } from "./model.js";
import { state } from "./state.js";
import { t } from "./strings.js";

export function setupView() {
  const { rules } = state.game;
  const games = state.rules?.games ?? [];
  const played = games.find((game) => game.game === rules.game);
  const seats = [...new Set(Object.values(played?.seats ?? {}).flat())].sort((a, b) => a - b);
  return h(
    "section",
    { class: "card setup", "aria-label": t("game") },
    fold(
      "setup",
      { head: [h("h2", {}, t("game")), h("span", { class: "summary" }, summary(rules))] },
      field(t("whichGame"), selectField("game", rules.game, Object.entries(t("games")), (game) => setRules(gameChange(game)))),
      h(
        "fieldset",
        {},
        h("legend", {}, t("whichVariants")),
        (played?.variants ?? []).map((variant) => checkbox(`variant ${variant}`, variantName(variant), rules.variants.includes(variant), (on) => toggleVariant(variant, on))),
      ),
      field(t("side"), selectField("side", rules.side ?? "", Object.entries(t("sides")), (side) => setRules({ side: side ? Number(side) : null }))),
      field(
        t("seats"),
        selectField("seats", rules.seats ?? "", [["", t("seatsAll")], ...seats.map((n) => [n, String(n)])], (n) => setRules({ seats: n ? Number(n) : null })),
      ),
      checkbox("dynasty", t("dynasty"), rules.dynasty, (dynasty) => setRules({ dynasty })),
      played?.teams && checkbox("teams", t("teams"), rules.teams, (teams) => setRules({ teams })),
      played?.teams && rules.teams ? h("p", { class: "hint" }, t("teamsHint")) : null,
      playsWithGems(rules) && field(t("openGems"), openGemsInput(rules)),
    ),
  );
}

/** The name of a variant, as the server's rules give it. */
const variantName = (id) => state.rules?.variants.find((one) => one.id === id)?.name ?? id;

function gameChange(game) {
  // Before the rules have arrived, all variants are kept; scoring names one that the game does not have.
  const variants = state.rules?.games.find((one) => one.game === game).variants ?? state.game.rules.variants;
  return { game, variants: state.game.rules.variants.filter((variant) => variants.includes(variant)), seats: null };
}

function toggleVariant(variant, on) {
  const others = state.game.rules.variants.filter((one) => one !== variant);
  setRules({ variants: on ? [...others, variant] : others });
}

function summary(rules) {
  const parts = [t("games")[rules.game], rules.side ? t("sides")[rules.side] : "", ...rules.variants.map(variantName)];
  return parts.filter(Boolean).join(" · ");
}

function selectField(key, value, options, choose) {
  return h(
    "select",
    { value, "data-key": `setup ${key}`, onchange: (event) => choose(event.target.value) },
    // Object.entries puts numbers first; the empty choice belongs at the top.
    [...options].sort((a, b) => (a[0] === "" ? -1 : b[0] === "" ? 1 : 0)).map(([word, text]) => h("option", { value: word }, text)),
  );
}

function checkbox(key, name, on, change) {
  const input = h("input", { type: "checkbox", checked: on, "data-key": `setup ${key}`, onchange: (event) => change(event.target.checked) });
  return h("label", { class: "check" }, input, name);
}

function openGemsInput(rules) {
  const read = (event) => {
    const kinds = event.target.value.split(",").map((kind) => kind.trim().toLowerCase());
    setRules({ openGems: kinds.filter(Boolean).slice(0, 9) });
  };
  return h("input", { value: rules.openGems.join(", "), placeholder: t("openGemsHint"), "data-key": "open gems", onchange: read });
}
