// The page as a whole. After each change the views are built again; elements that did not change stay (dom.js).

import { addPhotos, amend, askAgain, dismiss, newGame, progress, removeKingdom, score, select, undoAction } from "./actions.js";
import { addDialog, adders } from "./add.js";
import * as api from "./api.js";
import { boardView, highlightOpenLine, letters } from "./board.js";
import { startDrag } from "./corners.js";
import { button, dialog, h, icon, replace, runAfterTap, toast } from "./dom.js";
import { gemsView } from "./gems.js";
import { COLOURS, unpacked } from "./model.js";
import { drawingView, photoView } from "./photoview.js";
import { piecesView } from "./pieces.js";
import { pointsView } from "./points.js";
import { setupView } from "./setup.js";
import { inviteDialog, shareDialog } from "./share.js";
import { checkAll } from "./sheet.js";
import { pointsOf, standingView, verdict } from "./standing.js";
import { go, kept, onChange, redo, refresh, remember, remembered, selected, settle, shown, state, undo } from "./state.js";
import { fillTexts, sentences, t } from "./strings.js";

const byId = (id) => document.getElementById(id);

// What is there before anything is.

function startView() {
  return h(
    "section",
    { class: "start" },
    h("img", { src: "/icons/icon.svg", alt: "", width: 96, height: 96 }),
    h("h2", {}, t("startHead")),
    h("p", {}, t("startHint")),
    adders(),
    h("p", { class: "hint" }, t(state.rules?.keeps ? "privacyKept" : "privacy")),
  );
}

// The table.

function tabs() {
  const tab = (kingdom) => {
    const total = pointsOf(kingdom);
    const unsure = kingdom.seen?.doubts.length ?? 0;
    const current = kingdom.id === state.selected;
    return h(
      "button",
      {
        type: "button",
        class: "tab",
        "aria-current": current ? "true" : null,
        "data-key": `tab ${kingdom.id}`,
        onclick: () => select(kingdom.id),
      },
      h("span", { class: `dot castle-${kingdom.colour}`, "aria-hidden": "true" }),
      h("span", { class: "tab-name" }, kingdom.player),
      total === null ? null : h("b", {}, total),
      unsure ? h("span", { class: "badge", title: t("toCheck", { n: unsure }) }, `${unsure}?`) : null,
    );
  };
  const add = button("plus", t("addKingdom"), addDialog, { class: "tab add", "data-key": "tab add", "aria-label": t("addHead") });
  return h("nav", { class: "tabs", "aria-label": t("kingdoms") }, shown().map(tab), add);
}

function whoView(kingdom) {
  const total = pointsOf(kingdom);
  const rename = (event) => {
    const player = event.target.value.trim().slice(0, 40);
    if (player && player !== kingdom.player) runAfterTap(() => amend(kingdom.id, { player }));
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
        { "aria-label": t("colour"), value: kingdom.colour, "data-key": "colour", onchange: (event) => amend(kingdom.id, { colour: event.target.value }) },
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
      button("check", t("checkNow"), checkAll, { class: "primary", "data-key": "check" }),
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
    h("p", { class: "hint keys" }, t("boardKeys", { letters: letters().filter((one) => one !== "#").join(" ") })),
  );
}

/** A line for people who are here for the first time; it stays away once they have said so. */
function hint(key, text) {
  if (remembered(`hint-${key}`)) return null;
  const gone = () => (remember(`hint-${key}`), refresh());
  return h("p", { class: "hint first" }, text, " ", button(null, t("gotIt"), gone, { class: "quiet" }));
}

function tableView() {
  const kingdom = selected();
  return [
    tabs(),
    h(
      "div",
      { class: "table" },
      h("div", { class: "column", "data-key": `player ${kingdom.id}` }, whoView(kingdom), reviewView(kingdom), photoView(kingdom)),
      h("div", { class: "column", "data-key": `board ${kingdom.id}` }, boardCard(kingdom), piecesView(kingdom), gemsView(kingdom), pointsView(kingdom)),
      h("div", { class: "column", "data-key": "game" }, standingView(), setupView()),
    ),
  ];
}

