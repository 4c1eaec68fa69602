// The game as a picture: boards, points, winner.

import { countCrowns, formatRows, formatShortTotal, getKind } from "./model.js";
import { describeVerdict } from "./standing.js";
import { getScore } from "./store.js";
import { makeCrownsPath } from "./ui.js";

// Pixels.
const SQUARE = 64;
const GAP = 40;
const HEADER = 110;
const FOOTER = 70;
const FONT = "system-ui, sans-serif";
const INK = "#221f33";
const KINDS = ["w", "f", "l", "g", "s", "m", "t", "castle"];

/** The pictures of squares, loaded with the page: the server may be away when one is first shown. */
const images = Object.fromEntries(KINDS.map((kind) => [kind, startImage(kind)]));

/** Draw the boards of these kingdoms side by side; returns a canvas. */
export async function drawGame(kingdoms) {
  await Promise.all(KINDS.map(loadImage));
  const boards = kingdoms.map((kingdom) => formatRows(kingdom.cells).map((row) => row.split(" ")));
  const widths = boards.map((rows) => Math.max(5, rows[0]?.length ?? 0) * SQUARE);
  const tallest = Math.max(...boards.map((rows) => rows.length)) * SQUARE;
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(480, widths.reduce((sum, width) => sum + width + GAP, GAP));
  canvas.height = HEADER + tallest + FOOTER;
  const context = canvas.getContext("2d");
  context.imageSmoothingQuality = "high";
  context.fillStyle = "#faf7f0";
  context.fillRect(0, 0, canvas.width, canvas.height);
  let x = GAP;
  kingdoms.forEach((kingdom, index) => {
    drawHeading(context, kingdom, x, widths[index]);
    boards[index].forEach((row, r) => row.forEach((cell, c) => drawSquare(context, cell, x + c * SQUARE, HEADER + r * SQUARE)));
    x += widths[index] + GAP;
  });
  drawText(context, describeVerdict(), canvas.width / 2, canvas.height - 26, 24, { align: "center", weight: 600, maxWidth: canvas.width - 2 * GAP });
  return canvas;
}

function startImage(kind) {
  return Object.assign(new Image(), { src: `/tiles/${kind}.png` });
}

async function loadImage(kind) {
  try {
    await images[kind].decode();
  } catch {
    images[kind] = startImage(kind);
    await images[kind].decode();
  }
}

function drawHeading(context, kingdom, x, width) {
  const total = formatShortTotal(getScore(kingdom)) ?? "";
  drawText(context, total, x + width, 76, 48, { align: "right", weight: 700 });
  drawText(context, kingdom.player, x, 70, 30, { weight: 600, maxWidth: width - context.measureText(total).width - 20 });
}

function drawText(context, text, x, y, size, { align = "left", weight, maxWidth }) {
  context.font = `${weight} ${size}px ${FONT}`;
  context.textAlign = align;
  context.fillStyle = INK;
  context.fillText(text, x, y, maxWidth);
}

function drawSquare(context, cell, x, y) {
  const kind = getKind(cell);
  if (kind === "none") return;
  context.drawImage(images[kind], x, y, SQUARE, SQUARE);
  context.strokeStyle = "#ffffffaa";
  context.strokeRect(x + 0.5, y + 0.5, SQUARE - 1, SQUARE - 1);
  if (kind === "castle") return;
  context.fillStyle = "#ffffffdd";
  context.beginPath();
  context.arc(x + 14, y + 14, 11, 0, 2 * Math.PI);
  context.fill();
  drawText(context, kind, x + 14, y + 20, 17, { align: "center", weight: 700 });
  for (let n = 0; n < countCrowns(cell); n += 1) drawCrown(context, x + SQUARE - 22 - n * 20, y + SQUARE - 22);
}

function drawCrown(context, x, y) {
  const shape = new Path2D(makeCrownsPath(1));
  context.save();
  context.translate(x, y);
  context.scale(0.85, 0.85);
  context.lineWidth = 3;
  context.strokeStyle = "#3a2a00";
  context.stroke(shape);
  context.fillStyle = "#ffd23f";
  context.fill(shape);
  context.restore();
}
