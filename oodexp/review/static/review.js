// The review: who judges, which pair is shown, what a key does.
const my = { rater: "", order: [], pairs: [], verdicts: {}, place: 0, reason: null, boxes: false };
let shown = -1;        // the pair whose picture is on the screen; only that one can be judged
let queue = Promise.resolve();
let watched = 0;       // milliseconds that the picture was looked at, up to `since`
let since = 0;

const here = () => my.order[my.place];
const given = () => my.verdicts[here()];

function looked() {
  return watched + (since ? performance.now() - since : 0);
}

// One after the other, in the order of the keys. What is said of a pair counts for the pair that was
// there when the key was pressed, and for no other.
function guarded(act) {
  const pair = my.rater ? here() : -1;
  queue = queue.then(async () => {
    try {
      await act(pair);
      complain(null);
    } catch (error) {
      if (!(error instanceof Unsaid)) throw error;
      complain(error);
    }
  });
}

async function show(place) {
  my.place = place;
  const pair = here();
  const held = given();
  my.reason = held ? held.reason : null;
  at("remark").value = held && held.note ? held.note : "";
  say(my.pairs[pair]);
  drawReasons(my.reason);
  drawGiven(held);
  drawProgress(Object.keys(my.verdicts).length, my.order.length, place);
  at("done").hidden = Object.keys(my.verdicts).length < my.order.length;
  shown = -1;
  at("frame").classList.add("empty");
  at("wait").hidden = false;
  at("wait").textContent = "Loading the image ...";
  drawBoxes(null);
  at("lack").textContent = "";
  await look(pair);
}

async function look(pair) {
  try {
    at("picture").src = await picture(pair);
    await at("picture").decode();
  } catch {
    if (pair === here()) at("wait").textContent = "The image cannot be shown. Go on with the right arrow.";
    return;
  }
  if (pair !== here()) return;
  fit(at("picture"));
  at("picture").alt = `Is ${my.pairs[pair].category} in it?`;
  at("frame").classList.remove("empty");
  at("wait").hidden = true;
  shown = pair;
  watched = 0;
  since = document.hidden ? 0 : performance.now();
  if (my.boxes) await outline(pair);
  const next = my.order[my.place + 1];
  if (next !== undefined) picture(next).catch(() => {});
}

async function outline(pair) {
  const found = (await told(`api/boxes/${pair}`)).boxes;
  if (pair !== here()) return;
  drawBoxes(found);
  at("lack").textContent = found ? "" : "No boxes are known for this pair.";
}

async function save(pair, verdict) {
  if (shown !== pair || pair !== here()) return false;
  const note = at("remark").value.trim() || null;
  const seconds = Math.round(looked()) / 1000;
  const answer = await told("api/verdict", {
    id: mark(), rater: my.rater, pair, verdict, reason: my.reason, note, seconds,
  });
  my.verdicts = answer.verdicts;
  return true;
}

async function judge(pair, verdict) {
  if (!(await save(pair, verdict))) return;
  const ahead = my.order.map((_, n) => (my.place + 1 + n) % my.order.length);
  const next = ahead.find((place) => !(my.order[place] in my.verdicts));
  await show(next === undefined ? my.place : next);
}

// On a judged pair a changed reason or note is a verdict of its own; elsewhere it waits for one.
async function amend(pair) {
  if (given() && (await save(pair, given().verdict))) drawGiven(given());
}

async function choose(pair, reason) {
  if (pair !== here()) return;
  my.reason = my.reason === reason ? null : reason;
  drawReasons(my.reason);
  await amend(pair);
}

async function undo() {
  const answer = await told("api/undo", { id: mark(), rater: my.rater });
  my.verdicts = answer.verdicts;
  await show(answer.pair === null ? my.place : my.order.indexOf(answer.pair));
  if (answer.pair === null) at("given").textContent = "There is nothing to take back.";
}

async function step(by) {
  const place = my.place + by;
  if (place >= 0 && place < my.order.length) await show(place);
}

