// The page as a whole. After each change the views are built again; elements that did not change stay (dom.js).

import { addPhotos, updateKingdom, retryRequests, dismissError, newGame, progress, removeKingdom, score, selectKingdom, undoAction } from "./actions.js";
import { openAddDialog, addButtons } from "./add.js";
import * as api from "./api.js";
import { boardView, highlightOpenLine, terrainLetters } from "./board.js";
import { startDrag } from "./corners.js";
import { button, openDialog, h, icon, updateChildren, runAfterTap, showToast } from "./dom.js";
import { gemsView } from "./gems.js";
import { COLOURS, decodeGame } from "./model.js";
import { drawingView, photoView } from "./photoview.js";
import { piecesView } from "./pieces.js";
import { pointsView } from "./points.js";
import { setupView } from "./setup.js";
import { openInviteDialog, openShareDialog } from "./share.js";
import { startReview } from "./sheet.js";
import { shortTotal, standingView, verdict } from "./standing.js";
import { commit, loadGame, onChange, redo, refresh, setFlag, hasFlag, selectedKingdom, replaceGame, currentKingdoms, state, undo } from "./state.js";
import { fillTexts, sentences, t } from "./strings.js";

const byId = (id) => document.getElementById(id);

// The start page.

function startView() {
  return h(
    "section",
    { class: "start" },
    h("img", { src: "/icons/icon.svg", alt: "", width: 96, height: 96 }),
    h("h2", {}, t("startHead")),
    h("p", {}, t("startHint")),
    addButtons(),
    h("p", { class: "hint" }, t(state.rules?.keeps ? "privacyKept" : "privacy")),
  );
}

// The page with kingdoms.

function tabs() {
  const tab = (kingdom) => {
    const total = shortTotal(kingdom);
    const unsure = kingdom.seen?.doubts.length ?? 0;
    const current = kingdom.id === state.selected;
    return h(
      "button",
      {
        type: "button",
        class: "tab",
        "aria-current": current ? "true" : null,
        "data-key": `tab ${kingdom.id}`,
        onclick: () => selectKingdom(kingdom.id),
      },
      h("span", { class: `dot castle-${kingdom.colour}`, "aria-hidden": "true" }),
      h("span", { class: "tab-name" }, kingdom.player),
      total === null ? null : h("b", {}, total),
      unsure ? h("span", { class: "badge", title: t("toCheck", { n: unsure }) }, `${unsure}?`) : null,
    );
  };
  const add = button("plus", t("addKingdom"), openAddDialog, { class: "tab add", "data-key": "tab add", "aria-label": t("addHead") });
  return h("nav", { class: "tabs", "aria-label": t("kingdoms") }, currentKingdoms().map(tab), add);
}

function playerView(kingdom) {
  const total = shortTotal(kingdom);
  const rename = (event) => {
    const player = event.target.value.trim().slice(0, 40);
    if (player && player !== kingdom.player) runAfterTap(() => updateKingdom(kingdom.id, { player }));
    else event.target.value = kingdom.player;
  };
  return h(
    "section",
    { class: "who-card" },
    h(
      "span",
      { class: `castle castle-${kingdom.colour}` },
      h(
        "select",
        { "aria-label": t("colour"), value: kingdom.colour, "data-key": "colour", onchange: (event) => updateKingdom(kingdom.id, { colour: event.target.value }) },
        COLOURS.map((colour) => h("option", { value: colour }, t("colours")[colour])),
      ),
    ),
    h("input", {
      class: "name",
      value: kingdom.player,
      maxlength: 40,
      "aria-label": t("name"),
      autocomplete: "off",
      "data-key": `name ${kingdom.id}`,
      onchange: rename,
      onkeydown: (event) => event.key === "Enter" && event.target.blur(),
    }),
    h("output", { class: "big", "aria-label": t("total") }, total ?? "…"),
    button("trash", t("removeKingdom"), () => removeKingdom(kingdom), { label: false, class: "quiet round", "data-key": "remove" }),
  );
}

function reviewView(kingdom) {
  const doubts = kingdom.seen?.doubts.length ?? 0;
  if (doubts) {
    return h(
      "div",
      { class: "review" },
      h("span", {}, t("toCheck", { n: doubts })),
      button("check", t("checkNow"), startReview, { class: "primary", "data-key": "check" }),
    );
  }
  if (!kingdom.seen?.review || Object.keys(kingdom.fixes).length) return null;
  const [odd] = kingdom.seen.problems;
  const words = odd ? t("odd", { what: odd }) : t("compare", { percent: Math.min(99, Math.round(100 * kingdom.seen.probability)) });
  return h("div", { class: "review" }, sentences(words));
}

function boardCard(kingdom) {
  const edge = () => ((state.mode = state.mode === "edge" ? "" : "edge"), refresh());
  const on = state.mode === "edge";
  return h(
    "section",
    { class: "card board-card", "aria-label": t("board") },
    boardView(kingdom),
    h(
      "div",
      { class: "toolbar" },
      button("edge", on ? t("done") : t("addEdge"), edge, { class: "quiet", "data-key": "edge", "aria-pressed": String(on) }),
    ),
    on ? h("p", { class: "hint" }, t("edgeHint")) : hint("board", t("boardHint")),
    h("p", { class: "hint keys" }, t("boardKeys", { letters: terrainLetters().filter((one) => one !== "#").join(" ") })),
  );
}

/** A hint for first-time users, until they dismiss it. */
function hint(key, text) {
  if (hasFlag(`hint-${key}`)) return null;
  const dismiss = () => (setFlag(`hint-${key}`), refresh());
  return h("p", { class: "hint first" }, text, " ", button(null, t("gotIt"), dismiss, { class: "quiet" }));
}

