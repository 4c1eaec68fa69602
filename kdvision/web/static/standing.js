// The standing: who wins or leads, and why; over three rounds in a Dynasty. The whole table for print and a large screen.

import { computeFrame, countCrowns, formatPlace, formatRows, formatShortTotal } from "./model.js";
import { formatTotal } from "./points.js";
import { getRoundScore, getScore, isInDoubt, isOfTable, listKingdoms, state, update } from "./store.js";
import { joinSentences, t } from "./strings.js";
import { Button, choosePictureClass, Crowns, html, makeColourStyle, memo } from "./ui.js";

/** The standing in one sentence; empty without points. */
export function describeVerdict() {
  const round = getRoundScore();
  const [kingdom] = listKingdoms();
  if (!kingdom || !getScore(kingdom)) return "";
  if (state.connection === "lost" && state.waiting.some(isOfTable)) return t("notCounted");
  const { standing } = state.table.score;
  if (state.game.rounds.length > 1 && standing) return joinSentences(standing.reason);
  if (listKingdoms().length > 1) return joinSentences(round.verdict.text || t("notYet"));
  const points = t("alone", { name: kingdom.player, points: formatTotal(getScore(kingdom)), n: getScore(kingdom).total });
  return isInDoubt(kingdom) || state.game.deciding.includes(state.round) ? `${points}; ${t("stillToCheck")}` : points;
}

export function StandingCard() {
  const { score, game } = state.table;
  const round = score.rounds[state.round];
  const isDynasty = game.rounds.length > 1;
  const roundsLeft = game.rounds.filter((kingdoms) => !kingdoms.length).length;
  const shownStanding = isDynasty && score.standing ? score.standing : round?.standing;
  return html`<section class="card standing" id="standing" aria-label=${t("standing")}>
    <h2>${t("standing")}</h2>
    ${isDynasty && html`<${RoundTabs} />`}
    ${listKingdoms().length ? html`<p class="verdict" dir="auto">${describeVerdict()}</p>` : html`<p class="hint">${t("noneYet")}</p>`}
    ${listKingdoms().length === 1 && !isDynasty && html`<p class="hint">${t("oneOnly")}</p>`}
    ${listKingdoms().length > 1 && html`<${Places} standing=${shownStanding} />`}
    ${isDynasty && html`<${DynastyTable} />`}
    ${round?.problems.map(({ text }) => html`<p class="problems">${joinSentences(text)}</p>`)}
    ${round?.note && html`<p class="hint">${joinSentences(round.note)}</p>`}
    ${isDynasty && roundsLeft > 0 && html`<p class="hint">${t("roundsLeft", { n: roundsLeft })}</p>`}
  </section>`;
}

const RoundTabs = () => html`<div class="rounds">
  ${state.game.rounds.map((_, number) => html`<${Button}
    text=${t("round", { n: number + 1 })} class="soft" aria-pressed=${String(number === state.round)} onClick=${() => update({ round: number })}
  />`)}
</div>`;

/** The first of some kingdoms that has the player of a kingdom: names that differ in case are one, as in the standing. */
const findKingdomOf = ({ player }, kingdoms) => kingdoms.find((kingdom) => kingdom.player.toLowerCase() === player.toLowerCase());

