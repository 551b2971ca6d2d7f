// Many classes, and answers that may hold several: what doubt is worth, and where it lies.
import { card, choice, el, toggle, value } from "../charts/dom.js";
import { count, number, percent, shorten } from "../core/format.js";
import { crossovers, meanUtility, setMeasures } from "../core/sets.js";
import { casesAdvice } from "./advice.js";
import { drawSetRisk, drawSizes, drawUtility } from "./sets_charts.js";
import { classTable, setConfusion, setTable } from "./sets_tables.js";
import { term } from "./terms.js";

export function setResults(problem, k) {
  return problem.models.map((model, index) => ({
    model,
    index,
    ...(model.measures ??= setMeasures(model)),
    utility: meanUtility(model, k),
  }));
}

export function setsView(problem, app) {
  const view = (problem.view ??= {
    selected: null,
    unit: "count",
    order: { by: 1, down: true },
    classOrder: { by: 6, down: false },
  });
  const setView = (key) => (chosen) => {
    view[key] = chosen;
    app.update();
  };
  const control = aversionControl(app);
  const cards = {
    advice: card("What to do", { wide: true, key: "advice" }),
    table: card("Models, the most useful first", { about: term("utility"), wide: true, key: "table" }),
    utility: card("Utility at every risk aversion", { about: term("k"), key: "utility" }),
    sizes: card("How many classes an answer names", { about: term("size"), key: "sizes" }),
    confusion: card("Answers against truths", {
      about: term("confusion"),
      wide: true,
      key: "confusion",
      tools: [
        toggle(
          "unit",
          [
            ["count", "cases"],
            ["share", "share of truth"],
          ],
          view.unit,
          setView("unit"),
        ),
      ],
    }),
    classes: card("Class by class, the least useful first", {
      wide: problem.models.every(({ risk }) => !risk),
      key: "classes",
    }),
    risk: card("Risk and coverage", { about: term("risk"), key: "risk" }),
  };
  if (problem.models.every(({ risk }) => !risk)) delete cards.risk;
  const live = el("p", { class: "hidden", role: "status", "aria-live": "polite", "data-key": "live" });
  const node = el(
    "div",
    {},
    el(
      "form",
      { class: "controls one", "aria-label": "Risk aversion", onsubmit: (e) => e.preventDefault() },
      control.node,
    ),
    el(
      "div",
      { class: "cards" },
      Object.values(cards).map(({ node: n }) => n),
    ),
    live,
  );
  let speaking = 0;
  return {
    node,
    update() {
      control.update();
      const results = setResults(problem, app.k);
      const best = results.reduce((a, b) => (b.utility.mean > a.utility.mean + 1e-15 ? b : a));
      const chosen = results[view.selected] ?? best;
      const context = { problem, app, view, cards, results, best, chosen, select: setView("selected") };
      drawSetAdvice(context);
      cards.table.show(setTable(context));
      drawUtility(context);
      drawSizes(context);
      cards.confusion.show(
        el("p", { class: "note" }, `Answers of ${shorten(chosen.model.name)}`),
        setConfusion(chosen.model, problem.classes, view.unit),
      );
      cards.classes.show(classTable(context));
      if (cards.risk) drawSetRisk(context);
      clearTimeout(speaking);
      speaking = setTimeout(() => {
        live.textContent = [...cards.advice.body.querySelectorAll("p")].map((p) => p.textContent).join(" ");
      }, 600);
    },
  };
}

