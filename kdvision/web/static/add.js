// Ways to add kingdoms: camera, photo files, typing.

import { addPhotos, addTyped } from "./actions.js";
import { button, openDialog, field, h, icon } from "./dom.js";
import { sentences, t } from "./strings.js";

/** The buttons that add kingdoms. The browser provides the camera at full resolution and files of any format. */
export function addButtons() {
  const picker = (name, text, kind, more) => {
    const take = (event) => {
      const files = [...event.target.files];
      event.target.value = "";
      document.getElementById("add")?.close();
      addPhotos(files);
    };
    const input = h("input", { type: "file", accept: "image/*,.heic,.heif", class: "sr-only", onchange: take, ...more });
    return h("label", { class: `button ${kind}` }, input, icon(name), h("span", {}, text));
  };
  return h(
    "div",
    { class: "adders" },
    picker("camera", t("takePhoto"), "primary", { capture: "environment", id: "camera" }),
    picker("image", t("choosePhoto"), "soft", { multiple: true, id: "files" }),
    button("keyboard", t("typeBoard"), openTypeDialog, { class: "soft" }),
    h("p", { class: "hint drop" }, t("dropHere")),
  );
}

/** Open a dialog with the same buttons. */
export function openAddDialog() {
  openDialog(t("addHead"), addButtons(), { close: t("close"), kind: "sheet" }).id = "add";
}

function openTypeDialog() {
  document.getElementById("add")?.close();
  const text = h("textarea", { rows: 7, spellcheck: "false", autocapitalize: "none", autocomplete: "off", required: true });
  text.placeholder = "w w1 f f1 l\nw w  f f  l1\ng g  # s  s1";
  const error = h("p", { class: "trouble", role: "alert" });
  const add = async (event) => {
    event.preventDefault();
    try {
      await addTyped(text.value);
      node.close();
    } catch (reason) {
      error.textContent = sentences(reason.message, reason.hint);
    }
  };
  const form = h(
    "form",
    { onsubmit: add },
    field(t("typeHint"), text),
    error,
    h("div", { class: "buttons" }, h("button", { type: "submit", class: "primary" }, t("typeAdd"))),
  );
  const node = openDialog(t("typeHead"), form, { close: t("close") });
  text.focus();
}
