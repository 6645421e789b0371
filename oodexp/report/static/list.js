// Which cards are chosen, in which order, and the list of them.

// ---- what is chosen

const chosen = { vlm: null };
const control = (id) => (byId(id) ? byId(id).value : "");
const whole = (text) => (text === "" ? null : Number(text));

const lower = new Map();
function folded(code) {
  if (code < 0) return "";
  if (!lower.has(code)) lower.set(code, strings[code].toLowerCase());
  return lower.get(code);
}

// The codes of texts that hold a word are found once; then a card is looked up by its numbers.
function holding(word) {
  const found = new Uint8Array(strings.length);
  for (let code = 0; code < strings.length; code += 1) {
    if (folded(code).includes(word)) found[code] = 1;
  }
  return (code) => code >= 0 && found[code] === 1;
}

function has(card, holds) {
  if (holds(cards.image_id[card]) || holds(cards.category[card])) return true;
  if (holds(cards.source[card]) || holds(cards.planted[card])) return true;
  for (let q = questionsOf[card]; q < questionsOf[card + 1]; q += 1) {
    if (holds(questions.prompt[q])) return true;
  }
  return eachAnswer(card, chosen.vlm, (a) => holds(answers.completion[a]));
}

function selected() {
  const split = whole(control("split"));
  const category = control("category");
  const source = control("source");
  const verdict = whole(control("verdict"));
  const drawn = whole(control("drawn"));
  const words = control("search").toLowerCase().split(/\s+/).filter(Boolean).map(holding);
  const found = [];
  for (let card = 0; card < size; card += 1) {
    if (split !== null && cards.split[card] !== split) continue;
    if (drawn !== null && cards.drawn[card] !== drawn) continue;
    if (category && said(cards.category[card]) !== category) continue;
    if (source && said(cards.source[card]) !== source) continue;
    if (verdict !== null
        && !eachAnswer(card, chosen.vlm, (a) => answers.verdict[a] === verdict)) continue;
    if (words.every((holds) => has(card, holds))) found.push(card);
  }
  return found;
}

function sorted(found) {
  const [by, n] = control("sort").split(":");
  if (!by) return found;
  if (n === undefined) {
    const compare = new Intl.Collator("en", { numeric: true }).compare;
    const rank = new Map();
    const codes = [...new Set(cards[by])].sort((a, b) => compare(said(a), said(b)));
    codes.forEach((code, place) => rank.set(code, place));
    return found.sort((a, b) => rank.get(cards[by][a]) - rank.get(cards[by][b]) || a - b);
  }
  const values = scorers[Number(n)][by];
  const value = (card) => (values[card] === null ? Infinity : values[card]);
  return found.sort((a, b) => (value(a) < value(b) ? -1 : value(a) > value(b) ? 1 : a - b));
}

// ---- the list: chunks are added as their place comes near

const list = byId("cards-list");
let shown = [];
let drawn = 0;

function draw(until) {
  const part = document.createDocumentFragment();
  for (const end = Math.min(until, shown.length); drawn < end; drawn += 1) {
    part.append(build(shown[drawn]));
  }
  list.append(part);
}

function refresh() {
  chosen.vlm = whole(control("vlm"));
  shown = sorted(selected());
  drawn = 0;
  list.replaceChildren();
  draw(CHUNK);
  const total = size.toLocaleString("en");
  const some = shown.length.toLocaleString("en");
  byId("count").textContent = shown.length === size ? `${total} cards` : `${some} of ${total} cards`;
  if (list.firstElementChild) list.firstElementChild.tabIndex = 0;
  watch.unobserve(byId("more")); // a short list may leave the end in sight: look again
  watch.observe(byId("more"));
}

const watch = new IntersectionObserver((seen) => {
  if (!seen.some((entry) => entry.isIntersecting) || drawn >= shown.length) return;
  draw(drawn + CHUNK);
  watch.unobserve(byId("more"));
  watch.observe(byId("more"));
}, { rootMargin: "1200px" });