async function toggleBoxes() {
  my.boxes = !my.boxes;
  at("toggle").setAttribute("aria-pressed", String(my.boxes));
  at("lack").textContent = "";
  drawBoxes(null);
  if (my.boxes && shown === here()) await outline(here());
}

async function begin(rater) {
  const found = await told(`api/sample?rater=${encodeURIComponent(rater)}`);
  Object.assign(my, found, { rater });
  address.set("rater", rater);
  history.replaceState(null, "", `#${address}`);
  at("who").textContent = `rater: ${rater}`;
  at("start").hidden = true;
  at("judge").hidden = at("foot").hidden = false;
  at("remark").blur();
  const first = my.order.findIndex((pair) => !(pair in my.verdicts));
  await show(first < 0 ? my.order.length - 1 : first);
}

async function greet() {
  const known = await told("api/raters");
  const rater = address.get("rater");
  if (rater) return begin(rater);
  at("start").hidden = false;
  at("own").hidden = known.only;
  at("names").replaceChildren(...Object.entries(known.done).map(([name, done]) =>
    button(`${name}: ${done} of ${known.n}`, "", () => guarded(() => begin(name)))));
  if (!known.only) at("name").focus();
}

// Another tab of the same rater may have gone on.
async function refresh() {
  if (!my.rater) return;
  my.verdicts = (await told(`api/sample?rater=${encodeURIComponent(my.rater)}`)).verdicts;
  drawGiven(given());
  drawProgress(Object.keys(my.verdicts).length, my.order.length, my.place);
}

const KEYS = {
  y: (pair) => judge(pair, "yes"), n: (pair) => judge(pair, "no"), u: (pair) => judge(pair, "unsure"),
  z: undo, b: toggleBoxes, ArrowLeft: () => step(-1), ArrowRight: () => step(1),
};
for (const [n, reason] of REASONS.entries()) KEYS[n + 1] = (pair) => choose(pair, reason);

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || !my.rater) return;
  if (event.target === at("remark")) {
    if (event.key === "Enter" || event.key === "Escape") at("remark").blur();
    return;
  }
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  if (key === "c") {
    event.preventDefault();
    at("remark").focus();
  } else if (Object.hasOwn(KEYS, key)) {
    event.preventDefault();
    if (!event.repeat || key.startsWith("Arrow")) guarded(KEYS[key]);
  }
});

document.addEventListener("visibilitychange", () => {
  if (document.hidden) {
    watched = looked();
    since = 0;
  } else {
    if (shown >= 0) since = performance.now();
    guarded(refresh);
  }
});

for (const made of document.querySelectorAll("[data-verdict]")) {
  made.addEventListener("click", () => guarded((pair) => judge(pair, made.dataset.verdict)));
}
at("reasons").replaceChildren(...REASONS.map((reason, n) =>
  button(reason, String(n + 1), () => guarded((pair) => choose(pair, reason)))));
at("remark").addEventListener("change", () => guarded(amend));
at("before").addEventListener("click", () => guarded(() => step(-1)));
at("after").addEventListener("click", () => guarded(() => step(1)));
at("toggle").addEventListener("click", () => guarded(toggleBoxes));
at("undo").addEventListener("click", () => guarded(undo));
at("start").addEventListener("submit", (event) => {
  event.preventDefault();
  guarded(() => begin(at("name").value.trim()));
});

let asked = false;
at("finish").addEventListener("click", () => guarded(async () => {
  if (!asked) {
    asked = true;
    at("finish").textContent = "Yes, finish it now";
    return;
  }
  await ask("api/finish", {});
  my.rater = "";
  at("judge").hidden = at("done").hidden = at("foot").hidden = true;
  at("who").textContent = "The review is finished; the results are in the terminal.";
}));

// The address of a later start, put into the same tab: only what stands behind # may differ.
window.addEventListener("hashchange", () => location.reload());

guarded(greet);
