// The page as a whole: header, kingdoms, dialogs, shortcuts.

import { AddButtons, AddDialog, GamesDialog, openLink, TypeDialog } from "./add.js";
import { BoardCard } from "./board.js";
import { CornerEditor, startCorners } from "./corners.js";
import { formatRows, formatShortTotal } from "./model.js";
import { FitsCard } from "./fits.js";
import { PhotoCard, Picture } from "./photoview.js";
import { addPhotos, dismissError, restorePhotos } from "./photos.js";
import { GemDialog, GemsCard } from "./gems.js";
import { PiecesCard, TokensCard } from "./pieces.js";
import { PointsCard } from "./points.js";
import { SetupCard } from "./setup.js";
import { InviteDialog, ShareDialog } from "./share.js";
import { ReviewSheet, SquareSheet, startReview } from "./sheet.js";
import { describeVerdict, Overview, StandingCard } from "./standing.js";
import { closeDialog, findKingdom, getScore, isInDoubt, listKingdoms, listOpenQuestions, openDialog } from "./store.js";
import { getSelectedKingdom, selectKingdom, showToast, state, subscribe, update } from "./store.js";
import { fillTexts, joinSentences, t } from "./strings.js";
import { change, findNextSteps, join, keepWaiting, newGame, reconnect, redo, rejoin, removeKingdom, setKingdom } from "./table.js";
import { removeRefusedBoard, undo } from "./table.js";
import { Button, Dialog, drawLater, Guard, html, makeColourStyle, Messages, render, Select, TextInput, useLayoutEffect, useState } from "./ui.js";

function Header() {
  const tool = (icon, isEnabled, onClick) => html`<${Button}
    icon=${icon} text=${t(icon)} label=${false} class="quiet round" id=${icon} disabled=${!isEnabled} onClick=${onClick}
  />`;
  const steps = findNextSteps();
  return html`<header class="bar">
    <h1 class="brand"><img src="/icons/icon.svg" alt="" width="32" height="32" /><span>${t("title")}</span></h1>
    <div class="tools">
      ${tool("undo", steps.undo !== 0, () => undo())}
      ${tool("redo", steps.redo !== 0, () => redo())}
      ${tool("share", listKingdoms().length, () => openDialog("share"))}
      ${tool("menu", state.game, () => openDialog("menu"))}
    </div>
  </header>`;
}

const Lost = () => state.connection === "lost" && html`<p class="card notice trouble" role="status">${t("lost")}</p>`;

/** What everybody at the table should know first: the connection, errors, messages and questions about photos. */
function Alerts() {
  const { score, game, notice } = state.table;
  const messages = [...score.messages, ...(notice ? [{ text: notice, hint: "" }] : [])];
  return html`<div class="alerts">
    <${Lost} />
    ${messages.map(({ text, hint }) => html`<p class="card notice problems" role="alert" key=${text}>
      <b>${joinSentences(text)}</b> ${joinSentences(hint)}
    </p>`)}
    ${game.proposals.map((proposal) => html`<${Proposal} proposal=${proposal} key=${proposal.id} />`)}
    ${state.errors.map((error) => html`<${PhotoError} error=${error} key=${error.id} />`)}
    ${state.refusedBoards.map((board) => html`<${RefusedBoard} board=${board} key=${board.id} />`)}
  </div>`;
}

/** A question about a photo that shows kingdoms which are at the table already. */
function Proposal({ proposal: { id, question, answers } }) {
  const choose = (answer) => change({ op: "answer_proposal", proposal: id, answer });
  return html`<div class="card notice" role="alert">
    <p><b>${question}</b></p>
    <div class="buttons">
      ${answers.map(({ text }, answer) => html`<${Button} text=${text} class=${answer ? "soft" : "primary"} onClick=${() => choose(answer)} />`)}
    </div>
  </div>`;
}

/** What did not reach the table, with buttons to try again and to drop it, and further ones. */
const ErrorCard = ({ text, hint, retry, close, children }) => html`<div class="card notice" role="alert">
  <p><b>${joinSentences(text)}</b> ${joinSentences(hint)}</p>
  <div class="buttons">
    <${Button} icon="turn" text=${t("again")} class="soft" onClick=${retry} />
    ${children}
    <${Button} icon="close" text=${t("close")} class="quiet" onClick=${close} />
  </div>
</div>`;

