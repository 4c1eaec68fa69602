// The scorecard of a kingdom; each line shows the rulebook clause that it follows.

import { findPlaceByName } from "./model.js";
import { state, update } from "./store.js";
import { describeSource, joinSentences, t } from "./strings.js";
import { html, memo, useEffect } from "./ui.js";

export const PointsCard = memo(({ kingdom, score }) => {
  if (!score) return null;
  const earningLines = score.lines.filter((line) => line.points || !line.terrain).sort((a, b) => b.points - a.points);
  const worthlessLines = score.lines.filter((line) => !line.points && line.terrain);
  const problems = [...new Set([score.error, ...score.problems.map(({ text }) => text)].filter(Boolean))];
  const lines = (shownLines) => html`<ul class="lines">${shownLines.map((line) => html`<${Line} key=${makeLineKey(line)} kingdom=${kingdom} line=${line} />`)}</ul>`;
  return html`<section class="card points" aria-label=${t("pointsOf", { name: kingdom.player })}>
    <h3>${t("pointsHead")}</h3>
    ${lines(earningLines)}
    <p class="total"><span>${t("total")}</span><output id="total">${formatTotal(score)}</output></p>
    ${score.missing.length > 0 && html`<p class="hint">${joinSentences(t("stillOpen", { what: score.missing.map(({ text }) => text).join("; ") }))}</p>`}
    ${worthlessLines.length > 0 && html`<details class="worthless"><summary>${t("worthless")}: ${worthlessLines.length}</summary>${lines(worthlessLines)}</details>`}
    ${problems.length > 0 && html`<ul class="problems">${problems.map((text) => html`<li>${joinSentences(text)}</li>`)}</ul>`}
  </section>`;
});

const makeLineKey = ({ clause, terrain, squares }) => `${clause} ${terrain ?? ""} ${squares[0] ?? ""}`;

function Line({ kingdom, line }) {
  const clause = state.rules.clauses[line.clause];
  const key = `${kingdom.id} ${makeLineKey(line)}`;
  const close = () => state.highlight?.key === key && update({ highlight: null });
  useEffect(() => close, []); // also when the line or its kingdom goes
  const highlight = (event) => {
    const places = new Set(line.squares.map((name) => findPlaceByName(kingdom, name)));
    if (event.currentTarget.open) update({ highlight: places.size ? { id: kingdom.id, places, key } : null });
    else close();
  };
  return html`<li>
    <details onToggle=${highlight}>
      <summary>
        <span class="swatch sq-${line.terrain ?? "bonus"}" aria-hidden="true">${line.terrain ?? "★"}</span>
        <span class="label">${line.label}</span>
        <b>${line.points}</b>
      </summary>
      ${clause && html`<p class="hint clause">${clause.text} <small>${describeSource(clause)}</small></p>`}
    </details>
  </li>`;
}

/** A total as text: "31", or "31 to 153" or "24 or more" while facts are missing. */
export function formatTotal({ complete, total, least, most }) {
  if (complete) return String(total);
  return most === null ? t("orMore", { least }) : t("between", { least, most });
}