function tableView() {
  const kingdom = selectedKingdom();
  return [
    tabs(),
    h(
      "div",
      { class: "table" },
      h("div", { class: "column", "data-key": `player ${kingdom.id}` }, playerView(kingdom), reviewView(kingdom), photoView(kingdom)),
      h("div", { class: "column", "data-key": `board ${kingdom.id}` }, boardCard(kingdom), piecesView(kingdom), gemsView(kingdom), pointsView(kingdom)),
      h("div", { class: "column", "data-key": "game" }, standingView(), setupView()),
    ),
  ];
}

function errorView(error) {
  const draw = () => {
    startDrag(error.photo, null, { alone: true });
    dismissError(error);
  };
  return h(
    "div",
    { class: "card notice", role: "alert" },
    h("p", {}, h("b", {}, sentences(error.text)), ` ${sentences(error.hint)}`),
    h(
      "div",
      { class: "buttons" },
      button("turn", t("again"), error.again, { class: "soft" }),
      error.photo && button("corners", t("drawHere"), draw, { class: "soft" }),
      button("close", t("close"), () => dismissError(error), { class: "quiet" }),
    ),
  );
}

function progressView() {
  if (!progress.text) return null;
  const bar = h("progress", { max: 1, "aria-label": progress.text });
  if (progress.share !== null) bar.value = progress.share;
  return h(
    "div",
    { class: "card notice", role: "status" },
    h("p", {}, progress.text),
    bar,
    progress.stop && button("close", t("cancel"), () => progress.stop.abort(), { class: "quiet" }),
  );
}

function render() {
  const some = currentKingdoms().length > 0;
  document.body.classList.toggle("empty", !some);
  byId("undo").disabled = !state.past.length;
  byId("redo").disabled = !state.future.length;
  byId("share").disabled = !some;
  updateChildren(byId("progress"), progress.errors.map(errorView), progressView());
  const drawing = state.drawingPhoto ? drawingView() : null;
  updateChildren(byId("content"), drawing, some ? tableView() : [startView(), h("div", { class: "lone" }, earlierStandingView(), setupView())]);
  highlightOpenLine();
  const words = some ? verdict() : "";
  byId("verdict").textContent = words;
  byId("verdict").hidden = !words;
}

const earlierStandingView = () => (state.game.rounds.length > 1 ? standingView() : null);

// The menu, shortcuts, and files that are dropped or pasted.

function openMenu() {
  const act = (name, text, run) => button(name, text, () => (node.close(), run()), { class: "soft wide" });
  const list = [act("plus", t("newGame"), newGame), act("phone", t("invite"), openInviteDialog), act("help", t("help"), openHelp)];
  const node = openDialog(t("menu"), h("div", { class: "stack" }, list), { close: t("close"), kind: "sheet" });
}

function openHelp() {
  openDialog(t("help"), h("ul", { class: "help" }, t("helpLines").map((line) => h("li", {}, line))), { close: t("close") });
}

const undoStep = () => undo() && score();
const redoStep = () => redo() && score();

function handleShortcut(event) {
  if (!(event.ctrlKey || event.metaKey) || event.target.matches("input, textarea")) return;
  const key = event.key.toLowerCase();
  if (key === "z") event.shiftKey ? redoStep() : undoStep();
  else if (key === "y") redoStep();
  else return;
  event.preventDefault();
}

function addDroppedFiles(event) {
  const files = [...(event.dataTransfer ?? event.clipboardData)?.files ?? []];
  if (!files.length) return;
  event.preventDefault();
  addPhotos(files);
}

/** Open the game in the link, if there is one. A key in the link is removed from the address bar: it has been used. */
function openLink() {
  const text = location.hash.match(/^#game=([\w-]+)$/)?.[1];
  if (location.hash) history.replaceState(null, "", location.pathname);
  if (!text) return false;
  try {
    commit(decodeGame(text));
    showToast(t("openedLink"), state.past[0]?.rounds[0].length ? undoAction() : null);
  } catch {
    showToast(t("badLink"));
  }
  return true;
}

async function start() {
  fillTexts();
  onChange(render);
  byId("undo").addEventListener("click", undoStep);
  byId("redo").addEventListener("click", redoStep);
  byId("share").addEventListener("click", openShareDialog);
  byId("menu").addEventListener("click", openMenu);
  byId("verdict").addEventListener("click", () => byId("standing")?.scrollIntoView({ block: "start" }));
  document.addEventListener("keydown", handleShortcut);
  document.addEventListener("dragover", (event) => event.preventDefault());
  document.addEventListener("drop", addDroppedFiles);
  document.addEventListener("paste", addDroppedFiles);
  addEventListener("hashchange", () => openLink() && score());
  for (const id of ["undo", "redo", "share", "menu"]) {
    const node = byId(id);
    node.replaceChildren(icon(id));
    node.setAttribute("aria-label", t(id));
    node.title = t(id);
  }
  addEventListener("online", retryAll);
  document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && retryAll());
  const before = loadGame();
  if (before?.rounds) replaceGame(migrateGame(before));
  refresh();
  await loadRules();
  openLink();
  refresh();
  score();
}

/** Add `untold` to a game that an earlier version of the page stored without it. */
function migrateGame(game) {
  const whole = (kingdom) => ({ ...kingdom, pieces: { untold: [], ...kingdom.pieces } });
  return { ...game, rounds: game.rounds.map((kingdoms) => kingdoms.map(whole)) };
}

/** Load the rules; without them no square can be corrected. */
async function loadRules() {
  try {
    state.rules = await api.get("/api/rules");
  } catch (error) {
    showToast(sentences(error.message, error.hint), { text: t("again"), run: loadRules });
  }
  refresh();
}

function retryAll() {
  if (!state.rules) loadRules();
  retryRequests();
}

start();
