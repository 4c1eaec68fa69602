// Adding kingdoms: by camera, from photos, by typing.

import { addPhotos, addTyped } from "./actions.js";
import { button, dialog, field, h, icon } from "./dom.js";
import { sentences, t } from "./strings.js";

/** The ways to add kingdoms. The inputs are what the browser gives: a camera at full resolution, files of any kind. */
export function adders() {
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
    button("keyboard", t("typeBoard"), typeDialog, { class: "soft" }),
    h("p", { class: "hint drop" }, t("dropHere")),
  );
}

/** The same in a dialog, once there are kingdoms. */
export function addDialog() {
  dialog(t("addHead"), adders(), { close: t("close"), kind: "sheet" }).id = "add";
}

function typeDialog() {
  document.getElementById("add")?.close();
  const text = h("textarea", { rows: 7, spellcheck: "false", autocapitalize: "none", autocomplete: "off", required: true });
  text.placeholder = "w w1 f f1 l\nw w  f f  l1\ng g  # s  s1";
  const trouble = h("p", { class: "trouble", role: "alert" });
  const add = async (event) => {
    event.preventDefault();
    try {
      await addTyped(text.value);
      node.close();
    } catch (error) {
      trouble.textContent = sentences(error.message, error.hint);
    }
  };
  const form = h(
    "form",
    { onsubmit: add },
    field(t("typeHint"), text),
    trouble,
    h("div", { class: "buttons" }, h("button", { type: "submit", class: "primary" }, t("typeAdd"))),
  );
  const node = dialog(t("typeHead"), form, { close: t("close") });
  text.focus();
}
