// What is on the screen. All that comes from data sets and raters is put there as text.
const REASONS = ["contextually weak", "morphologically shifted", "wrong label", "other"];
const at = (id) => document.getElementById(id);

function complain(error) {
  at("error").hidden = !error;
  at("error").textContent = error ? error.message : "";
}

function button(text, key, act) {
  const made = document.createElement("button");
  made.type = "button";
  made.append(text);
  if (key) {
    const cap = document.createElement("kbd");
    cap.textContent = key;
    made.append(" ", cap);
  }
  made.addEventListener("click", act);
  return made;
}

function drawReasons(chosen) {
  for (const [n, made] of [...at("reasons").children].entries()) {
    made.setAttribute("aria-pressed", String(REASONS[n] === chosen));
  }
}

function drawGiven(given) {
  for (const made of document.querySelectorAll("[data-verdict]")) {
    made.classList.toggle("given", Boolean(given) && made.dataset.verdict === given.verdict);
  }
  at("given").textContent = given
    ? `You said ${given.verdict}${given.reason ? `, ${given.reason}` : ""}. It is saved.`
    : "Not judged yet. The verdict saves, reason and note included, and goes on.";
}

function drawProgress(done, n, place) {
  at("bar").max = Math.max(n, 1);
  at("bar").value = done;
  at("count").textContent = `${done} of ${n} judged, this is ${place + 1}`;
}

function drawBoxes(boxes) {
  at("boxes").replaceChildren(...(boxes || []).map(([left, top, width, height]) => {
    const made = document.createElement("div");
    made.style.left = `${100 * left}%`;
    made.style.top = `${100 * top}%`;
    made.style.width = `${100 * width}%`;
    made.style.height = `${100 * height}%`;
    return made;
  }));
}

// Small pictures are enlarged, large ones made to fit.
function fit(image) {
  at("frame").style.setProperty("--ratio", String(image.naturalWidth / Math.max(image.naturalHeight, 1)));
}

function say(pair) {
  at("question").textContent = `Is “${pair.category}” visible?`;
  at("where").textContent = `${pair.source}, image ${pair.image_id}`;
}

at("theme").addEventListener("click", () => {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const now = document.documentElement.dataset.theme || (dark ? "dark" : "light");
  document.documentElement.dataset.theme = now === "dark" ? "light" : "dark";
});
