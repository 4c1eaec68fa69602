// Handing the game on: as a link, as text, as a picture, as files.

import * as api from "./api.js";
import { button, dialog, field, h, svg, toast } from "./dom.js";
import { gameData, packed } from "./model.js";
import { drawnGame } from "./card.js";
import { shown, state } from "./state.js";
import { totalWords } from "./points.js";
import { verdict } from "./standing.js";
import { sentences, t } from "./strings.js";

const link = (origin = location.origin) => `${origin}/#game=${packed(state.game)}`;

/** Under which address phones reach this server, where this page has it under one of this machine's own. */
async function origin() {
  if (!["127.0.0.1", "localhost", "[::1]"].includes(location.hostname)) return location.origin;
  const { link: invitation } = await api.get("/api/invite").catch(() => ({ link: null }));
  return invitation ? new URL(invitation).origin : null;
}

/** The game in words, for a message: who has how many points, who wins, and the link. */
function words(address) {
  const score = state.scores.get(state.game);
  const round = score?.rounds?.[score.ids.length > 1 ? state.game.round : 0];
  const lines = (round?.kingdoms ?? []).map((kingdom) => `${kingdom.player}: ${totalWords(kingdom)}`);
  return [...lines, verdict(), address].filter(Boolean).join("\n");
}

export function shareDialog() {
  const address = h("input", { readonly: true, value: link(), onfocus: (event) => event.target.select() });
  const where = h("p", { class: "hint" }, t("shareHint"));
  origin().then((found) => (found ? (address.value = link(found)) : where.append(` ${t("shareLocal")}`)));
  const act = (name, text, run) => button(name, text, run, { class: "soft" });
  const content = [
    where,
    field(t("link"), address),
    h(
      "div",
      { class: "pairs" },
      act("share", t("copyLink"), () => copy(address.value, address)),
      act("keyboard", t("copyText"), () => copy(words(address.value), address)),
      navigator.share && act("phone", t("sendOn"), () => navigator.share({ title: t("title"), text: words(address.value) }).catch(() => {})),
      act("image", t("savePicture"), savePicture),
      act("check", t("saveJson"), () => saveAnswer("application/json", "kdvision.json")),
      act("check", t("saveFile"), () => saveAnswer("application/toml", "kdvision.toml")),
    ),
  ];
  dialog(t("shareHead"), content, { close: t("close") });
}

/** Copy a text; where the browser forbids that (pages without a certificate), by the old way. */
async function copy(text, box) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const before = box.value;
    box.value = text;
    box.select();
    const done = document.execCommand("copy");
    box.value = before;
    if (!done) return toast(t("copyByHand"));
  }
  toast(t("copied"));
}

function save(blob, name) {
  const anchor = h("a", { href: URL.createObjectURL(blob), download: name });
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(anchor.href), 60_000);
}

async function savePicture() {
  const canvas = await drawnGame(shown());
  canvas.toBlob((blob) => save(blob, "kdvision.png"), "image/png");
}

async function saveAnswer(kind, name) {
  try {
    save(await (await api.post("/api/score", gameData(state.game).data, kind)).blob(), name);
  } catch (error) {
    toast(sentences(error.message, error.hint));
  }
}

/** The QR code by which another phone comes in. */
export async function inviteDialog() {
  const { link: here, qr } = await api.get("/api/invite").catch((error) => (toast(sentences(error.message, error.hint)), {}));
  if (!qr) return;
  const content = here
    ? [h("p", { class: "hint" }, t("inviteHint")), code(qr), h("p", { class: "address" }, here)]
    : [h("p", {}, t("inviteLocal"))];
  dialog(t("inviteHead"), content, { close: t("close") });
}

function code(rows) {
  const size = rows.length + 8;
  const dark = rows.flatMap((row, y) => [...row].map((module, x) => (module === "1" ? `M${x + 4} ${y + 4}h1v1h-1z` : "")));
  return svg(
    "svg",
    { class: "qr", viewBox: `0 0 ${size} ${size}`, role: "img", "aria-label": t("inviteHead"), "shape-rendering": "crispEdges" },
    svg("rect", { width: size, height: size, fill: "#fff" }),
    svg("path", { d: dark.join(""), fill: "#000" }),
  );
}