/** The places with their reasons; without a standing, the kingdoms by their points so far. */
function Places({ standing }) {
  const { rounds } = state.table.game;
  const isNew = (kingdom, index, kingdoms) => index < rounds[0].length || findKingdomOf(kingdom, kingdoms) === kingdom;
  const kingdomsByNumber = rounds.length > 1 && standing === state.table.score.standing ? rounds.flat().filter(isNew) : rounds[state.round];
  const rankedKingdoms = [...listKingdoms()].sort((a, b) => (getScore(b)?.least ?? 0) - (getScore(a)?.least ?? 0));
  const rows = standing
    ? standing.places.map((place) => ({ ...place, kingdom: kingdomsByNumber[place.kingdom - 1] }))
    : rankedKingdoms.map((kingdom) => ({ place: null, kingdom, total: getScore(kingdom) && formatShortTotal(getScore(kingdom)), reason: null }));
  return html`<ol class="places">
    ${rows.filter(({ kingdom }) => kingdom).map(({ place, kingdom, total, reason }) => html`<li key=${kingdom.id} class=${place === 1 ? "first" : ""}>
      <span class="rank">${place ? t("place", { n: place }) : ""}</span>
      <span class="dot" style=${makeColourStyle(kingdom.colour)} aria-hidden="true"></span>
      <span class="who"><b dir="auto">${kingdom.player}</b>${reason && html`<small>${reason}</small>`}</span>
      <b class="sum">${total}</b>
    </li>`)}
  </ol>`;
}

/** The points of each player by round. */
function DynastyTable() {
  const { rounds } = state.game;
  const firstKingdoms = rounds.flat().filter((kingdom, _, kingdoms) => findKingdomOf(kingdom, kingdoms) === kingdom);
  if (!firstKingdoms.length) return null;
  const scoreIn = (firstKingdom, round) => {
    const kingdom = findKingdomOf(firstKingdom, round);
    return kingdom ? getScore(kingdom) : null;
  };
  const sum = (firstKingdom) => rounds.reduce((total, round) => total + (scoreIn(firstKingdom, round)?.least ?? 0), 0);
  return html`<table class="dynasty">
    <thead><tr>
      <th scope="col">${t("name")}</th>
      ${rounds.map((_, n) => html`<th scope="col" aria-label=${t("round", { n: n + 1 })}>${n + 1}</th>`)}
      <th scope="col">${t("sum")}</th>
    </tr></thead>
    <tbody>${firstKingdoms.map((firstKingdom) => html`<tr key=${firstKingdom.id}>
      <th scope="row" dir="auto">${firstKingdom.player}</th>
      ${rounds.map((round) => html`<td>${formatShortTotal(scoreIn(firstKingdom, round)) ?? "–"}</td>`)}
      <td><b>${sum(firstKingdom)}${rounds.some((round) => scoreIn(firstKingdom, round)?.complete === false) && "+"}</b></td>
    </tr>`)}</tbody>
  </table>`;
}

/** All kingdoms of the round with their boards and points: for print, and for a large screen that watches. */
export const Overview = () => html`<div class="overview">
  <p class="verdict" dir="auto">${describeVerdict()}</p>
  <div class="boards">
    ${listKingdoms().map((kingdom) => html`<figure key=${kingdom.id} style=${makeColourStyle(kingdom.colour)}>
      <figcaption>
        <span class="dot" aria-hidden="true"></span>
        <b dir="auto">${kingdom.player}</b>
        <output>${formatShortTotal(getScore(kingdom)) ?? "…"}</output>
      </figcaption>
      <${SmallBoard} kingdom=${kingdom} />
    </figure>`)}
  </div>
</div>`;

/** A board without names of squares; the squares at the `marked` places have a frame. */
export const SmallBoard = memo(({ kingdom, marked = [], label = formatRows(kingdom.cells).join(" / ") }) => {
  const { top, left } = computeFrame(kingdom.cells);
  const rows = formatRows(kingdom.cells).map((row) => row.split(" "));
  const doubts = kingdom.seen?.doubts.length ?? 0;
  const square = (cell, row, col) => html`<span class="cell ${choosePictureClass(cell)} ${marked.includes(formatPlace(top + row, left + col)) ? "marked" : ""}">
    ${countCrowns(cell) > 0 && html`<${Crowns} count=${countCrowns(cell)} />`}
  </span>`;
  return html`<div class="small-board" style=${{ "--cols": rows[0]?.length ?? 1 }} role="img" aria-label=${label}>
    ${rows.map((row, r) => row.map((cell, c) => square(cell, r, c)))}
  </div>
  ${doubts > 0 && html`<small class="to-check">${t("toCheck", { n: doubts })}</small>`}`;
});
