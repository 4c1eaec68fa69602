// Requests to the server; docs/web.md describes its API.

import { t } from "./strings.js";

/** A request that the server refused, with its hint. */
export class Refusal extends Error {
  constructor(status, body) {
    super(body?.error || t("offline"));
    this.status = status;
    this.hint = body?.hint || (body?.error ? "" : t("offlineHint"));
  }
}

/** Whether the same request may succeed later: the server did not answer, could not, or wants the phone paired again. */
export const isTemporary = (error) => error instanceof Refusal && ([0, 401].includes(error.status) || error.status >= 500);

/** The body of a response; null if it is no JSON, such as that of a proxy. */
const parseJson = (response) => response.json().catch(() => null);

async function send(path, options) {
  const response = await fetch(path, options).catch((error) => {
    throw error.name === "AbortError" ? error : new Refusal(0, null);
  });
  if (response.status === 401) location.reload(); // the pairing page
  if (response.ok) return response;
  throw new Refusal(response.status, await parseJson(response));
}

export const get = async (path) => (await send(path)).json();

/** Send an object as JSON; resolves to the response, which has the type that is accepted. */
export function postFor(accept, path, body) {
  const headers = { "Content-Type": "application/json", Accept: accept };
  return send(path, { method: "POST", headers, body: JSON.stringify(body) });
}

export const post = async (path, body) => (await postFor("application/json", path, body)).json();

/** Convert a picture that this browser cannot show to one that it can. */
export async function convertPicture(file, signal) {
  const headers = { "Content-Type": "application/octet-stream" };
  return (await send("/api/picture", { method: "POST", headers, body: file, signal })).blob();
}

/** Send a photo. Calls `onProgress` with reports; resolves to the result, rejects with a Refusal; `signal` aborts. */
export function sendPhoto(path, file, { onProgress, signal }) {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest(); // fetch reports no progress of an upload
    const readReports = () => request.responseText.split("\n").slice(0, -1).map((line) => JSON.parse(line));
    request.open("POST", path);
    request.setRequestHeader("Content-Type", file.type.startsWith("image/") ? file.type : "application/octet-stream");
    request.setRequestHeader("Accept", "application/x-ndjson");
    request.upload.onprogress = ({ loaded, total }) => onProgress({ stage: "sending", share: loaded / total });
    request.onprogress = () => request.status === 200 && readReports().filter(({ stage }) => stage).forEach(onProgress);
    request.onload = async () => {
      if (request.status === 401) location.reload();
      const refusal = { status: request.status, body: await parseJson(new Response(request.responseText)) };
      const { status = 0, body } = request.status === 200 ? (readReports().at(-1) ?? {}) : refusal;
      if (status === 200) resolve(body);
      else reject(new Refusal(status, body));
    };
    request.onerror = () => reject(new Refusal(0, null));
    request.onabort = () => reject(new DOMException("aborted", "AbortError"));
    signal.addEventListener("abort", () => request.abort());
    request.send(file);
  });
}