function PhotoError({ error }) {
  return html`<${ErrorCard} ...${error} close=${() => dismissError(error)}>
    ${error.photo && html`<${Button} icon="corners" text=${t("drawHere")} class="soft" onClick=${() => startCorners(error.photo)} />`}
  <//>`;
}

function RefusedBoard({ board: { id, text, hint } }) {
  const retry = () => openDialog("type", { board: id });
  return html`<${ErrorCard} text=${text} hint=${hint} retry=${retry} close=${() => removeRefusedBoard(id)} />`;
}

/** The photo that is being read, with what the server has found in it so far. */
function Reading() {
  const { text, sent, share, photo: id, squares = [], stop } = state.progress;
  const photo = state.photos.get(id);
  const isShown = photo && state.corners?.photo !== id && getSelectedKingdom()?.seen?.photo !== id;
  return html`<div class="card notice reading">
    ${isShown && html`<${Picture} photo=${photo} view=${[0, 0, photo.width, photo.height]} label=${text}>
      ${(unit) => squares.map(([x, y]) => html`<circle class="found" cx=${x} cy=${y} r=${4 * unit} />`)}
    <//>`}
    <p><span role="status">${text}</span> ${sent}</p>
    <progress max="1" value=${share ?? undefined} aria-label=${text}></progress>
    ${stop && html`<${Button} icon="close" text=${t("cancel")} class="quiet" onClick=${() => stop.abort()} />`}
  </div>`;
}

const Start = () => html`<section class="start">
  ${!state.progress && html`<img src="/icons/icon.svg" alt="" width="96" height="96" />
    <h2>${t("startHead")}</h2>
    <p>${t("startHint")}</p>`}
  <${AddButtons} />
  <${Button} text=${t("games")} class="quiet" onClick=${() => openDialog("games")} />
  <p class="hint">${t(state.rules.keeps ? "privacyKept" : "privacy")}</p>
</section>`;

function Tabs() {
  const questions = listOpenQuestions();
  const tab = (kingdom) => {
    const count = questions.filter((question) => question.kingdom === kingdom.id).length;
    const isCurrent = kingdom.id === getSelectedKingdom().id;
    const select = () => selectKingdom(kingdom.id);
    return html`<button type="button" class="tab" key=${kingdom.id} aria-current=${isCurrent ? "true" : undefined} onClick=${select}>
      <span class="dot" style=${makeColourStyle(kingdom.colour)} aria-hidden="true"></span>
      <span class="tab-name" dir="auto">${kingdom.player}</span>
      <b>${formatShortTotal(getScore(kingdom)) ?? "…"}</b>
      ${count > 0 && html`<span class="badge" title=${t("toCheck", { n: count })}>${count}?</span>`}
    </button>`;
  };
  return html`<nav class="tabs" aria-label=${t("kingdoms")}>
    ${listKingdoms().map(tab)}
    <${Button} icon="plus" text=${t("addKingdom")} class="tab add" aria-label=${t("addHead")} onClick=${() => openDialog("add")} />
  </nav>`;
}

function PlayerCard({ kingdom }) {
  const { id, player, colour } = kingdom;
  const rename = (name) => name.trim() && setKingdom(id, { player: name.trim() });
  const recolour = (chosen) => setKingdom(id, { colour: chosen });
  return html`<section class="who-card">
    <span class="castle" style=${makeColourStyle(colour)}>
      <${Select} aria-label=${t("colour")} value=${colour} options=${Object.entries(t("colours"))} onChange=${recolour} />
    </span>
    <${TextInput} class="name" value=${player} maxlength="40" aria-label=${t("name")} onCommit=${rename} />
    <output class="big" aria-label=${t("total")}>${formatShortTotal(getScore(kingdom)) ?? "…"}</output>
    <${Button} icon="trash" text=${t("removeKingdom")} label=${false} class="quiet round" onClick=${() => removeKingdom(kingdom)} />
  </section>`;
}

/** What is left to check: the questions of the table, or a kingdom that is uncertain as a whole. */
function ReviewBar({ kingdom }) {
  const questions = listOpenQuestions();
  if (questions.length) {
    return html`<div class="review">
      <span>${t("toCheck", { n: questions.length })}</span>
      <${Button} icon="check" text=${t("checkNow", { n: questions.length })} class="primary" onClick=${() => startReview()} />
    </div>`;
  }
  if (!isInDoubt(kingdom)) return null;
  const [problem] = kingdom.seen.problems;
  const confirm = () => setKingdom(kingdom.id, { checked: true, reading: kingdom.seen.reading, board: formatRows(kingdom.cells) });
  const words = problem ? t("odd", { what: problem }) : t("compare", { percent: Math.min(99, Math.round(100 * kingdom.seen.probability)) });
  return html`<div class="review">
    <span>${joinSentences(words)}</span>
    <${Button} icon="check" text=${t("isRight")} class="primary" onClick=${confirm} />
  </div>`;
}

const NotDrawn = () => html`<p class="card notice problems" role="alert">${t("notDrawn")}</p>`;

/** A column of the page; if it cannot be drawn, the others are still there. */
const Column = ({ of, children }) => html`<div class="column"><${Guard} of=${of} instead=${html`<${NotDrawn} />`}>${children}<//></div>`;

function Kingdoms() {
  const kingdom = getSelectedKingdom();
  return html`<${Tabs} />
    <div class="table">
      <${Column} of=${kingdom} key="player ${kingdom.id}">
        <${PlayerCard} kingdom=${kingdom} />
        <${ReviewBar} kingdom=${kingdom} />
        <${PhotoCard} kingdom=${kingdom} />
      <//>
      <${Column} of=${kingdom} key="board ${kingdom.id}">
        <${BoardCard} kingdom=${kingdom} />
        <${PiecesCard} kingdom=${kingdom} />
        <${GemsCard} kingdom=${kingdom} />
        <${TokensCard} kingdom=${kingdom} />
        <${PointsCard} kingdom=${kingdom} score=${getScore(kingdom)} />
        <${FitsCard} kingdom=${kingdom} />
      <//>
      <${Column} of=${state.game} key="game"><${StandingCard} /><//>
    </div>`;
}

function MenuDialog() {
  const act = (icon, text, run) => html`<${Button} icon=${icon} text=${text} class="soft" onClick=${() => (closeDialog(), run())} />`;
  const newTable = async () => (await join({ fresh: true })) && showToast(t("newTableDone", { name: state.table.table }));
  return html`<${Dialog} title=${t("menu")} kind="sheet">
    <p class="hint">${t("table", { name: state.table.table })} · ${t("people", { n: state.people })}</p>
    <div class="stack">
      ${act("plus", t("newGame"), newGame)}
      ${act("phone", t("invite"), () => openDialog("invite"))}
      ${act("screen", t("bigScreen"), () => (location.hash = "watch"))}
      ${act("board", t("games"), () => openDialog("games"))}
      ${act("turn", t("newTable"), newTable)}
      ${act("help", t("help"), () => openDialog("help"))}
    </div>
  <//>`;
}

const HelpDialog = () => html`<${Dialog} title=${t("help")}><ul class="help">${t("helpLines").map((line) => html`<li>${line}</li>`)}</ul><//>`;

const DIALOGS = {
  add: AddDialog, type: TypeDialog, menu: MenuDialog, help: HelpDialog, share: ShareDialog, invite: InviteDialog, games: GamesDialog,
  square: SquareSheet, review: ReviewSheet, gem: GemDialog,
};

function OpenDialog() {
  const { kind, ...props } = state.dialog;
  const kingdom = findKingdom(props.kingdom);
  if (props.kingdom && !kingdom) return null; // somebody has removed it
  return html`<${Guard} of=${state.dialog} instead=${html`<${Dialog} title=${t("notDrawn")} kind="sheet" />`}>
    <${DIALOGS[kind]} ...${props} kingdom=${kingdom} />
  <//>`;
}

/** A large screen that shows the table to everybody. */
const BigScreen = () => html`<main class="watch">
  <h1 class="sr-only">${t("standing")}</h1>
  <${Lost} />
  <${Guard} of=${state.game} instead=${html`<${NotDrawn} />`}><${Overview} /><//>
  <${Button} icon="close" text=${t("leaveScreen")} class="quiet" onClick=${() => (location.hash = "")} />
</main><${Messages} />`;

/** The whole table for print. It is drawn before, since the pictures of its terrains would not be loaded in time. */
const PrintedOverview = drawLater(({ game }) => html`<${Guard} of=${game}><div class="print-only"><${Overview} /></div><//>`);

const Joining = () => html`<${Header} />
  <main><p class="hint" role="status">${t(state.connection === "lost" ? "lost" : "joining")}</p></main>
  <${Messages} />`;

/** The page; drawn again after every change of the state. */
function App() {
  const [, draw] = useState(state);
  useLayoutEffect(() => subscribe(draw), []);
  if (!state.game) return html`<${Joining} />`;
  if (location.hash === "#watch") return html`<${BigScreen} />`;
  const hasKingdoms = listKingdoms().length > 0;
  const { corners } = state;
  const photo = state.photos.get(corners?.photo);
  const outcome = describeVerdict();
  const showStanding = () => document.getElementById("standing").scrollIntoView({ block: "start" });
  return html`<${Header} />
    <main>
      <${Alerts} />
      <div id="progress">${state.progress && html`<${Reading} />`}</div>
      ${photo && html`<${CornerEditor} ...${corners} photo=${photo} key=${`${corners.photo} ${corners.kingdom}`} />`}
      <${SetupCard} rules=${state.game.rules} round=${state.round} />
      ${hasKingdoms && html`<${Kingdoms} />`}
      ${!hasKingdoms && !photo && html`<${Start} />`}
      ${!hasKingdoms && state.game.rounds.length > 1 && html`<div class="lone"><${StandingCard} /></div>`}
    </main>
    ${outcome && html`<button type="button" id="verdict" dir="auto" onClick=${showStanding}>${outcome}</button>`}
    ${hasKingdoms && html`<${PrintedOverview} game=${state.game} round=${state.round} />`}
    ${state.dialog ? html`<${OpenDialog} />` : html`<${Messages} />`}`;
}

function handleShortcut(event) {
  if (!(event.ctrlKey || event.metaKey) || event.target.matches("input, textarea")) return;
  const key = event.key.toLowerCase();
  if (key === "z") event.shiftKey ? redo() : undo();
  else if (key === "y") redo();
  else return;
  event.preventDefault();
}

function addDroppedFiles(event) {
  const files = [...((event.dataTransfer ?? event.clipboardData)?.files ?? [])];
  if (!files.length) return;
  event.preventDefault();
  addPhotos(files);
}

/** The table that the address names; undefined without one. */
const parseTableInLink = () => location.hash.match(/[#&]table=([A-Z0-9]+)/)?.[1];

/** Open the table or game in the link, if there is one. A key in the link is removed from the address bar: it has been
 * used. */
async function handleLink() {
  if (!state.table || location.hash === "#watch") return update({});
  const table = parseTableInLink();
  if (table && table !== state.table.table && (await join({ table }))) restorePhotos();
  const text = location.hash.match(/^#game=([\w-]*)$/)?.[1];
  if (location.hash) history.replaceState(null, "", location.pathname);
  if (text !== undefined) await openLink(text);
  update({});
}

async function start() {
  fillTexts();
  document.addEventListener("keydown", handleShortcut);
  document.addEventListener("dragover", (event) => event.preventDefault());
  document.addEventListener("drop", addDroppedFiles);
  document.addEventListener("paste", addDroppedFiles);
  addEventListener("hashchange", handleLink);
  addEventListener("online", reconnect);
  addEventListener("pagehide", () => keepWaiting(true));
  document.addEventListener("visibilitychange", () => keepWaiting());
  document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && reconnect());
  document.body.replaceChildren();
  render(html`<${App} />`, document.body);
  await rejoin(parseTableInLink());
  await handleLink();
  restorePhotos();
}

start();
