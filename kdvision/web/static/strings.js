// Every text of the page, in one place: to translate it, translate the right-hand sides. {words} in braces are filled
// in. Where a number decides, there is one text for each plural form of the language (Intl.PluralRules).

const TEXT = {
  language: "en",
  title: "kdvision",
  startHead: "Score your table",
  startHint: "Take a photo of the kingdoms from above. One photo of the whole table, or one for each kingdom.",
  takePhoto: "Take a photo",
  choosePhoto: "Choose photos",
  typeBoard: "Type a board",
  dropHere: "or drop photos here",
  privacy: "Photos go to this game's own server, are read, and forgotten.",
  privacyKept: "Photos go to this game's own server, are read, and kept there.",

  undo: "Undo",
  redo: "Redo",
  share: "Share",
  menu: "Menu",
  close: "Close",
  cancel: "Cancel",
  again: "Try again",
  done: "Done",
  remove: "Remove",
  newGame: "New game",
  newGameDone: "A new game",
  invite: "Invite a phone",
  help: "How it works",

  // Reading a photo.
  preparing: "Preparing the photo …",
  sending: "Sending … {percent} %",
  waiting: { one: "Waiting: {n} photo is ahead …", other: "Waiting: {n} photos are ahead …" },
  busy: "Many photos are waiting. Yours is sent again in a moment …",
  finding: "Looking for kingdoms …",
  reading: "Reading the squares …",
  deciding: "Fitting dominoes …",
  found: { one: "{n} kingdom found", other: "{n} kingdoms found" },
  offline: "The server does not answer",
  offlineHint: "Is it still running, and is this phone in the same network?",
  photoOfAll: "Photo {n} of {all}",
  drawHere: "Draw it yourself",
  piecesAgain: {
    one: "The pieces on the board were read again: {n} has to be named anew.",
    other: "The pieces on the board were read again: {n} have to be named anew.",
  },
  notShown: "This browser cannot show the picture.",

  // Kingdoms.
  kingdoms: "Kingdoms",
  addKingdom: "Add",
  addHead: "Add a kingdom",
  playerN: "Player {n}",
  name: "Name",
  colour: "Castle",
  colours: {
    blue: "blue",
    green: "green",
    pink: "pink",
    yellow: "yellow",
    red: "red",
    orange: "orange",
    purple: "purple",
    white: "white",
    grey: "grey",
  },
  removeKingdom: "Remove this kingdom",
  removed: "{name} is removed",
  points: { one: "{n} point", other: "{n} points" },
  pointsOpen: "{words} points",
  between: "{least} to {most}",
  orMore: "{least} or more",
  stillOpen: "still to be told: {what}",
  toCheck: { one: "{n} square to check", other: "{n} squares to check" },
  checkNow: "Check them",
  compare: "Only {percent} % sure: compare the board with the photo.",
  odd: "Something is odd here: {what}",
  allGood: "Nothing left to check",
  board: "Board",
  photo: "Photo",
  pointsHead: "Points",
  pointsOf: "Points of {name}",
  total: "Total",
  worthless: "Without points",
  ruling: "where the books are silent",

  // The photo.
  photoOf: "The photo, with what was read drawn over it",
  photoGone: "The photo is no longer here; the board is.",
  wholePhoto: "Zoom out",
  closeUp: "Zoom in",
  moveCorners: "Corners",
  drawKingdom: "Missed one",
  cornersHint: "Drag the four corners onto the corners of the kingdom.",
  sizeAuto: "size: as seen",
  size: "Size of the kingdom",
  readHere: "Read here",
  corners: ["Top left corner", "Top right corner", "Bottom right corner", "Bottom left corner"],

  // Squares.
  boardHint: "Tap a square to correct it.",
  boardKeys: "Arrow keys move, letters and digits correct: {letters}, 0 to 3, # castle, . nothing. N: next unsure square.",
  gotIt: "Got it",
  squareHead: "Square {square}",
  squareNow: "{square}: {cell}",
  squareUnsure: "{square}: {cell}, unsure: maybe {instead}",
  nothing: "no tile",
  unknown: "not known",
  castle: "castle",
  terrains: { w: "wheat", f: "forest", l: "lake", g: "grass", s: "swamp", m: "mine", t: "town", "#": "castle" },
  withCrowns: { one: "{terrain}, {n} crown", other: "{terrain}, {n} crowns" },
  looksLike: "It looks like {read} ({percent} % sure). If it is {instead}, the total is {total}.",
  looksLikeOne: "It looks like {read} ({percent} % sure), or else {instead}.",
  itIs: "Yes, {cell}",
  tapWhat: "Tap what it is.",
  changed: "{square} is {cell}.",
  followed: { one: "With that, {squares} changed too.", other: "With that, {squares} changed too." },
  becomes: "{square} ({cell})",
  nowPoints: { one: "{name} has {n} point.", other: "{name} has {n} points." },
  notFollowed: "The other squares could not be decided again.",
  edgeOf: "Edge beside {square}",
  addEdge: "Squares at the edge",
  edgeHint: "Tap a place at the edge to add a tile there.",
  checkedOf: "{n} of {all}",

  // Pieces of Queendomino.
  pieces: "Coins, towers, knights",
  coins: "Coins",
  towers: "Towers",
  spareKnights: "Knights beside the board",
  queen: "The Queen is here",
  less: "{name}: one less",
  more: "{name}: one more",
  knightHere: "A knight stands here",
  knight: "knight",
  building: "Building",
  noBuilding: "no building",
  whichBuilding: "one was seen: which?",
  queenNot: "She is not here",
  noMore: {
    knights: "No more knights on the board",
    buildings: "No more buildings",
    gems: "No more gems",
  },
  beside: "What lies beside the board no photo shows: tell it here.",
  gives: "{gives}",
  namedGives: "{name}: {gives}",

  // Gems.
  gems: "Gems",
  placeGem: "Place a gem",
  gemHint: "Tap the crossing on which the gem lies.",
  crossing: "Crossing of {a}, {b}, {c} and {d}",
  gemAt: "{kind} gem, crossing of {a} and {d}",
  gemSeenAt: "A gem was seen, crossing of {a} and {d}: which?",
  gemHead: "A gem between {a} and {d}",
  gemKind: "Its colour, or joker",
  gemQuarter: "Towards {square}: {what}",
  gemQuarters: "Tap each quarter until it shows what it shows: crowns or the skull.",
  skull: "skull",
  crownsN: { one: "{n} crown", other: "{n} crowns" },
  turnGem: "Turn it",
  saveGem: "Save",
  openGems: "Gems that lie open beside the box",
  openGemsHint: "colours, with commas",

  // The game.
  game: "The game",
  games: { kingdomino: "Kingdomino", queendomino: "Queendomino", "royal-wedding": "Royal Wedding" },
  whichGame: "Game",
  whichVariants: "Variants",
  side: "Side",
  sides: { "": "as the boards show", 5: "5 × 5", 7: "7 × 7" },
  seats: "Kingdoms played",
  seatsAll: "those that are here",
  dynasty: "Dynasty: three rounds",
  teams: "Teams share a kingdom",
  teamsHint: "Two names, joined by &",
  round: "Round {n}",

  // The standing.
  standing: "Standing",
  noneYet: "No kingdom yet",
  oneOnly: {
    one: "{name} has {n} point. Add another kingdom to see who wins.",
    other: "{name} has {n} points. Add another kingdom to see who wins.",
  },
  oneOpen: "{name} has {words} points. Add another kingdom to see who wins.",
  notYet: "Who wins is not known until the rest is told.",
  roundsLeft: { one: "One more round, then the sum decides.", other: "{n} more rounds, then the sum decides." },
  roundStanding: "Round {n}",
  wholeStanding: "All rounds",
  place: "{n}.",

  // Sharing.
  shareHead: "Share the game",
  shareHint: "The link holds the whole game. Photos are not in it.",
  shareLocal: "This page is for this machine alone: no phone can open the link. Start kdvision serve --lan for that.",
  link: "Link",
  copyLink: "Copy link",
  copyText: "Copy as text",
  copied: "Copied",
  copyByHand: "Select it and copy it.",
  sendOn: "Send …",
  savePicture: "Save picture",
  saveJson: "Save JSON",
  saveFile: "Save game file",
  openedLink: "A game from a link",
  badLink: "The link holds no game that can be read",
  inviteHead: "Let another phone in",
  inviteHint: "Scan this with its camera, in the same network.",
  inviteLocal: "This page is for this machine alone. Start kdvision serve --lan, and phones can come in.",

  typeHead: "Type a board",
  typeHint: "Rows from the top: w f l g s m for the terrains, a digit for crowns, # the castle, . nothing.",
  typeAdd: "Add this kingdom",

  helpLines: [
    "Take the photo from above, sharp, with some table around the kingdoms.",
    "Squares with a question mark are unsure: look at these first.",
    "Tap a square, on the board or in the photo, to say what it is; the rest is decided again.",
    "Where the lattice lies wrong, move its corners. A kingdom that was missed can be drawn in.",
    "Everybody may open the page and score for themselves; the link hands a game on.",
  ],

  // The pairing page.
  pairHead: "Which table?",
  pairHint: "Type the key that kdvision serve shows, or scan its code.",
  pairKey: "Key",
  pairGo: "Come in",
  pairing: "One moment …",
};

