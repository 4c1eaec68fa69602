// The pairing page. The key is in the link, behind the #, or a person types it.

import { fillTexts, joinSentences, t } from "./strings.js";

const getById = (id) => document.getElementById(id);

async function pair(key) {
  getById("trouble").textContent = t("pairing");
  const headers = { "Content-Type": "application/json" };
  try {
    const answer = await fetch("/api/pair", { method: "POST", headers, body: JSON.stringify({ key }) });
    if (answer.ok) {
      history.replaceState(null, "", `/${location.hash.replace(/^#key=[\w-]+&?/, "#")}`); // a shared game or a table stays
      location.reload();
      return;
    }
    const { error, hint } = await answer.json();
    getById("trouble").textContent = joinSentences(error, hint);
  } catch {
    getById("trouble").textContent = joinSentences(t("offline"), t("offlineHint"));
  }
  getById("key").select();
}

fillTexts();
getById("form").addEventListener("submit", (event) => {
  event.preventDefault();
  pair(getById("key").value);
});
const key = location.hash.match(/^#key=([\w-]+)(&|$)/)?.[1];
if (key) pair(key);
else getById("key").focus();
