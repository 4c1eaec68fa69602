// Every text of the page. To translate the page, translate the right-hand sides. Words in {braces} are replaced by
// values. A text that depends on a number has one entry per plural form of the language (Intl.PluralRules).

const TEXT = {
  language: "en",
  title: "kdvision",
  startHead: "Score your table",
  startHint: "Take a photo of the kingdoms from above. One photo of the whole table, or one for each kingdom.",
  takePhoto: "Take a photo",
  choosePhoto: "Choose photos",
  typeBoard: "Type a board",
  emptyBoard: "Tap an empty board",
  dropHere: "or drop photos here",
  privacy: "Photos are sent to this game's own server, which reads and then deletes them.",
  privacyKept: "Photos are sent to this game's own server, which reads and keeps them.",

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
  otherGame: "Another game is at the table now",
  newGameDone: "New game started",
  undone: "Undone: {what}",
  steps: {
    start: "a change",
    set_square: "a square",
    set_kingdom: "an entry",
    set_pieces: "pieces",
    answer_piece: "an answer",
    answer_proposal: "an answer",
    set_rules: "a choice of rules",
    photo: "a photo",
    new_game: "a new game",
    load_game: "a game from a link",
    open_game: "an earlier game",
  },
  invite: "Invite a phone",
  help: "How it works",

  // Reading a photo.
  preparing: "Preparing the photo …",
  sending: "Sending …",
  waiting: { one: "Waiting: {n} photo before yours …", other: "Waiting: {n} photos before yours …" },
  busy: "Many photos are waiting. Yours will be sent again in a moment …",
  finding: "Looking for kingdoms …",
  reading: "Reading the squares …",
  deciding: "Fitting dominoes …",
  found: { one: "{n} kingdom found", other: "{n} kingdoms found" },
  offline: "The server does not answer",
  offlineHint: "Check that it is running and that this phone is in the same network.",
  photoOfAll: "Photo {n} of {all}",
  alreadyThere: "This kingdom is at the table already. To read it again, choose it and move its corners.",
  answerFirst: "Answer the question about this photo first. Then draw the kingdom again.",
  drawHere: "Draw it yourself",
  notDrawn: "This part cannot be shown. Undo the last change, or remove the kingdom.",
  notShown: "This browser cannot show the picture.",

  // Kingdoms.
  kingdoms: "Kingdoms",
  addKingdom: "Add",
  addHead: "Add a kingdom",
  newKingdom: "New kingdom",
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
    brown: "brown",
    white: "white",
    grey: "grey",
  },
  removeKingdom: "Remove this kingdom",
  added: { one: "{name} was added", other: "{name} were added" },
  removed: { one: "{name} was removed", other: "{name} were removed" },
  between: "{least} to {most}",
  orMore: "{least} or more",
  stillOpen: "missing: {what}",
  toCheck: { one: "{n} question", other: "{n} questions" },
  isRight: "It is right",
  checkNow: { one: "Check it", other: "Check them" },
  compare: "Only {percent} % certain: compare the board with the photo.",
  odd: "Please check: {what}",
  uncertain: "the photo left this board uncertain",
  decidingAgain: "the squares are being decided again",
  allGood: "Nothing left to check",
  goodHere: "Nothing left to check on this board",
  decides: "decides who wins",
  board: "Board",
  photo: "Photo",
  fitsHead: "Does a domino fit?",
  oneHalf: "One half",
  otherHalf: "Other half",
  fitsAsk: "Find its places",
  fitsYes: { one: "It fits in {n} place within {side} × {side} squares, so it may not be discarded.", other: "It fits in {n} places within {side} × {side} squares, so it may not be discarded." },
  fitsNo: "It fits nowhere within {side} × {side} squares, so it must be discarded.",
  fitsPerhaps: "It fits only if an unknown square is free or shows its terrain.",
  fitsUnsure: "Some squares are uncertain. Check them first.",
  placeOf: "Place {n} of {all}",
  previousPlace: "Previous",
  nextPlace: "Next",

  pointsHead: "Points",
  pointsOf: "Points of {name}",
  total: "Total",
  worthless: "Without points",
  ruling: "a ruling where the rulebook is silent",
  oneSource: "from one source, which is not the rulebook",

  // The photo.
  photoOf: "The photo with the reading drawn over it",
  photoGone: "The photo is on another phone, or no longer kept.",
  wholePhoto: "Zoom out",
  closeUp: "Zoom in",
  moveCorners: "Corners",
  drawKingdom: "Missed one",
  cornersHint: "Drag the four corners to the corners of the kingdom.",
  sizeAuto: "size: automatic",
  size: "Size of the kingdom",
  readHere: "Read here",
  corners: ["Top left corner", "Top right corner", "Bottom right corner", "Bottom left corner"],

  // Squares.
  boardHint: "Tap a square to correct it.",
  boardKeys: "Arrow keys move. Letters and digits correct: {letters}, 0 to 3, # castle, . no tile. N: next unsure square.",
  squareHead: "Square {square}",
  squareNow: "{square}: {cell}",
  squareUnsure: "{square}: {cell}, or maybe {instead}",
  terrains: { w: "wheat", f: "forest", l: "lake", g: "grass", s: "swamp", m: "mine", t: "town", "#": "castle", ".": "no tile", "?": "unknown" },
  withCrowns: { one: "{terrain}, {n} crown", other: "{terrain}, {n} crowns" },
  looksLike: "Probably {read} ({percent} %). If it is {instead}, the total is {total}.",
  looksLikeOne: "Probably {read} ({percent} %), otherwise {instead}.",
  itIs: "Yes, {cell}",
  pieceHead: "Is there a {kind}?",
  isPieceThere: "Does a {kind} stand on {a}?",
  isGemThere: "Does a gem lie between {a} and {d}?",
  percent: "({percent} % sure)",
  yes: "Yes",
  no: "No",
  tapWhat: "Tap the correct square below.",
  changed: "{square} is {cell}.",
  followed: "Now changed: {squares}.",
  becomes: "{square} ({cell})",
  nowPoints: { one: "{name} has {n} point.", other: "{name} has {n} points." },
  edgeOf: "Edge beside {square}",
  addEdge: "Squares at the edge",
  edgeHint: "Tap a place to add a tile.",
  checkedOf: "{n} of {all}",

  // Pieces of Queendomino.
  pieces: "Coins, towers, knights",
  coins: "Coins",
  towers: "Towers",
  spare_knights: "Knights beside the board",
  queen: "Queen",
  queenHere: "The Queen is here",
  none: "{name}: none",
  less: "{name}: one less",
  more: "{name}: one more",
  knightHere: "A knight stands here",
  knight: "knight",
  tower: "tower",
  gem: "gem",
  noToken: "none",
  tokens: "On the squares",
  tokensHint: "Tap a square of the board to enter what stands on it.",
  noMoreTokens: "No more: {word}",
  maybeMore: "and perhaps more",
  building: "Building",
  noBuilding: "no building",
  whichBuilding: "which one is it?",
  queenNot: "The Queen is not here",
  noMore: {
    knights: "No more knights on the board",
    buildings: "No more buildings",
    gems: "No more gems",
  },
  beside: "Photos do not show what lies beside the board. Enter it here.",
  namedGives: "{name}: {gives}",

  // Gems.
  gems: "Gems",
  placeGem: "Place a gem",
  gemHint: "Tap the crossing on which the gem lies.",
  crossing: "Crossing of {a}, {b}, {c} and {d}",
  gemAt: "{kind} gem, crossing of {a} and {d}",
  gemSeenAt: "Unnamed gem, crossing of {a} and {d}",
  gemHead: "A gem between {a} and {d}",
  gemKind: "Its colour, or joker",
  gemColours: { red: "red", orange: "orange", yellow: "yellow", green: "green", blue: "blue", purple: "purple", white: "white" },
  gemQuarter: "Towards {square}: {what}",
  gemQuarters: "Tap each quarter until it matches the gem: crowns or the skull.",
  skull: "skull",
  crownsN: { one: "{n} crown", other: "{n} crowns" },
  turnGem: "Turn it",
  saveGem: "Save",
  openGems: "Gems on display",

  // The game.
  game: "The game",
  whichGame: "Game",
  whichVariants: "Variants",
  drawnVariants: { one: "{group}: {n} is drawn for a game", other: "{group}: {n} are drawn for a game" },
  side: "Side",
  automatic: "automatic",
  seats: "Kingdoms played",
  seatsAll: "the ones listed",
  dynasty: "Dynasty: three rounds",
  teams: "Teams share a kingdom",
  teamsHint: "Enter two names, joined by &",
  round: "Round {n}",

  // The standing.
  standing: "Standing",
  noneYet: "No kingdom yet",
  alone: { one: "{name}: {points} point", other: "{name}: {points} points" },
  stillToCheck: "still to check",
  notCounted: "The server does not answer. The points do not count your last changes.",
  oneOnly: "Add another kingdom to see who wins.",
  sum: "Sum",
  notYet: "The winner is open until the missing facts are entered.",
  roundsRemoved: "The other rounds were removed",
  roundsLeft: { one: "One more round; then the sum decides.", other: "{n} more rounds; then the sum decides." },
  place: "{n}.",

  // Sharing.
  shareHead: "Share the game",
  shareHint: "The link contains the whole game, but no photos.",
  shareLocal: "Only this machine can open the link. For phones, connect it to a network and start kdvision serve --lan.",
  link: "Link",
  copyLink: "Copy link",
  copyText: "Copy as text",
  copied: "Copied",
  copyByHand: "Copying failed. Select the text and copy it.",
  sendOn: "Send …",
  savePicture: "Save picture",
  saveJson: "Save JSON",
  saveFile: "Save game file",
  print: "Print",
  openedLink: "Game opened from a link",
  badLink: "The link contains no valid game. Ask for it again.",
  inviteHint: "Scan this with the camera of a phone in the same network.",
  inviteLocal: "Only this machine can open this page. For phones, connect it to a network and start kdvision serve --lan.",

  tableHint: "This is table {name}. Everybody who opens the page can add and correct kingdoms here.",
  table: "table {name}",
  tableGone: "The server does not have table {name} any more.",
  changesGone: "The server does not have table {name} any more. The last changes of this phone are lost.",
  changeLost: "A change at table {name} is lost: {why}",

  // The table.
  joining: "Looking for the table …",
  lost: "The server does not answer. What you enter is kept and sent as soon as it does.",
  people: { one: "Only this phone is at the table", other: "{n} phones are at the table" },
  newTable: "New table",
  newTableDone: "This is the new table {name}",
  games: "Earlier games",
  noGames: "No game is kept here yet.",
  onDevice: "on this device",
  bigScreen: "Big screen",
  leaveScreen: "Leave the big screen",

  typeHint: "Rows from the top: w f l g s m for terrains, a digit for crowns, # for the castle, . for no tile.",
  typeAdd: "Add this kingdom",

  helpLines: [
    "Take the photo from above, sharp, with some table around the kingdoms.",
    "Squares with a question mark are unsure. Check them first.",
    "Tap a square on the board or in the photo to correct it. The other squares are then decided again.",
    "If the grid is wrong, move its corners. If a kingdom was missed, draw it.",
    "Everybody who opens the page is at the same table: add your kingdom, correct any, undo.",
  ],

  // The pairing page.
  pairHead: "Pair this phone",
  pairHint: "Type the key that kdvision serve shows, or scan its QR code.",
  pairKey: "Key",
  pairGo: "Pair",
  pairing: "Checking the key …",
};

