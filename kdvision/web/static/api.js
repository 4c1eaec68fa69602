// The server's API: docs/web.md.

import { t } from "./strings.js";

/** What the server refused, with its advice. */
export class Refusal extends Error {
  constructor(status, body) {
    super(body?.error || t("offline"));
    this.status = status;
    this.hint = body?.hint || (body?.error ? "" : t("offlineHint"));
    this.wait = body?.wait;
  }
}

async function answered(response) {
  if (response.status === 401) location.reload();
  if (response.ok) return response;
  throw new Refusal(response.status, await response.json().catch(() => null));
}

async function call(path, options) {
  let response;
  try {
    response = await fetch(path, options);
  } catch (error) {
    throw error.name === "AbortError" ? error : new Refusal(0, null);
  }
  return answered(response);
}

export const get = async (path) => (await call(path)).json();

export function post(path, body, accept = "application/json") {
  const headers = { "Content-Type": "application/json", Accept: accept };
  return call(path, { method: "POST", headers, body: JSON.stringify(body) });
}

export const score = async (data) => (await post("/api/score", data)).json();

export const decide = async (kingdoms, { side, game, variants }) =>
  (await post("/api/decide", { kingdoms, side, game, ...flagsOf(variants) })).json();

/** The variants as the server's options: `{ middle_kingdom: true }`. */
const flagsOf = (variants) => Object.fromEntries(variants.map((id) => [id.replaceAll("-", "_"), true]));

/** Whether it is worth to ask the same again: the server did not answer, or could not. */
export const passing = (error) => error instanceof Refusal && (error.status === 0 || error.status >= 500);

/** A picture that this browser cannot show, as one that it can. */
export async function picture(file, signal) {
  const headers = { "Content-Type": "application/octet-stream" };
  return (await call("/api/picture", { method: "POST", headers, body: file, signal })).blob();
}

/** Read a photo; `tell` hears of progress. Resolves to what was read, rejects with a Refusal; `signal` gives up. */
export function read(file, { side = null, game = "auto", gems = false, corners = [], tell = () => {}, signal = null } = {}) {
  signal?.throwIfAborted();
  const query = new URLSearchParams(corners.map((outline) => ["corners", outline]));
  if (side) query.set("side", side);
  if (gems) query.set("lost_treasures", "true");
  query.set("game", game);
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    let heard = 0;
    let end = null;
    const listen = () => {
      const lines = request.responseText.slice(heard).split("\n");
      heard += request.responseText.slice(heard).lastIndexOf("\n") + 1;
      for (const line of lines.slice(0, -1)) {
        const word = JSON.parse(line);
        if ("status" in word) end = word;
        else tell(word);
      }
    };
    request.open("POST", `/api/read?${query}`);
    request.setRequestHeader("Content-Type", file.type.startsWith("image/") ? file.type : "application/octet-stream");
    request.setRequestHeader("Accept", "application/x-ndjson");
    request.upload.onprogress = ({ loaded, total }) => tell({ stage: "sending", share: loaded / total });
    request.onprogress = () => request.status === 200 && listen();
    request.onload = () => {
      if (request.status === 401) location.reload();
      if (request.status !== 200) return reject(new Refusal(request.status, parsed(request.responseText)));
      listen();
      if (end?.status === 200) resolve(end.body);
      else reject(new Refusal(end?.status ?? 0, end?.body));
    };
    request.onerror = () => reject(new Refusal(0, null));
    request.onabort = () => reject(new DOMException("given up", "AbortError"));
    signal?.addEventListener("abort", () => request.abort());
    request.send(file);
  });
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
