// The standing: who wins and why; over three rounds in a Dynasty.

import { showRound } from "./actions.js";
import { h } from "./dom.js";
import { formatTotal, scoreErrorView } from "./points.js";
import { scoreOf, currentKingdoms, state } from "./state.js";
import { sentences, t } from "./strings.js";

/** The standing in one sentence, for the bar at the bottom; empty without points. */
export function verdict() {
  const score = state.scores.get(state.game);
  if (!score?.rounds) return "";
  if (score.ids.length === 1 && score.ids[0].length === 1) {
    const [kingdom] = currentKingdoms();
    const [points] = score.rounds[0].kingdoms;
    return `${kingdom.player}: ${points.complete ? t("points", { n: points.total }) : t("pointsOpen", { words: formatTotal(points) })}`;
  }
  return score.standing?.reason ?? score.rounds[0].outlook ?? t("notYet");
}

export function standingView() {
  const score = state.scores.get(state.game);
  const content = score?.error ? [scoreErrorView(score)] : score?.rounds ? standingContent(score) : [h("p", { class: "hint" }, t("noneYet"))];
  return h("section", { class: "card standing", id: "standing", "aria-label": t("standing") }, h("h2", {}, t("standing")), roundTabs(), content);
}

function roundTabs() {
  if (state.game.rounds.length === 1) return null;
  const tab = (_, number) =>
    h(
      "button",
      { type: "button", class: "soft", "aria-pressed": String(number === state.game.round), "data-key": `round ${number}`, onclick: () => showRound(number) },
      t("round", { n: number + 1 }),
    );
  return h("div", { class: "rounds" }, state.game.rounds.map(tab));
}

function standingContent(score) {
  const shownRound = score.ids.length > 1 ? state.game.round : 0;
  const round = score.rounds[shownRound];
  const parts = [];
  if (score.ids.length > 1 && score.standing) parts.push(h("h3", {}, t("wholeStanding")), placesView(score.standing, 0, score));
  const several = state.game.rounds.length > 1;
  if (several) parts.push(h("h3", {}, t("roundStanding", { n: state.game.round + 1 })));
  if (round.standing) parts.push(placesView(round.standing, shownRound, score));
  else if (round.kingdoms.length === 1) {
    const [kingdom] = round.kingdoms;
    const words = { name: kingdom.player, words: formatTotal(kingdom) };
    parts.push(h("p", {}, kingdom.complete ? t("oneOnly", { ...words, n: kingdom.total }) : t("oneOpen", words)));
  } else parts.push(h("p", {}, sentences(round.outlook || t("notYet"))));
  parts.push(...round.problems.map((problem) => h("p", { class: "problems" }, sentences(problem.text))));
  if (round.note) parts.push(h("p", { class: "hint" }, sentences(round.note)));
  const left = state.game.rounds.filter((kingdoms) => !kingdoms.length).length;
  if (several && left) parts.push(h("p", { class: "hint" }, t("roundsLeft", { n: left })));
  return parts;
}

function placesView(standing, round, score) {
  const byId = new Map(state.game.rounds.flat().map((kingdom) => [kingdom.id, kingdom]));
  const row = (place) => {
    const kingdom = byId.get(score.ids[round][place.kingdom - 1]);
    return h(
      "li",
      { class: place.place === 1 ? "first" : "" },
      h("span", { class: "rank" }, t("place", { n: place.place })),
      h("span", { class: `dot castle-${kingdom?.colour ?? "grey"}`, "aria-hidden": "true" }),
      h("span", { class: "who" }, h("b", {}, kingdom?.player ?? ""), place.reason ? h("small", {}, place.reason) : null),
      h("b", { class: "sum" }, String(place.total)),
    );
  };
  return [h("p", { class: "verdict" }, standing.reason), h("ol", { class: "places" }, standing.places.map(row))];
}

/** The points of a kingdom as a short text, "31" or "31+"; null without a score. */
export function shortTotal(kingdom) {
  const score = scoreOf(kingdom);
  if (!score) return null;
  return score.complete ? String(score.total) : `${score.least}+`;
}
