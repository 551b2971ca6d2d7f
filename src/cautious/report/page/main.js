// Start: read the data that came with the page, build the views, and keep them up to date.
import { forgetWidths, usePaper } from "./charts/axes.js";
import { button, el, small } from "./charts/dom.js";
import { shorten } from "./core/format.js";
import { noLimits, useLimits } from "./core/limits.js";
import { unpackProblems } from "./core/packing.js";
import { useRules } from "./files/rules.js";
import { readAddress, writeAddress } from "./views/address.js";
import { binaryView } from "./views/binary_view.js";
import { filesView } from "./views/files_view.js";
import { setsView } from "./views/sets_view.js";
import { tidyTip } from "./views/terms.js";

const data = JSON.parse(document.getElementById("data").textContent);
useRules(data.rules);
useLimits(data.limits);

const stage = document.getElementById("stage"), tabs = document.getElementById("tabs");
let view = null, waiting = 0, late = false, writing = 0;

const app = {
  problems: unpackProblems(data.problems), current: 0, costs: data.costs, prior: data.prior,
  mode: "costs",
  basis: "expected", // what numbers are of: "expected" on new cases, or "counted" on these
  budgets: noLimits(),
  thresholds: null, k: 0.65, title: data.title, version: data.version,
  today: new Date().toLocaleDateString("en-GB", { day: "numeric", month: "long", year: "numeric" }),
  // The line that stands on prints.
  about: (words) => (document.getElementById("settings").textContent = words),
  // A move is drawn at once, so that the very next frame shows it. Moves come faster than frames: what
  // comes before that frame is drawn with it.
  update() {
    late = waiting > 0;
    if (late) return;
    waiting = requestAnimationFrame(() => {
      waiting = 0;
      if (late) app.draw();
    });
    app.draw();
  },
  draw() {
    late = false;
    view.update();
    tidyTip();
    clearTimeout(writing);
    writing = setTimeout(() => writeAddress(app), 250);
  },
  // Draw what still waits, out of sight too.
  finish() {
    if (late) app.draw();
    view.finish();
  },
  show(index) {
    app.current = index;
    const problem = app.problems[index];
    view?.leave();
    view = problem.kind === "sets" ? setsView(problem, app) : binaryView(problem, app);
    stage.replaceChildren(view.node);
    drawTabs();
    app.draw();
  },
  // Join models to the problems they belong to, or open new ones. No name is used twice.
  add(problems) {
    const question = ({ kind, classes }) => JSON.stringify([kind, ...classes]);
    const places = problems.map((found) => {
      const same = app.problems.findIndex((problem) => question(problem) === question(found));
      if (same < 0) return app.problems.push({ ...found }) - 1;
      const problem = app.problems[same];
      for (const model of found.models) {
        const taken = problem.models.map(({ name }) => name);
        const first = model.name;
        for (let i = 2; taken.includes(model.name); i++) model.name = `${first} (${i})`;
        problem.models = [...problem.models, model];
      }
      problem.view = problem.distinct = undefined;
      return same;
    });
    app.show(places[0]);
  },
  // Take back models that a file added, before it is read another way.
  remove(models) {
    for (const problem of app.problems) {
      problem.models = problem.models.filter((model) => !models.includes(model));
      problem.view = problem.distinct = undefined;
    }
    app.problems = app.problems.filter((problem) => problem.models.length);
  },
};

// Bring back what the address says; a link opened in the same window does so too.
function restore(hash = location.hash) {
  const { settings: { current, ...rest }, view, said } = readAddress(app, hash);
  Object.assign(app, rest);
  app.show(current);
  Object.assign(app.problems[current].view, view);
  app.problems[current].view.restore?.(said);
  app.draw();
}

function drawTabs() {
  const question = (kind, classes) =>
    ({
      binary: `${shorten(classes[1], 20)} or ${shorten(classes[0], 20)}`,
      sets: `${classes.length} classes, sets`,
      graded: "graded answers",
    })[kind];
  tabs.hidden = app.problems.length < 2;
  tabs.replaceChildren(
    ...app.problems.map(({ kind, classes, models }, i) =>
      button(
        { "aria-current": i === app.current ? "true" : null, onclick: () => app.show(i) },
        question(kind, classes),
        small(` ${models.length} model${models.length > 1 ? "s" : ""}`),
      ),
    ),
  );
}

function themeButton() {
  const root = document.documentElement,
    pressed = document.getElementById("theme"),
    preferred = matchMedia("(prefers-color-scheme: dark)"),
    isDark = () => (root.dataset.theme ?? (preferred.matches ? "dark" : "light")) === "dark",
    label = () => (pressed.textContent = isDark() ? "Light" : "Dark");
  pressed.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    label();
  });
  preferred.addEventListener("change", label);
  label();
}

document.getElementById("title").textContent = data.title;
document.getElementById("notes").append(...data.notes.map((note) => el("p", {}, `Note: ${note}.`)));
document.getElementById("version").textContent = data.version;
document.getElementById("print").addEventListener("click", () => print());
document.getElementById("files").append(filesView(app));
themeButton();
restore();
addEventListener("hashchange", ({ newURL }) => restore(new URL(newURL).hash));
// Prints show all of it, drawn for paper.
for (const [when, use] of [["beforeprint", true], ["afterprint", false]])
  addEventListener(when, () => {
    usePaper(use);
    app.draw();
    app.finish();
  });
addEventListener("resize", () => {
  forgetWidths();
  app.update();
});

globalThis.cautious = Object.freeze({ app }); // for the console and for tests
