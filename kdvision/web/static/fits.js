// Whether a domino may be laid in a kingdom, and where: one place after another, shown on a small board.

import * as api from "./api.js";
import { listGameCells } from "./board.js";
import { computeFrame, formatPlace, formatRows, nameSquareAt } from "./model.js";
import { SmallBoard } from "./standing.js";
import { listPlayedVariants, showToast, state } from "./store.js";
import { describeCell, describeSource, joinSentences, t } from "./strings.js";
import { Button, Details, html, SelectField, useState } from "./ui.js";

export function FitsCard({ kingdom }) {
  const cells = listGameCells();
  const [chosen, setChosen] = useState([cells[0], cells[0]]);
  const [asked, setAsked] = useState(null); // { question, answer }
  const domino = chosen.map((cell) => (cells.includes(cell) ? cell : cells[0]));
  const variants = Object.fromEntries(listPlayedVariants().map(({ id }) => [id.replaceAll("-", "_"), true]));
  const body = { domino: domino.join(" "), board: formatRows(kingdom.cells), game: state.game.rules.game, side: state.table.score.side, ...variants };
  const question = JSON.stringify(body);
  const refuse = (error) => showToast(joinSentences(error.message, error.hint));
  const ask = () => api.post("/api/fits", body).then((answer) => setAsked({ question, answer }), refuse);
  const options = cells.map((cell) => [cell, describeCell(cell)]);
  const choose = (index) => (cell) => setChosen(domino.with(index, cell));
  const half = (index, name) => html`<${SelectField} name=${t(name)} value=${domino[index]} options=${options} onChange=${choose(index)} />`;
  return html`<section class="card setup fits" aria-label=${t("fitsHead")}>
    <${Details} summary=${html`<h3>${t("fitsHead")}</h3>`}>${() => html`
      <div class="fields">${half(0, "oneHalf")}${half(1, "otherHalf")}</div>
      <${Button} icon="board" text=${t("fitsAsk")} class="soft" onClick=${ask} />
      <div role="status">${asked?.question === question && html`<${Answer} key=${question} kingdom=${kingdom} domino=${domino} answer=${asked.answer} />`}</div>`}
    <//>
  </section>`;
}

function Answer({ kingdom, domino, answer: { fits, placements, side, clause, notes } }) {
  const words = fits ? "fitsYes" : fits === false ? "fitsNo" : "fitsPerhaps";
  const rule = state.rules.clauses[clause];
  const certainPlacements = fits ? placements.filter(({ joints }) => joints.length) : placements;
  return html`<p><b>${t(words, { n: certainPlacements.length, side })}</b></p>
    ${notes.map((note) => html`<p class="hint">${joinSentences(note)}</p>`)}
    ${kingdom.seen?.doubts.length > 0 && html`<p class="hint">${t("fitsUnsure")}</p>`}
    ${certainPlacements.length > 0 && html`<${Places} kingdom=${kingdom} domino=${domino} placements=${certainPlacements} />`}
    ${rule && html`<p class="hint">${rule.text} <small>${describeSource(rule)}</small></p>`}`;
}

/** The places one after another, each with the domino on the board. */
function Places({ kingdom, domino, placements }) {
  const [index, setIndex] = useState(0);
  const { top, left } = computeFrame(kingdom.cells);
  const places = [placements[index].first, placements[index].second].map(([row, col]) => formatPlace(top + row, left + col));
  const cells = { ...kingdom.cells, [places[0]]: domino[0], [places[1]]: domino[1] };
  const label = places.map((place, half) => `${describeCell(domino[half])}: ${nameSquareAt({ cells }, place)}`).join("; ");
  const step = (by) => setIndex((index + by + placements.length) % placements.length);
  return html`<${SmallBoard} kingdom=${{ cells }} marked=${places} label=${label} />
    <div class="buttons">
      <${Button} text=${t("previousPlace")} class="soft" onClick=${() => step(-1)} />
      <${Button} text=${t("nextPlace")} class="soft" onClick=${() => step(1)} />
      <span>${t("placeOf", { n: index + 1, all: placements.length })}</span>
    </div>`;
}
