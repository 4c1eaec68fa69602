// Sharing the game: as a link, as text, as a picture, as files. Inviting phones and screens to the table.

import * as api from "./api.js";
import { drawGame } from "./card.js";
import { encodeGame, toGameFile } from "./link.js";
import { formatTotal } from "./points.js";
import { getPlayedGame, getScore, listKingdoms, listPlayedVariants, showToast, state } from "./store.js";
import { describeVerdict } from "./standing.js";
import { joinSentences, t } from "./strings.js";
import { Button, Dialog, Field, html, useEffect, useState } from "./ui.js";

const URL_MS = 60_000;
const CHECKS = ["probability", "points_probability", "review", "doubts", "problems"]; // of a kingdom, which photos decide
const PIECES = ["towns", "coins", "towers", "queen", "knights", "spare_knights", "buildings"];

/** The invitation of the server: `{ link, qr }`, once it has arrived; link is null if only this machine is served. */
function useInvitation() {
  const [invitation, setInvitation] = useState(null);
  const refuse = (error) => showToast(joinSentences(error.message, error.hint));
  useEffect(() => void api.get(`/api/invite?table=${state.table.table}`).then(setInvitation, refuse), []);
  return invitation;
}

/** A text with each option of the command line as code, which is not broken at its hyphens. */
const markOptions = (text) => text.split(/(--[a-z]+)/).map((part, n) => (n % 2 ? html`<code>${part}</code>` : part));

export function ShareDialog() {
  const invitation = useInvitation();
  const isLocal = ["127.0.0.1", "localhost", "[::1]"].includes(location.hostname);
  const origin = isLocal && invitation?.link ? new URL(invitation.link).origin : location.origin;
  const link = `${origin}/#game=${encodeGame(state.game)}`;
  const totals = listKingdoms().map((kingdom) => `${kingdom.player}: ${getScore(kingdom) ? formatTotal(getScore(kingdom)) : "?"}`);
  const text = [...totals, describeVerdict(), link].filter(Boolean).join("\n");
  const act = (icon, name, run) => html`<${Button} icon=${icon} text=${t(name)} class="soft" onClick=${run} />`;
  return html`<${Dialog} title=${t("shareHead")}>
    <p class="hint">${t("shareHint")} ${isLocal && invitation && !invitation.link && markOptions(t("shareLocal"))}</p>
    <${Field} name=${t("link")}>${(id) => html`<input id=${id} readonly value=${link} onFocus=${(event) => event.target.select()} />`}<//>
    <div class="pairs">
      ${act("share", "copyLink", () => copyText(link))}
      ${act("keyboard", "copyText", () => copyText(text))}
      ${navigator.share && act("phone", "sendOn", () => navigator.share({ title: t("title"), text }).catch(() => {}))}
      ${act("image", "savePicture", downloadPicture)}
      ${act("check", "saveJson", downloadResult)}
      ${act("check", "saveFile", downloadGameFile)}
      ${act("image", "print", () => print())}
    </div>
  <//>`;
}

/** Copy a text. The clipboard API is not for pages without a certificate, which most phones open. */
function copyText(text) {
  const box = document.createElement("textarea"); // an input would join the lines
  box.value = text;
  document.querySelector("dialog").append(box);
  box.select();
  const isCopied = document.execCommand("copy");
  box.remove();
  showToast(t(isCopied ? "copied" : "copyByHand"));
}

function download(blob, name) {
  const anchor = Object.assign(document.createElement("a"), { href: URL.createObjectURL(blob), download: name });
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(anchor.href), URL_MS);
}

async function downloadPicture() {
  try {
    const canvas = await drawGame(listKingdoms());
    canvas.toBlob((blob) => download(blob, "kdvision.png"), "image/png");
  } catch {
    showToast(joinSentences(t("offline"), t("offlineHint")));
  }
}

/** Save the result as JSON, with what is left to check: the score of the game alone would look certain. */
const downloadResult = () => downloadScore("application/json", "kdvision.json", async (response, { score, game }) => {
  const result = await response.json();
  for (const [number, { kingdoms, verdict }] of score.rounds.entries()) {
    const round = result.rounds[number];
    round.kingdoms.forEach((kingdom, index) => {
      CHECKS.forEach((key) => (kingdom[key] = kingdoms[index][key]));
      kingdom.review ||= game.deciding.includes(number);
    });
    if (kingdoms.length < 2 || verdict.certain) continue;
    Object.assign(round, { standing: null, outlook: verdict.text });
    Object.assign(result, { standing: null, winners: [] });
  }
  return JSON.stringify(result);
});

const downloadGameFile = () => downloadScore("application/toml", "kdvision.toml", (response) => response.text());

/** Save what `write` makes of the server's response and of the table, which may change meanwhile. */
async function downloadScore(type, name, write) {
  const { table } = state;
  const { pieces, teams } = getPlayedGame();
  const keys = ["discarded", "claims", ...(pieces ? PIECES : []), ...listPlayedVariants().flatMap(({ facts }) => facts)];
  try {
    const game = toGameFile(table.game, keys, teams && table.game.rules.teams);
    download(new Blob([await write(await api.postFor(type, "/api/score", game), table)], { type }), name);
  } catch (error) {
    showToast(joinSentences(error.message, error.hint));
  }
}

/** The QR code for other phones, and the tables of the server. */
export function InviteDialog() {
  const invitation = useInvitation();
  const { link, qr } = invitation ?? {};
  return html`<${Dialog} title=${t("invite")}>
    ${link && html`<p class="hint">${t("inviteHint")}</p><${QrCode} rows=${qr} /><p class="address">${link}</p>`}
    ${invitation && !link && html`<p>${markOptions(t("inviteLocal"))}</p>`}
    <p class="hint">${t("tableHint", { name: state.table.table })}</p>
  <//>`;
}

function QrCode({ rows }) {
  const size = rows.length + 8;
  const dark = rows.flatMap((row, y) => [...row].map((module, x) => (module === "1" ? `M${x + 4} ${y + 4}h1v1h-1z` : "")));
  return html`<svg class="qr" viewBox="0 0 ${size} ${size}" role="img" aria-label=${t("invite")} shape-rendering="crispEdges">
    <rect width=${size} height=${size} fill="#fff" /><path d=${dark.join("")} fill="#000" />
  </svg>`;
}
