// The rules of the game: game, variants, side, rounds. The choices are those that the server's rules list.

import { GemKind } from "./gems.js";
import { getPlayedGame, listPlayedVariants, state } from "./store.js";
import { capitalise, t } from "./strings.js";
import { setRules } from "./table.js";
import { Checkbox, Details, html, memo, SelectField } from "./ui.js";

export const SetupCard = memo(({ rules, round }) => {
  const gameInfo = getPlayedGame();
  const seats = [...new Set([gameInfo, ...listPlayedVariants()].flatMap((item) => Object.values(item.seats).flat()))].sort((a, b) => a - b);
  const games = state.rules.games.map(({ game, name }) => [game, name]);
  const sides = [["", t("automatic")], [5, "5 × 5"], [7, "7 × 7"]];
  const counts = [["", t("seatsAll")], ...seats.map((n) => [n, n])];
  const setNumber = (key) => (value) => setRules({ [key]: value ? Number(value) : null });
  return html`<section class="card setup" aria-label=${t("game")}>
    <${Details} summary=${html`<h2>${t("game")}</h2><span class="summary">${summariseRules(rules, round)}</span>`}>${() => html`
      <${SelectField} name=${t("whichGame")} value=${rules.game} options=${games} onChange=${(game) => setRules({ game, seats: null })} />
      <${Variants} gameInfo=${gameInfo} chosen=${rules.variants} />
      <${SelectField} name=${t("side")} value=${rules.side ?? ""} options=${sides} onChange=${setNumber("side")} />
      <${SelectField} name=${t("seats")} value=${rules.seats ?? ""} options=${counts} onChange=${setNumber("seats")} />
      <${Checkbox} name=${t("dynasty")} checked=${rules.dynasty} onChange=${(dynasty) => setRules({ dynasty })} />
      ${gameInfo.teams && html`<${Checkbox} name=${t("teams")} checked=${rules.teams} onChange=${(teams) => setRules({ teams })} />`}
      ${gameInfo.teams && rules.teams && html`<p class="hint">${t("teamsHint")}</p>`}
      ${rules.variants.includes("lost-treasures") && html`<${OpenGems} gems=${rules.open_gems} />`}`}
    <//>
  </section>`;
});

/** The variants of the game; those of a group, of which some are drawn for a game, are folded together. */
function Variants({ gameInfo, chosen }) {
  const variants = state.rules.variants.filter(({ id }) => gameInfo.variants.includes(id));
  const groups = [...new Set(variants.map(({ group }) => group))];
  const boxes = (group) => variants.filter((variant) => variant.group === group).map(({ id, name, help }) => html`<div key=${id} title=${help}>
    <${Checkbox} name=${name} checked=${chosen.includes(id)} onChange=${(on) => setRules({}, { [id]: on })} />
  </div>`);
  const headOf = (group) => t("drawnVariants", { group: capitalise(group), n: state.rules.groups[group].drawn });
  return html`<fieldset>
    <legend>${t("whichVariants")}</legend>
    ${groups.map((group) => (group ? html`<details key=${group}><summary>${headOf(group)}</summary>${boxes(group)}</details>` : boxes(group)))}
  </fieldset>`;
}

function OpenGems({ gems }) {
  const kinds = [...new Set([...Object.keys(t("gemColours")), ...gems])];
  const toggle = (kind, on) => setRules({ open_gems: on ? [...gems, kind] : gems.filter((gem) => gem !== kind) });
  return html`<fieldset>
    <legend>${t("openGems")}</legend>
    <div class="kinds">
      ${kinds.map((kind) => html`<${GemKind}
        kind=${kind} key=${kind} type="checkbox" checked=${gems.includes(kind)} onChange=${(event) => toggle(kind, event.target.checked)}
      />`)}
    </div>
  </fieldset>`;
}

/** The rules in short, and the round of a Dynasty, for which a photo counts. */
function summariseRules({ side, dynasty }, round) {
  const names = listPlayedVariants().map(({ name }) => name);
  const roundName = dynasty && t("round", { n: round + 1 });
  return [getPlayedGame().name, side && `${side} × ${side}`, ...names, roundName].filter(Boolean).join(" · ");
}
