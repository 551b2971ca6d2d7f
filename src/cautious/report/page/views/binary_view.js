// Two classes: sliders on top, the recommendation under them, and everything that follows.
import { widthOf } from "../charts/axes.js";
import { card, choice, el, toggle, value } from "../charts/dom.js";
import { number, percent, shorten } from "../core/format.js";
import { scoreHistogram } from "../charts/histogram.js";
import { sum } from "../core/surface.js";
import { advice, casesAdvice, invertedAdvice, plainText, uncertainAdvice } from "./advice.js";
import { drawCurves, drawMaps, RESPONSES } from "./binary_charts.js";
import { binaryResults, compared, MAPS } from "./binary_results.js";
import { confusionTable, modelTable } from "./binary_tables.js";
import { term } from "./terms.js";
import { costControl, shareControl } from "./widgets.js";

// At first the two cheapest are set against each other.
function firstView(problem, app) {
  const order = binaryResults(problem, app)
    .sort((a, b) => a.window.cost - b.window.cost)
    .map(({ index }) => index);
  return {
    selected: null,
    map: "cost",
    body: "2d",
    first: order[0],
    second: order[1] ?? order[0],
    response: "selective",
    order: { by: 1, down: false },
  };
}

export function binaryView(problem, app) {
  const view = (problem.view ??= firstView(problem, app));
  const [negative, positive] = problem.classes.map((label) => shorten(label, 26));
  const several = problem.models.length > 1;
  const setCost = (key) => (amount) => {
    app.costs = { ...app.costs, [key]: amount };
    app.update();
  };
  const setView = (key) => (chosen) => {
    view[key] = chosen;
    app.update();
  };
  const cost = (key, label, hint, tint) =>
    costControl({ id: key, label, hint, tint, get: () => app.costs[key], set: setCost(key) });
  const controls = [
    cost(
      "false_negative",
      `A missed “${positive}” costs`,
      `the truth is ${positive}, the answer ${negative}`,
      "positive",
    ),
    cost(
      "false_positive",
      `A false “${positive}” costs`,
      `the truth is ${negative}, the answer ${positive}`,
      "negative",
    ),
    costControl({
      id: "abstain",
      label: "Abstaining costs",
      about: "abstain",
      hint: "whatever the truth",
      tint: "abstain",
      get: () => app.costs.abstain,
      set: setCost("abstain"),
    }),
    shareControl({
      id: "prior",
      label: `Share of “${positive}”`,
      about: "prior",
      get: () => app.prior,
      set: (share) => {
        app.prior = share;
        app.update();
      },
      sample: () => {
        const { positives, negatives } = problem.models[0];
        return sum(positives) / (sum(positives) + sum(negatives));
      },
    }),
  ];
  const cards = makeCards(problem, view, setView, several);
  const live = el("p", { class: "hidden", role: "status", "aria-live": "polite", "data-key": "live" });
  const node = el(
    "div",
    {},
    el(
      "form",
      {
        class: "controls",
        "aria-label": "Costs and share of positives",
        onsubmit: (e) => e.preventDefault(),
      },
      controls.map(({ node: n }) => n),
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
      controls.forEach((control) => control.update());
      const results = binaryResults(problem, app);
      const cheapest = results.reduce((a, b) => (b.window.cost < a.window.cost ? b : a));
      const chosen = results[view.selected] ?? cheapest;
      draw({ problem, app, view, cards, results, chosen, cheapest, several, select: setView("selected") });
      clearTimeout(speaking);
      speaking = setTimeout(() => {
        live.textContent = plainText([...cards.advice.body.querySelectorAll("p")]);
      }, 600);
    },
  };
}