function faultView(fault) {
  const draw = () => {
    startDrag(fault.photo, null, { alone: true });
    dismiss(fault);
  };
  return h(
    "div",
    { class: "card notice", role: "alert" },
    h("p", {}, h("b", {}, sentences(fault.text)), ` ${sentences(fault.hint)}`),
    h(
      "div",
      { class: "buttons" },
      button("turn", t("again"), fault.again, { class: "soft" }),
      fault.photo && button("corners", t("drawHere"), draw, { class: "soft" }),
      button("close", t("close"), () => dismiss(fault), { class: "quiet" }),
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
  const some = shown().length > 0;
  document.body.classList.toggle("empty", !some);
  byId("undo").disabled = !state.past.length;
  byId("redo").disabled = !state.future.length;
  byId("share").disabled = !some;
  replace(byId("progress"), progress.errors.map(faultView), progressView());
  const drawing = state.drawn ? drawingView() : null;
  replace(byId("content"), drawing, some ? tableView() : [startView(), h("div", { class: "lone" }, standingOfEarlier(), setupView())]);
  highlightOpenLine();
  const words = some ? verdict() : "";
  byId("verdict").textContent = words;
  byId("verdict").hidden = !words;
}

const standingOfEarlier = () => (state.game.rounds.length > 1 ? standingView() : null);

// The menu, keys, files that are dropped or pasted.

function menu() {
  const act = (name, text, run) => button(name, text, () => (node.close(), run()), { class: "soft wide" });
  const list = [act("plus", t("newGame"), newGame), act("phone", t("invite"), inviteDialog), act("help", t("help"), helpDialog)];
  const node = dialog(t("menu"), h("div", { class: "stack" }, list), { close: t("close"), kind: "sheet" });
}

function helpDialog() {
  dialog(t("help"), h("ul", { class: "help" }, t("helpLines").map((line) => h("li", {}, line))), { close: t("close") });
}

const back = () => undo() && score();
const forth = () => redo() && score();

function shortcut(event) {
  if (!(event.ctrlKey || event.metaKey) || event.target.matches("input, textarea")) return;
  const key = event.key.toLowerCase();
  if (key === "z") event.shiftKey ? forth() : back();
  else if (key === "y") forth();
  else return;
  event.preventDefault();
}

function dropped(event) {
  const files = [...(event.dataTransfer ?? event.clipboardData)?.files ?? []];
  if (!files.length) return;
  event.preventDefault();
  addPhotos(files);
}

/** The game that a link holds; the key that a link holds was used already and is taken out of sight. */
function fromLink() {
  const text = location.hash.match(/^#game=([\w-]+)$/)?.[1];
  if (location.hash) history.replaceState(null, "", location.pathname);
  if (!text) return false;
  try {
    go(unpacked(text));
    toast(t("openedLink"), state.past[0]?.rounds[0].length ? undoAction() : null);
  } catch {
    toast(t("badLink"));
  }
  return true;
}

async function begin() {
  fillTexts();
  onChange(render);
  byId("undo").addEventListener("click", back);
  byId("redo").addEventListener("click", forth);
  byId("share").addEventListener("click", shareDialog);
  byId("menu").addEventListener("click", menu);
  byId("verdict").addEventListener("click", () => byId("standing")?.scrollIntoView({ block: "start" }));
  document.addEventListener("keydown", shortcut);
  document.addEventListener("dragover", (event) => event.preventDefault());
  document.addEventListener("drop", dropped);
  document.addEventListener("paste", dropped);
  addEventListener("hashchange", () => fromLink() && score());
  for (const id of ["undo", "redo", "share", "menu"]) {
    const node = byId(id);
    node.replaceChildren(icon(id));
    node.setAttribute("aria-label", t(id));
    node.title = t(id);
  }
  addEventListener("online", askAll);
  document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && askAll());
  const before = kept();
  if (before?.rounds) settle(withPieces(before));
  refresh();
  await learn();
  fromLink();
  refresh();
  score();
}

/** Games that this tab kept when pieces were not yet told apart from those that nobody has told. */
function withPieces(game) {
  const whole = (kingdom) => ({ ...kingdom, pieces: { untold: [], ...kingdom.pieces } });
  return { ...game, rounds: game.rounds.map((kingdoms) => kingdoms.map(whole)) };
}

/** Ask what the rules know; without it no square can be named. */
async function learn() {
  try {
    state.rules = await api.get("/api/rules");
  } catch (error) {
    toast(sentences(error.message, error.hint), { text: t("again"), run: learn });
  }
  refresh();
}

function askAll() {
  if (!state.rules) learn();
  askAgain();
}

begin();
