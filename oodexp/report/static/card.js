// The embedded table, and a card of the gallery.

const CHUNK = 60;
const VERDICTS = ["wrong", "right", "unread"];
const byId = (id) => document.getElementById(id);
const data = JSON.parse(byId("cards").textContent);
const { strings, cards, scorers, questions, answers } = data;
const size = cards.split.length;

function make(tag, name, text) {
  const element = document.createElement(tag);
  if (name) element.className = name;
  if (text !== undefined) element.textContent = text; // never markup
  return element;
}

const said = (code) => (code < 0 ? "" : strings[code]);

// Rows that belong to a card or question: they stand together, so a start and an end suffice.
function ranges(owner, n) {
  const start = new Int32Array(n + 1);
  for (const o of owner) start[o + 1] += 1;
  for (let i = 0; i < n; i += 1) start[i + 1] += start[i];
  return start;
}
const questionsOf = ranges(questions.card, size);
const answersOf = ranges(answers.question, questions.card.length);

function eachAnswer(card, vlm, visit) {
  for (let q = questionsOf[card]; q < questionsOf[card + 1]; q += 1) {
    for (let a = answersOf[q]; a < answersOf[q + 1]; a += 1) {
      if ((vlm === null || answers.vlm[a] === vlm) && visit(a, q)) return true;
    }
  }
  return false;
}

// ---- thumbnails: a block is taken out of the file when a card of it is first shown

const blocks = new Map();
function thumbnail(number) {
  const first = byId("thumbnails-0");
  if (!first) return "";
  const each = Number(first.dataset.size);
  const block = Math.floor(number / each);
  if (!blocks.has(block)) {
    const element = byId(`thumbnails-${block}`);
    blocks.set(block, element ? element.textContent.split("\n") : []);
  }
  return blocks.get(block)[number % each] || "";
}

// ---- a card

function picture(card) {
  const uri = thumbnail(cards.thumbnail[card]);
  if (!uri.startsWith("data:image/")) return make("div", "none", "no picture");
  const image = make("img");
  image.src = uri;
  image.alt = `image ${said(cards.image_id[card])}`;
  return image;
}

function fixed(value) {
  return value === null ? "–" : value.toFixed(3).replace("-", "−");
}

function signalRows(card) {
  const table = make("table");
  const head = table.createTHead().insertRow();
  for (const name of ["scorer", "S", "Δ", "verdict", "best rival"]) {
    const cell = make("th", "", name);
    cell.scope = "col";
    head.append(cell);
  }
  const body = table.createTBody();
  for (const scorer of scorers) {
    const row = body.insertRow();
    const flag = scorer.flagged[card];
    const verdict = flag === null ? said(scorer.reason[card]) || "–" : flag ? "OOD" : "ID";
    const texts = [scorer.name, fixed(scorer.score[card]), fixed(scorer.margin[card]), verdict,
      said(scorer.surrogate[card])];
    for (const text of texts) row.append(make("td", "", text));
  }
  return table;
}

function answerLine(a) {
  const line = make("p", `answer ${VERDICTS[answers.verdict[a]]}`);
  line.append(make("b", "", VERDICTS[answers.verdict[a]]), " ");
  if (data.vlms.length > 1) line.append(make("i", "", data.vlms[answers.vlm[a]]), " ");
  const text = said(answers.completion[a]);
  const status = said(answers.status[a]);
  line.append(make("q", "", text));
  if (status !== "ok") line.append(make("span", "why", ` ${status} ${said(answers.reason[a])}`));
  const reading = answers.reading[a] < 0
    ? `not read: ${said(answers.unread[a]) || "no reader"}` : `read as ${said(answers.reading[a])}`;
  const flag = said(answers.flag[a]);
  line.append(make("span", "why", ` ${reading}${flag ? ` (${flag})` : ""}`));
  return line;
}

function title(card) {
  const line = make("h3");
  const split = data.splits[cards.split[card]];
  line.append(make("span", "badge", split || "no split"), " ", said(cards.category[card]));
  const facts = [`${said(cards.source[card])} / ${said(cards.image_id[card])}`];
  if (!cards.present[card]) facts.push("absent");
  if (!cards.drawn[card]) facts.push("not drawn");
  if (cards.count[card] !== null) facts.push(`count ${cards.count[card]}`);
  if (cards.planted[card] >= 0) facts.push(`planted: ${said(cards.planted[card])}`);
  const more = make("p", "facts", facts.join(" · "));
  return [line, more];
}

function build(card) {
  const article = make("article", `card of${cards.split[card]}`);
  article.tabIndex = -1;
  article.setAttribute("role", "listitem");
  article.dataset.card = card;
  const top = make("div", "top");
  const words = make("div");
  words.append(...title(card));
  top.append(picture(card), words);
  article.append(top);
  if (cards.present[card]) article.append(signalRows(card));
  for (let q = questionsOf[card]; q < questionsOf[card + 1]; q += 1) {
    const line = make("p", "question", said(questions.prompt[q]));
    line.append(make("span", "why", ` right: ${said(questions.target[q])}`));
    article.append(line);
    for (let a = answersOf[q]; a < answersOf[q + 1]; a += 1) {
      if (chosen.vlm === null || answers.vlm[a] === chosen.vlm) article.append(answerLine(a));
    }
  }
  return article;
}
