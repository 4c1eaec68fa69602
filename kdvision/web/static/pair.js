// The pairing page. The key is in the link, behind the #, or a person types it.

import { fillTexts, sentences, t } from "./strings.js";

const byId = (id) => document.getElementById(id);

async function pair(key) {
  byId("trouble").textContent = t("pairing");
  const headers = { "Content-Type": "application/json" };
  try {
    const answer = await fetch("/api/pair", { method: "POST", headers, body: JSON.stringify({ key }) });
    if (answer.ok) {
      history.replaceState(null, "", `/${location.hash.replace(/^#key=[\w-]+&?/, "#")}`); // a shared game or a table stays
      location.reload();
      return;
    }
    const { error, hint } = await answer.json();
    byId("trouble").textContent = sentences(error, hint);
  } catch {
    byId("trouble").textContent = sentences(t("offline"), t("offlineHint"));
  }
  byId("key").select();
}

fillTexts();
byId("form").addEventListener("submit", (event) => {
  event.preventDefault();
  pair(byId("key").value);
});
const key = location.hash.match(/^#key=([\w-]+)(&|$)/)?.[1];
if (key) pair(key);
else byId("key").focus();
