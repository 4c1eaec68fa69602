// The game as a picture to send on: boards, points, who wins.

import { boardRows } from "./model.js";
import { scoreOf } from "./state.js";
import { pointsOf, verdict } from "./standing.js";

const SQUARE = 64;
const GAP = 40;
const HEAD = 110;
const FOOT = 70;
const FONT = "system-ui, sans-serif";
const INK = "#221f33";
const KINDS = ["w", "f", "l", "g", "s", "m", "t", "castle"];

/** A canvas with the boards of these kingdoms side by side. */
export async function drawnGame(kingdoms) {
  const tiles = Object.fromEntries(await Promise.all(KINDS.map(async (kind) => [kind, await loaded(`/tiles/${kind}.svg`)])));
  const boards = kingdoms.map((kingdom) => boardRows(kingdom.cells).map((row) => row.split(" ")));
  const widths = boards.map((rows) => Math.max(5, rows[0]?.length ?? 0) * SQUARE);
  const tallest = Math.max(...boards.map((rows) => rows.length)) * SQUARE;
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(480, widths.reduce((sum, width) => sum + width + GAP, GAP));
  canvas.height = HEAD + tallest + FOOT;
  const pen = canvas.getContext("2d");
  pen.fillStyle = "#faf7f0";
  pen.fillRect(0, 0, canvas.width, canvas.height);
  let x = GAP;
  kingdoms.forEach((kingdom, index) => {
    heading(pen, kingdom, x, widths[index]);
    boards[index].forEach((row, r) => row.forEach((cell, c) => square(pen, tiles, cell, x + c * SQUARE, HEAD + r * SQUARE)));
    x += widths[index] + GAP;
  });
  write(pen, verdict(), canvas.width / 2, canvas.height - 26, 24, { align: "center", weight: 600, most: canvas.width - 2 * GAP });
  return canvas;
}

async function loaded(source) {
  const image = new Image(SQUARE, SQUARE);
  image.src = source;
  await image.decode();
  return image;
}

function heading(pen, kingdom, x, width) {
  const score = scoreOf(kingdom);
  write(pen, kingdom.player, x, 70, 30, { weight: 600, most: width - 110 });
  if (score) write(pen, pointsOf(kingdom), x + width, 76, 48, { align: "right", weight: 700 });
}

function write(pen, text, x, y, size, { align = "left", weight = 400, most = undefined, colour = INK } = {}) {
  pen.font = `${weight} ${size}px ${FONT}`;
  pen.textAlign = align;
  pen.fillStyle = colour;
  pen.fillText(text, x, y, most);
}

function square(pen, tiles, cell, x, y) {
  if (cell === "." || cell === "?") return;
  pen.drawImage(tiles[cell === "#" ? "castle" : cell[0]], x, y, SQUARE, SQUARE);
  pen.strokeStyle = "#ffffffaa";
  pen.strokeRect(x + 0.5, y + 0.5, SQUARE - 1, SQUARE - 1);
  if (cell === "#") return;
  plate(pen, x + 3, y + 3, 22);
  write(pen, cell[0], x + 14, y + 20, 17, { align: "center", weight: 700 });
  const count = Number(cell.slice(1) || 0);
  for (let n = 0; n < count; n += 1) crown(pen, x + SQUARE - 22 - n * 20, y + SQUARE - 22);
}

function plate(pen, x, y, size) {
  pen.fillStyle = "#ffffffdd";
  pen.beginPath();
  pen.arc(x + size / 2, y + size / 2, size / 2, 0, 2 * Math.PI);
  pen.fill();
}

function crown(pen, x, y) {
  const shape = new Path2D("M4 18 1.5 5l6 5L12 2l4.5 8 6-5L20 18z");
  pen.save();
  pen.translate(x, y);
  pen.scale(0.85, 0.85);
  pen.lineWidth = 3;
  pen.strokeStyle = "#3a2a00";
  pen.stroke(shape);
  pen.fillStyle = "#ffd23f";
  pen.fill(shape);
  pen.restore();
}
