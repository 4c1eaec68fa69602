// Sharing the game: as a link, as text, as a picture, as files.

import * as api from "./api.js";
import { button, openDialog, field, h, svg, showToast } from "./dom.js";
import { gameData, encodeGame } from "./model.js";
import { drawGame } from "./card.js";
import { currentKingdoms, state } from "./state.js";
import { formatTotal } from "./points.js";
import { verdict } from "./standing.js";
import { sentences, t } from "./strings.js";

const gameLink = (origin = location.origin) => `${origin}/#game=${encodeGame(state.game)}`;

/** The origin by which phones reach this server; null if only this machine does. */
async function findOrigin() {
  if (!["127.0.0.1", "localhost", "[::1]"].includes(location.hostname)) return location.origin;
  const { link: invitation } = await api.get("/api/invite").catch(() => ({ link: null }));
  return invitation ? new URL(invitation).origin : null;
}

/** The game as text for a message: points, winner and link. */
function gameText(address) {
  const score = state.scores.get(state.game);
  const round = score?.rounds?.[score.ids.length > 1 ? state.game.round : 0];
  const lines = (round?.kingdoms ?? []).map((kingdom) => `${kingdom.player}: ${formatTotal(kingdom)}`);
  return [...lines, verdict(), address].filter(Boolean).join("\n");
}

export function openShareDialog() {
  const address = h("input", { readonly: true, value: gameLink(), onfocus: (event) => event.target.select() });
  const where = h("p", { class: "hint" }, t("shareHint"));
  findOrigin().then((found) => (found ? (address.value = gameLink(found)) : where.append(` ${t("shareLocal")}`)));
  const act = (name, text, run) => button(name, text, run, { class: "soft" });
  const content = [
    where,
    field(t("link"), address),
    h(
      "div",
      { class: "pairs" },
      act("share", t("copyLink"), () => copyText(address.value, address)),
      act("keyboard", t("copyText"), () => copyText(gameText(address.value), address)),
      navigator.share && act("phone", t("sendOn"), () => navigator.share({ title: t("title"), text: gameText(address.value) }).catch(() => {})),
      act("image", t("savePicture"), downloadPicture),
      act("check", t("saveJson"), () => downloadScore("application/json", "kdvision.json")),
      act("check", t("saveFile"), () => downloadScore("application/toml", "kdvision.toml")),
    ),
  ];
  openDialog(t("shareHead"), content, { close: t("close") });
}

/** Copy a text. Browsers forbid the clipboard API to pages without a certificate; then select and copy. */
async function copyText(text, box) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const before = box.value;
    box.value = text;
    box.select();
    const done = document.execCommand("copy");
    box.value = before;
    if (!done) return showToast(t("copyByHand"));
  }
  showToast(t("copied"));
}

function download(blob, name) {
  const anchor = h("a", { href: URL.createObjectURL(blob), download: name });
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(anchor.href), 60_000);
}

async function downloadPicture() {
  const canvas = await drawGame(currentKingdoms());
  canvas.toBlob((blob) => download(blob, "kdvision.png"), "image/png");
}

async function downloadScore(kind, name) {
  try {
    download(await (await api.post("/api/score", gameData(state.game).data, kind)).blob(), name);
  } catch (error) {
    showToast(sentences(error.message, error.hint));
  }
}

/** Open a dialog with the QR code for another phone. */
export async function openInviteDialog() {
  const { link: here, qr } = await api.get("/api/invite").catch((error) => (showToast(sentences(error.message, error.hint)), {}));
  if (!qr) return;
  const content = here
    ? [h("p", { class: "hint" }, t("inviteHint")), qrCode(qr), h("p", { class: "address" }, here)]
    : [h("p", {}, t("inviteLocal"))];
  openDialog(t("inviteHead"), content, { close: t("close") });
}

function qrCode(rows) {
  const size = rows.length + 8;
  const dark = rows.flatMap((row, y) => [...row].map((module, x) => (module === "1" ? `M${x + 4} ${y + 4}h1v1h-1z` : "")));
  return svg(
    "svg",
    { class: "qr", viewBox: `0 0 ${size} ${size}`, role: "img", "aria-label": t("inviteHead"), "shape-rendering": "crispEdges" },
    svg("rect", { width: size, height: size, fill: "#fff" }),
    svg("path", { d: dark.join(""), fill: "#000" }),
  );
}
