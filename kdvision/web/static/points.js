// The scorecard of a kingdom; each line shows the rulebook clause that it follows.

import { retryRequests } from "./actions.js";
import { highlightOpenLine } from "./board.js";
import { button, fold, h } from "./dom.js";
import { placeNamed } from "./model.js";
import { scoreOf, state } from "./state.js";
import { sentences, t } from "./strings.js";

export function pointsView(kingdom) {
  const score = scoreOf(kingdom);
  const problem = state.scores.get(state.game);
  if (!score) return problem?.error ? h("section", { class: "card" }, scoreErrorView(problem)) : null;
  const earned = score.lines.filter((line) => line.points || !line.terrain).sort((a, b) => b.points - a.points);
  const worthless = score.lines.filter((line) => !line.points && line.terrain);
  // Some problems are only in the photo, such as a kingdom that is cut off at its edge.
  const problems = [...new Set([...score.problems.map((one) => one.text), ...(kingdom.seen?.problems ?? [])])];
  return h(
    "section",
    { class: "card points", "aria-label": t("pointsOf", { name: kingdom.player }) },
    h("h3", {}, t("pointsHead")),
    h("ul", { class: "lines" }, earned.map((line) => lineView(kingdom, line))),
    h("p", { class: "total" }, h("span", {}, t("total")), h("output", { id: "total" }, formatTotal(score))),
    score.missing.length
      ? h("p", { class: "hint" }, sentences(t("stillOpen", { what: score.missing.map((one) => one.text).join("; ") })))
      : null,
    worthless.length
      ? fold(
          `worthless ${kingdom.id}`,
          { class: "worthless", head: `${t("worthless")}: ${worthless.length}` },
          h("ul", { class: "lines" }, worthless.map((line) => lineView(kingdom, line))),
        )
      : null,
    problems.length ? h("ul", { class: "problems" }, problems.map((text) => h("li", {}, sentences(text)))) : null,
  );
}

function lineView(kingdom, line) {
  const clause = state.rules?.clauses[line.clause];
  const kind = line.terrain ?? "bonus";
  const places = line.squares?.length ? line.squares.map((name) => placeNamed(kingdom, name)).join(" ") : null;
  const head = [
    h("span", { class: `swatch sq-${kind}`, "aria-hidden": "true" }, line.terrain ?? "★"),
    h("span", { class: "label" }, line.label),
    h("b", {}, String(line.points)),
  ];
  return h(
    "li",
    {},
    fold(
      `line ${kingdom.id} ${line.clause} ${line.terrain ?? ""} ${line.squares?.[0] ?? ""}`,
      { head, "data-places": places, ontoggle: highlightOpenLine },
      clause &&
        h("p", { class: "clause" }, clause.text, " ", h("small", {}, `${clause.book}, ${clause.section}${clause.ruling ? `, ${t("ruling")}` : ""}`)),
    ),
  );
}

/** A total as text: "31", or "31 to 153" or "24 or more" while facts are missing. */
export function formatTotal({ complete, total, least, most }) {
  if (complete) return String(total);
  return most === null ? t("orMore", { least }) : t("between", { least, most });
}

export function scoreErrorView({ error, hint, again = false }) {
  const more = again ? button("turn", t("again"), retryRequests, { class: "soft", "data-key": "ask again" }) : null;
  return h("div", { class: "trouble", role: "alert" }, h("b", {}, sentences(error)), ` ${sentences(hint)} `, more);
}