const plural = new Intl.PluralRules(TEXT.language);

/** A text by its name, `t("toCheck", { n: 3 })`, or the texts that have one name, `t("terrains")`. */
export function t(name, values = {}) {
  const entry = TEXT[name] ?? name;
  const text = entry.other ? (entry[plural.select(values.n)] ?? entry.other) : entry;
  return typeof text === "string" ? text.replace(/\{(\w+)\}/g, (whole, key) => values[key] ?? whole) : text;
}

/** A cell of the notation in words: "forest, 1 crown". */
export function describeCell(cell = ".") {
  const terrain = t("terrains")[cell[0]];
  const count = Number(cell.slice(1));
  return count ? t("withCrowns", { n: count, terrain }) : terrain;
}

/** The book and section of a rulebook clause, and what else its text rests on. */
export const describeSource = ({ book, section, ruling, one_source: hasOneSource }) =>
  [book, section, ruling && t("ruling"), hasOneSource && t("oneSource")].filter(Boolean).join(", ");

export const capitalise = (text) => text[0].toUpperCase() + text.slice(1);

/** Messages of the server as sentences, without the options of the command line that stand in parentheses. */
export function joinSentences(...texts) {
  const plain = (text) => text.replace(/ \([^()]*--[a-z][^()]*\)/g, "");
  const whole = (text) => capitalise(text) + (/[.!?…]$/.test(text) ? "" : ".");
  return texts.filter(Boolean).map(plain).map(whole).join(" ");
}

/** Insert the texts that the HTML names by data-text. */
export function fillTexts() {
  document.documentElement.lang = TEXT.language;
  for (const node of document.querySelectorAll("[data-text]")) node.textContent = t(node.dataset.text);
}