function aversionControl(app) {
  const set = (k) => {
    app.k = k;
    app.update();
  };
  const slider = el("input", {
    type: "range",
    id: "k-slider",
    min: 0.5,
    max: 1,
    step: 0.01,
    "aria-label": "Risk aversion, slider",
    "data-slider": "k",
    oninput: () => set(Number(slider.value)),
  });
  const box = el("input", {
    type: "number",
    id: "k-number",
    min: 0.5,
    max: 1,
    step: "any",
    "data-input": "k",
    oninput: () => {
      const k = box.value === "" ? NaN : Number(box.value),
        allowed = k >= 0.5 && k <= 1;
      box.setAttribute("aria-invalid", String(!allowed));
      if (allowed) set(k);
    },
  });
  const node = el(
    "div",
    { class: "control" },
    el("label", { for: "k-number" }, "What half an answer is worth: risk aversion k"),
    term("k"),
    el("div", { class: "control-row" }, slider, box),
    el(
      "p",
      { class: "hint" },
      "A right answer of two classes earns k, a right single answer 1, a wrong one 0. u65 is k = 0.65, u80 is k = 0.8.",
    ),
  );
  const update = () => {
    slider.value = app.k;
    if (document.activeElement !== box) box.value = app.k;
  };
  return { node, update };
}

function drawSetAdvice({ problem, app, view, cards, results, best, chosen, select }) {
  const name = (r) => el("strong", {}, shorten(r.model.name, 60));
  const steps = crossovers(results);
  const alone = results.length < 2;
  const lead = el(
    "p",
    { class: "lead" },
    alone || chosen !== best ? "With " : "Take ",
    name(chosen),
    alone || chosen !== best ? " a prediction is worth " : ": a prediction is worth ",
    el("strong", {}, value("utility", chosen.utility.mean, number(chosen.utility.mean))),
    ` at risk aversion ${number(app.k)}.`,
  );
  const names = `It names a single class in ${percent(chosen.determinacy)} of the cases and is right in ${percent(chosen.singleAccuracy)} of those. `;
  const sets =
    chosen.determinacy < 1
      ? `Otherwise it names several, and they hold the truth in ${percent(chosen.setAccuracy)}.`
      : "It never names several.";
  const change =
    steps.length < 2
      ? [name(results[steps[0].model]), " is the most useful whatever the risk aversion between 0.5 and 1."]
      : [
          "The most useful model is ",
          steps.map(({ from, model }, i) => [
            i ? ", from k = " : "",
            i ? value(`crossover-${i}`, from, number(from)) : "",
            i ? " on " : "",
            name(results[model]),
          ]),
          ".",
        ];
  const tile = (label, about, ...content) =>
    el(
      "div",
      { class: "tile" },
      el("div", { class: "tile-label" }, label, term(about)),
      el("div", { class: "tile-value" }, content),
    );
  const options = [
    ["auto", "the most useful model"],
    ...problem.models.map((model, i) => [String(i), shorten(model.name, 40)]),
  ];
  cards.advice.show(
    el(
      "div",
      { class: "advice" },
      el(
        "div",
        { class: "words" },
        lead,
        el("p", {}, names, sets),
        casesAdvice(
          problem.models.map(({ name: n }) => n),
          problem.models.map(({ by_class }) => by_class.map(([n]) => n)),
        ),
        alone ? null : el("p", { class: "unsure" }, change),
        alone
          ? null
          : choice(
              "show",
              options,
              view.selected === null ? "auto" : String(view.selected),
              (key) => select(key === "auto" ? null : Number(key)),
              { "data-action": "select-model" },
            ),
      ),
      el(
        "div",
        { class: "tiles" },
        tile(
          "Mean utility",
          "utility",
          value("utility-tile", chosen.utility.mean, number(chosen.utility.mean)),
          el("small", {}, `95% interval ${number(chosen.utility.low)} to ${number(chosen.utility.high)}`),
        ),
        tile(
          "Holds the truth",
          "containment",
          value("containment", chosen.containment, percent(chosen.containment)),
          el("small", {}, `of ${count(chosen.n)} cases`),
        ),
        tile(
          "Single answers",
          "determinacy",
          value("determinacy", chosen.determinacy, percent(chosen.determinacy)),
          el("small", {}, `${percent(chosen.singleAccuracy)} of them right`),
        ),
        tile(
          "Mean size",
          "size",
          value("mean-size", chosen.meanSize, number(chosen.meanSize)),
          el("small", {}, `of ${problem.classes.length} classes`),
        ),
      ),
    ),
  );
}
