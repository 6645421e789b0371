// Keys, controls, light and dark.

// ---- keys

const current = () => document.activeElement && document.activeElement.closest(".card");

function columns() {
  return Math.max(1, getComputedStyle(list).gridTemplateColumns.split(" ").length);
}

function step(by) {
  const now = current();
  const place = now ? [...list.children].indexOf(now) + by : 0;
  if (place < 0 || place >= shown.length) return;
  if (place >= drawn) draw(place + CHUNK);
  for (const card of list.querySelectorAll('[tabindex="0"]')) card.tabIndex = -1;
  const next = list.children[place];
  if (!next) return;
  next.tabIndex = 0;
  next.focus();
  next.scrollIntoView({ block: "nearest" });
}

const STEPS = { j: () => 1, k: () => -1 };
const ARROWS = {
  ArrowRight: () => 1, ArrowLeft: () => -1, ArrowDown: columns, ArrowUp: () => -columns(),
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const typing = event.target.closest("input, select, textarea");
  if (event.key === "Escape" && typing) {
    typing.blur();
  } else if (!typing && event.key === "/") {
    byId("search").focus();
    event.preventDefault();
  } else if (!typing && (STEPS[event.key] || (current() && ARROWS[event.key]))) {
    step((STEPS[event.key] || ARROWS[event.key])());
    event.preventDefault();
  }
});

// ---- controls

function fillCategories() {
  const names = [...new Set(cards.category)].map(said);
  for (const name of names.sort(new Intl.Collator("en").compare)) {
    const option = make("option", "", name);
    option.value = name;
    byId("category").append(option);
  }
}

let waiting = 0;
byId("search").addEventListener("input", () => {
  clearTimeout(waiting);
  waiting = setTimeout(refresh, 120);
});
const selects = document.querySelectorAll(".controls select");
for (const select of selects) select.addEventListener("change", refresh);
byId("reset").addEventListener("click", () => {
  for (const select of selects) select.value = "";
  byId("search").value = "";
  refresh();
});

// ---- light and dark

const root = document.documentElement;
function keep(theme) {
  root.dataset.theme = theme;
  try {
    localStorage.setItem("oodexp-theme", theme);
  } catch (refused) {
    // A page from a file may have no storage: the choice then lasts as long as the page.
  }
}
try {
  const before = localStorage.getItem("oodexp-theme");
  if (before === "light" || before === "dark") root.dataset.theme = before;
} catch (refused) {
  // As above.
}
byId("theme").addEventListener("click", () => {
  const dark = root.dataset.theme
    ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  keep(dark ? "light" : "dark");
});
// A folded table is printed as well.
addEventListener("beforeprint", () => {
  for (const part of document.querySelectorAll("details")) part.open = true;
});

fillCategories();
refresh();
