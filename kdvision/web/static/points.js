// The scorecard of a kingdom, each line with the clause of the rulebooks it follows.

import { askAgain } from "./actions.js";
import { highlightOpenLine } from "./board.js";
import { button, fold, h } from "./dom.js";
import { placeNamed } from "./model.js";
import { scoreOf, state } from "./state.js";
import { sentences, t } from "./strings.js";

export function pointsView(kingdom) {
  const score = scoreOf(kingdom);
  const problem = state.scores.get(state.game);
  if (!score) return problem?.error ? h("section", { class: "card" }, trouble(problem)) : null;
  const earned = score.lines.filter((line) => line.points || !line.terrain).sort((a, b) => b.points - a.points);
  const worthless = score.lines.filter((line) => !line.points && line.terrain);
  // What only the photo shows, such as a kingdom that its edge cuts, the notation does not tell.
  const problems = [...new Set([...score.problems.map((one) => one.text), ...(kingdom.seen?.problems ?? [])])];
  return h(
    "section",
    { class: "card points", "aria-label": t("pointsOf", { name: kingdom.player }) },
    h("h3", {}, t("pointsHead")),
    h("ul", { class: "lines" }, earned.map((line) => lineView(kingdom, line))),
    h("p", { class: "total" }, h("span", {}, t("total")), h("output", { id: "total" }, totalWords(score))),
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

/** A total in words: "31", and while something is still to be told "31 to 153" or "24 or more". */
export function totalWords({ complete, total, least, most }) {
  if (complete) return String(total);
  return most === null ? t("orMore", { least }) : t("between", { least, most });
}

export function trouble({ error, hint, again = false }) {
  const more = again ? button("turn", t("again"), askAgain, { class: "soft", "data-key": "ask again" }) : null;
  return h("div", { class: "trouble", role: "alert" }, h("b", {}, sentences(error)), ` ${sentences(hint)} `, more);
}