function makeCards(problem, view, setView, several) {
  const names = problem.models.map((model, i) => [String(i), shorten(model.name, 30)]);
  const pick = (key) => (i) => setView(key)(Number(i));
  const cards = { advice: card("What to do", { wide: true, key: "advice" }) };
  if (several)
    cards.table = card("Models, the cheapest first", { about: term("cost"), wide: true, key: "table" });
  Object.assign(cards, {
    scores: card("Scores and window", { about: term("window"), key: "scores" }),
    confusion: card("What happens to 1,000 cases", { about: term("confusion"), key: "confusion" }),
    map: card("Cost map", {
      about: term("surface"),
      key: "map",
      tools: [
        choice(
          "show",
          Object.entries(MAPS).map(([key, { name }]) => [key, name]),
          view.map,
          setView("map"),
        ),
        toggle(
          "flat or in space",
          [
            ["2d", "map"],
            ["3d", "3-D"],
          ],
          view.body,
          setView("body"),
        ),
      ],
    }),
  });
  if (several) {
    cards.winner = card("Which model is cheapest where", { about: term("winner"), key: "winner" });
    cards.difference = card("Difference of two models", {
      about: term("difference"),
      key: "difference",
      tools: [
        choice("", names, String(view.first), pick("first"), { "aria-label": "first model" }),
        choice("minus", names, String(view.second), pick("second")),
      ],
    });
  }
  cards.slice = card("If abstaining cost more or less", { about: term("slice"), key: "slice" });
  cards.response = card("Errors against abstention", {
    about: term("response"),
    key: "response",
    tools: [
      choice(
        "show",
        Object.entries(RESPONSES).map(([key, [name]]) => [key, name]),
        view.response,
        setView("response"),
      ),
    ],
  });
  cards.risk = card("Risk and coverage by the model’s own confidence", { about: term("risk"), key: "risk" });
  return cards;
}

function draw(context) {
  const { cards, several, problem } = context;
  drawAdvice(context);
  if (several) cards.table.show(modelTable(context));
  drawScores(context);
  cards.confusion.show(confusionTable(context.chosen));
  drawMaps(context);
  drawCurves(
    context,
    problem.models.map(({ name }) => name),
  );
}

function drawAdvice({ problem, view, cards, results, chosen, cheapest, several, select }) {
  const { window, interval, forced } = chosen;
  const tile = (label, about, ...content) =>
    el(
      "div",
      { class: "tile" },
      el("div", { class: "tile-label" }, label, about ? term(about) : null),
      el("div", { class: "tile-value" }, content),
    );
  const shares = several ? compared(problem, results, [view.first, view.second]).won.shares : [];
  const options = [
    ["auto", "the cheapest model"],
    ...problem.models.map((model, i) => [String(i), shorten(model.name, 40)]),
  ];
  const chooser = several
    ? choice(
        "show",
        options,
        view.selected === null ? "auto" : String(view.selected),
        (key) => select(key === "auto" ? null : Number(key)),
        { "data-action": "select-model" },
      )
    : null;
  cards.advice.show(
    el(
      "div",
      { class: "advice" },
      el(
        "div",
        { class: "words" },
        advice(chosen, { several, cheapest: chosen === cheapest }),
        invertedAdvice(results, chosen),
        casesAdvice(
          problem.models.map(({ name }) => name),
          problem.models.map(({ positives, negatives }) => [sum(negatives), sum(positives)]),
        ),
        uncertainAdvice(results, shares),
        chooser,
      ),
      el(
        "div",
        { class: "tiles" },
        tile(
          "Cost per case",
          "interval",
          value("cost", window.cost, number(window.cost)),
          el(
            "small",
            {},
            "95% interval ",
            value("cost-low", interval.low, number(interval.low)),
            " to ",
            value("cost-high", interval.high, number(interval.high)),
          ),
        ),
        tile(
          "If forced to answer",
          "forced",
          value("forced", forced, number(forced)),
          el(
            "small",
            {},
            forced > 0 ? `abstaining saves ${percent(1 - window.cost / forced)}` : "nothing to save",
          ),
        ),
        tile(
          "Abstained",
          "abstain",
          value("abstention", window.abstention, percent(window.abstention)),
          el("small", {}, `${percent(window.answered)} answered`),
        ),
        tile(
          "Wrong among answers",
          "wrong",
          value("selective-error", window.error / window.answered, percent(window.error / window.answered)),
          el("small", {}, `${percent(window.error)} of all cases`),
        ),
      ),
    ),
  );
}

function drawScores({ cards, problem, chosen }) {
  const { body } = cards.scores;
  cards.scores.show(
    scoreHistogram({
      histogram: chosen.model.histogram,
      classes: problem.classes,
      window: chosen.window,
      width: widthOf(body),
      height: 300,
    }),
    el(
      "ul",
      { class: "legend" },
      el("li", {}, el("i", { class: "swatch positive" }), `truth ${shorten(problem.classes[1], 30)} (above)`),
      el("li", {}, el("i", { class: "swatch negative" }), `truth ${shorten(problem.classes[0], 30)} (below)`),
    ),
  );
}
