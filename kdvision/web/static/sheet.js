// The sheets in which a person corrects a square, and answers the open questions of the table one after another.

import { changeCellByKey, listGameCells } from "./board.js";
import { askForPiece } from "./link.js";
import { countCrowns, nameSquareAt } from "./model.js";
import { SquarePieces } from "./pieces.js";
import { CloseUp } from "./photoview.js";
import { announce, closeDialog, listOpenQuestions, openDialog, selectKingdom } from "./store.js";
import { describeCell, t } from "./strings.js";
import { change, setSquare } from "./table.js";
import { Button, CellFace, choosePictureClass, Dialog, html, useLayoutEffect } from "./ui.js";

const ORDER = "wflgsmt";
const SMALL_SCREEN = 720; // pixels: the sheet then covers the lower part of the page
const FREE_SHARE = 0.42; // of a small screen, above the sheet

/** The sheet of one square: every cell of the game is one tap away. */
export function SquareSheet({ kingdom, place }) {
  const cell = kingdom.cells[place] ?? ".";
  const doubt = listOpenQuestions().find((question) => question.kind === "cell" && question.kingdom === kingdom.id && question.at === place);
  const choose = (word) => {
    closeDialog();
    if (word !== cell || doubt || !(place in kingdom.fixes)) setSquare(kingdom, place, word);
  };
  useLayoutEffect(() => scrollIntoReach(place), []);
  const title = t("squareHead", { square: nameSquareAt(kingdom, place) || "+" });
  return html`<${Dialog} title=${title} kind="sheet" onKeyDown=${(event) => handleKey(event, cell, choose)}>
    <div class="evidence">
      <${CloseUp} kingdom=${kingdom} place=${place} />
      ${doubt && html`<${Doubt} doubt=${doubt} choose=${choose} />`}
      ${!doubt && html`<p><b>${describeCell(cell)}</b><br /><span class="hint">${t("tapWhat")}</span></p>`}
    </div>
    <${Palette} cell=${cell} doubt=${doubt} choose=${choose} />
    <${SquarePieces} kingdom=${kingdom} place=${place} cell=${cell} />
  <//>`;
}

/** Scroll the square above the part of a small screen that the sheet covers. */
function scrollIntoReach(place) {
  const { top, bottom } = document.querySelector(`.grid [data-place="${place}"]`)?.getBoundingClientRect() ?? {};
  if (top !== undefined && innerWidth < SMALL_SCREEN && (bottom > innerHeight * FREE_SHARE || top < 60)) scrollBy(0, top - innerHeight * 0.25);
}

/** Open the first question; `done` questions have been answered. */
export function startReview(done = 0) {
  const [next] = listOpenQuestions();
  if (!next) return closeDialog(), announce(t("allGood"));
  selectKingdom(next.kingdom);
  openDialog("review", { kingdom: next.kingdom, question: next, done });
}

/** One of the open questions. Its answer goes to the server while the next one is shown. */
export function ReviewSheet({ kingdom, question, done }) {
  const { kind, at } = question;
  const answer = (send) => (send(), startReview(done + 1));
  const choose = (word) => answer(() => setSquare(kingdom, at, word));
  const say = (present) => answer(() => change({ op: "answer_piece", kingdom: kingdom.id, reading: kingdom.seen.reading, kind, at, present }));
  const square = nameSquareAt(kingdom, at) || "+";
  const title = kind === "cell" ? t("squareHead", { square }) : t("pieceHead", { kind: t(kind) });
  const questions = listOpenQuestions();
  const isOpen = questions.some((openQuestion) => openQuestion.kingdom === kingdom.id && openQuestion.kind === kind && openQuestion.at === at);
  useLayoutEffect(() => void (isOpen || startReview(done)), [isOpen]); // another phone may have answered it
  const all = done + questions.length;
  const keys = (event) => kind === "cell" && handleKey(event, question.read, choose);
  return html`<${Dialog} title=${title} kind="sheet" onKeyDown=${keys}>
    <p class="hint count">
      ${t("checkedOf", { n: done + 1, all })} · <bdi>${kingdom.player}</bdi>${question.changes_winner ? ` · ${t("decides")}` : ""}
    </p>
    <div class="evidence">
      <${CloseUp} kingdom=${kingdom} place=${at} crossing=${kind === "gem"} />
      ${kind === "cell" && html`<${Doubt} doubt=${question} choose=${choose} />`}
      ${kind !== "cell" && html`<${PieceQuestion} kingdom=${kingdom} question=${question} say=${say} />`}
    </div>
    ${kind === "cell" && html`<${Palette} cell=${question.read} doubt=${question} choose=${choose} />`}
  <//>`;
}

function PieceQuestion({ kingdom, question, say }) {
  return html`<div class="suspicion">
    <p>${askForPiece(kingdom, question)} ${t("percent", { percent: Math.round(100 * question.probability) })}</p>
    <div class="buttons">
      <${Button} text=${t("yes")} class="soft" data-focus onClick=${() => say(true)} />
      <${Button} text=${t("no")} class="soft" onClick=${() => say(false)} />
    </div>
  </div>`;
}

function Doubt({ doubt, choose }) {
  const { read, instead, probability, total_if: total = null } = doubt;
  const words = { read: describeCell(read), instead: describeCell(instead), percent: Math.round(100 * probability), total };
  return html`<div class="suspicion">
    <p>${t(total === null ? "looksLikeOne" : "looksLike", words)}</p>
    <div class="buttons">
      ${[read, instead].map((cell) => html`<${Button} text=${t("itIs", { cell: describeCell(cell) })} class="soft" onClick=${() => choose(cell)} />`)}
    </div>
  </div>`;
}

/** Every cell of the game: a column per terrain, a row per number of crowns; castle and "no tile" below. */
function Palette({ cell, doubt, choose }) {
  const contents = listGameCells();
  const columns = [...ORDER].filter((letter) => contents.includes(letter));
  const maxCrowns = Math.max(2, ...contents.map((word) => countCrowns(word)));
  const isFree = columns.slice(0, 2).every((letter) => !contents.includes(`${letter}${maxCrowns}`));
  const terrains = contents.map((word) => [word, columns.indexOf(word[0]), countCrowns(word)]).filter(([, column]) => column >= 0);
  const otherOptions = ["#", "."].map((word, column) => [word, column, isFree ? maxCrowns : maxCrowns + 1]);
  const option = ([word, column, row]) => html`<button
    type="button" class="option ${choosePictureClass(word)} ${doubt?.instead === word ? "maybe" : ""}" aria-label=${describeCell(word)}
    aria-pressed=${String(word === cell)} data-focus=${word === cell || null} style=${{ gridArea: `${row + 1} / ${column + 1}` }} onClick=${() => choose(word)}
  >
    ${word === "." ? html`<span class="plus" aria-hidden="true">∅</span>` : html`<${CellFace} cell=${word} />`}
  </button>`;
  const orderedOptions = terrains.sort((a, b) => a[1] - b[1] || a[2] - b[2]);
  return html`<div class="palette" style=${{ "--cols": columns.length }}>${[...orderedOptions, ...otherOptions].map(option)}</div>`;
}

function handleKey(event, cell, choose) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("select, input")) return;
  const word = changeCellByKey(event.key.toLowerCase(), cell);
  if (!word) return;
  choose(word);
  event.preventDefault();
}