const plural = new Intl.PluralRules(TEXT.language);

/** The text of a name, `t("toCheck", { n: 3 })`; a path of names leads to texts within, `t("terrains.w")`. */
export function t(name, values = {}) {
  let found = TEXT[name] ?? name.split(".").reduce((inner, step) => inner?.[step], TEXT);
  if (found && typeof found === "object" && "n" in values && "other" in found) {
    found = found[plural.select(values.n)] ?? found.other;
  }
  if (typeof found !== "string") return found ?? name;
  return found.replace(/\{(\w+)\}/g, (whole, key) => String(values[key] ?? whole));
}

/** The words for a cell of the notation: "forest, 1 crown". */
export function cellWords(cell) {
  if (!cell || cell === ".") return t("nothing");
  if (cell === "?") return t("unknown");
  const terrain = t("terrains")[cell[0]] ?? cell;
  const count = Number(cell.slice(1) || 0);
  return count ? t("withCrowns", { n: count, terrain }) : terrain;
}

/** What the server says, as sentences: each with a capital and a full stop, and options of the command line in words. */
export function sentences(...texts) {
  const plain = (text) =>
    text
      .replace(/ \(--corners\)/, "")
      .replace(/say --lost-treasures/, "choose The Lost Treasures under the game's variants")
      .replace(/say --game queendomino/, "choose Queendomino as the game");
  const whole = (text) => `${text[0].toUpperCase()}${text.slice(1)}${/[.!?…]$/.test(text) ? "" : "."}`;
  return texts.filter(Boolean).map(plain).map(whole).join(" ");
}

/** Fill in the texts that the page's own markup names by data-text. */
export function fillTexts(root = document) {
  document.documentElement.lang = TEXT.language;
  for (const node of root.querySelectorAll("[data-text]")) node.textContent = t(node.dataset.text);
}
