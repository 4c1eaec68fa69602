// Ways to add kingdoms: camera, photo files, an empty board to tap, typing. The games of this device and this server.

import * as api from "./api.js";
import { decodeGame } from "./link.js";
import { CASTLE, newId } from "./model.js";
import { addPhotos, restorePhotos } from "./photos.js";
import { listGames, loadDraft, saveDraft } from "./storage.js";
import { closeDialog, openDialog, showToast, state } from "./store.js";
import { joinSentences, t } from "./strings.js";
import { addBoard, change, editRefusedBoard, join, removeRefusedBoard } from "./table.js";
import { Button, Dialog, Field, html, Icon, useEffect, useState } from "./ui.js";

/** The buttons that add kingdoms. The browser provides the camera at full resolution and files of any format. */
export function AddButtons() {
  const take = (event) => {
    const files = [...event.target.files];
    event.target.value = "";
    closeDialog();
    addPhotos(files);
  };
  const picker = (icon, text, kind, props) => html`<label class="button ${kind}">
    <input type="file" accept="image/*,.heic,.heif" class="sr-only" onChange=${take} ...${props} /><${Icon} name=${icon} /><span>${text}</span>
  </label>`;
  const addEmpty = () => (closeDialog(), addBoard([CASTLE], "edge"));
  return html`<div class="adders">
    ${picker("camera", t("takePhoto"), "primary", { capture: "environment", id: "camera" })}
    ${picker("image", t("choosePhoto"), "soft", { multiple: true, id: "files" })}
    <${Button} icon="board" text=${t("emptyBoard")} class="soft" onClick=${addEmpty} />
    <${Button} icon="keyboard" text=${t("typeBoard")} class="soft" onClick=${() => openDialog("type")} />
    <p class="hint drop">${t("dropHere")}</p>
  </div>`;
}

export const AddDialog = () => html`<${Dialog} title=${t("addHead")} kind="sheet"><${AddButtons} /><//>`;

/** The board that is typed, or a refused one by its id. Its text is kept until the board is added. */
export function TypeDialog({ board: id }) {
  const [draft] = useState(() => (id ? state.refusedBoards.find((board) => board.id === id).board : loadDraft()));
  const keep = (text) => (id ? editRefusedBoard(id, text) : saveDraft(text));
  const clear = () => (id ? removeRefusedBoard(id) : saveDraft(""));
  const add = (event) => {
    event.preventDefault();
    const rows = event.target.elements.board.value.trim().split(/[\n/]+/).map((row) => row.trim()).filter(Boolean);
    if (addBoard(rows)) (clear(), closeDialog());
  };
  return html`<${Dialog} title=${t("typeBoard")}>
    <form onSubmit=${add}>
      <${Field} name=${t("typeHint")}>
        ${(id) => html`<textarea id=${id} name="board" rows="7" spellcheck=${false} autocapitalize="none" autocomplete="off" required data-focus
          defaultValue=${draft} onInput=${(event) => keep(event.target.value)} placeholder=${"w w1 f f1 l\nw w  f f  l1\ng g  # s  s1"}></textarea>`}
      <//>
      <div class="buttons"><button type="submit" class="primary">${t("typeAdd")}</button></div>
    </form>
  <//>`;
}

/** The games that this server and this device have kept; those of the device come back from their links. */
export function GamesDialog() {
  const [games, setGames] = useState(null);
  const [isFailed, setFailed] = useState(false);
  const fail = (error) => (setFailed(true), showToast(joinSentences(error.message, error.hint)));
  useEffect(() => void api.get("/api/games").then(setGames, fail), []);
  const ids = new Set(games?.map(({ table, number }) => `${table} ${number}`));
  const day = (milliseconds) => new Date(milliseconds).toLocaleString([], { dateStyle: "medium", timeStyle: "short" });
  const openGame = async ({ table, number }) => {
    closeDialog();
    if (table !== state.table.table && !(await join({ table }))) return;
    if (number !== state.game.number) await change({ op: "open_game", number });
    restorePhotos();
  };
  const load = ({ link }) => (closeDialog(), openLink(link));
  const ownGames = games || isFailed ? listGames().filter(({ id }) => !ids.has(id)) : []; // the server has most of them
  return html`<${Dialog} title=${t("games")}>
    ${games?.length === 0 && !ownGames.length && html`<p class="hint">${t("noGames")}</p>`}
    <ul class="games">
      ${games?.map((game) => html`<li key=${`${game.table} ${game.number}`}><button type="button" class="soft" onClick=${() => openGame(game)}>
        <b dir="auto">${game.players.map(({ player }) => player).join(", ")}</b>
        <small>${day(1000 * game.changed)} · ${t("table", { name: game.table })}</small>
        <small dir="auto">${game.text}</small>
      </button></li>`)}
      ${ownGames.map((game) => html`<li key=${game.id}><button type="button" class="soft" onClick=${() => load(game)}>
        <b dir="auto">${game.text}</b><small>${day(game.time)} · ${t("onDevice")}</small>
      </button></li>`)}
    </ul>
  <//>`;
}

/** Start the game of a link as the next game of this table. */
export async function openLink(text) {
  try {
    showToast(t((await change({ op: "load_game", id: newId(), ...decodeGame(text) })) ? "openedLink" : "badLink"));
  } catch {
    showToast(t("badLink"));
  }
}
