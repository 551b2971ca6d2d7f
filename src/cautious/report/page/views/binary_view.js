// Two classes: sliders on top, the recommendation under them, and everything that follows.
import { widthOf } from "../charts/axes.js";
import { block, card, choice, el, paragraph, swatchLegend, toggle } from "../charts/dom.js";
import { scoreHistogram } from "../charts/histogram.js";
import { groupsOf } from "../core/curves.js";
import { verdictOf } from "../core/differences.js";
import { count, number, percent, shorten, unitOf } from "../core/format.js";
import { limitSaid, noLimits } from "../core/limits.js";
import { originOf, thresholdText, windowText } from "../core/window.js";
import {
  drawCalibration, drawDecision, drawResponse, drawRisk, drawRoc, drawSlice, RESPONSES,
} from "./binary_curves.js";
import { drawDifference, drawMap, drawWinner, sharesOfMap } from "./binary_maps.js";
import {
  binaryResults, expectedCost, findDistinct, knownDistinct, MAPS, searchAgain,
} from "./binary_results.js";
import { binaryControls, pairOf } from "./controls.js";
import { fold, stageOf } from "./stage.js";
import { confusionTable, drawGroups, expertTable, modelTable, tableRows } from "./tables.js";
import { addTakeAway } from "./takeaway.js";
import { term } from "./terms.js";
import { drawVerdict, uncertainAdvice } from "./verdict.js";

// At first the two cheapest are set against each other.
function firstView(problem, app) {
  const order = binaryResults(problem, app)
    .sort((a, b) => expectedCost(a) - expectedCost(b))
    .map(({ index }) => index);
  return {
    selected: null, map: "cost", body: "2d", first: order[0], second: order[1] ?? order[0],
    response: "selective",
    order: { by: 1, down: false },
    expertOrder: { by: 1, down: false },
    alone: null,
  };
}

function makeCards(problem, view, setView, several) {
  const names = problem.models.map((model, i) => [String(i), shorten(model.name, 30)]),
    pick = (key) => (i) => setView(key)(Number(i)),
    made = (key, title, about, rest) => ({ [key]: card(title, { about: about && term(about), key, ...rest }) }),
    pair = [
      choice("", names, String(view.first), pick("first"), { "aria-label": "first model" }),
      choice("minus", names, String(view.second), pick("second")),
    ],
    maps = Object.entries(MAPS).map(([key, { name }]) => [key, name]),
    ways = [["2d", "map"], ["3d", "3-D"]],
    responses = Object.entries(RESPONSES).map(([key, [name]]) => [key, name]),
    show = (key, options) => choice("show", options, view[key], setView(key)),
    wide = { wide: true },
    hasGroups = problem.models.some((model) => groupsOf(model, -Infinity, Infinity));
  if (problem.kind === "graded")
    return {
      ...made("advice", "Answer or escalate", null, wide),
      ...made("scores", "Confidences and the threshold", "acceptance"),
      ...made("confusion", "What happens, and what it costs"),
      ...(several && made("table", "Which confidence", "gradedcost", wide)),
      ...made("slice", "If escalating cost more or less", "slice"),
      ...made("calibration", "Calibration: are as many right as the confidence says?", "calibration"),
      ...made("risk", "Wrong among answers, the surest first", "risk"),
      ...(hasGroups && made("groups", "Group by group", "groups", wide)),
    };
  return {
    ...made("advice", "What to do", null, wide),
    ...made("scores", "Scores and thresholds", "window"),
    ...made("confusion", "What happens, and what it costs", "confusion"),
    ...(several && {
      ...made("table", "Which model", "cost", wide),
      ...made("winner", "Which model is cheapest where", "winner"),
      ...made("difference", "Difference of two models", "difference", { tools: pair }),
    }),
    ...made("slice", "If abstaining cost more or less", "slice"),
    ...made("decision", "Net benefit: does acting on it do good?", "decision"),
    ...made("calibration", "Calibration: do the scores mean what they say?", "calibration"),
    ...made("roc", "ROC curve: found against false alarms", "roc"),
    ...made("risk", "Risk and coverage by the model’s own confidence", "risk"),
    ...(hasGroups && made("groups", "Group by group", "groups", wide)),
    ...made("expert", "In the papers’ terms", "vacc", wide),
    ...made("map", "Cost map", "surface", {
      tools: [show("map", maps), toggle("flat or in space", ways, view.body, setView("body"))],
    }),
    ...made("response", "Errors against abstention", "response", { tools: [show("response", responses)] }),
  };
}

// A line for prints and pictures: when, on how many cases, at which settings.
function settingsWords({ classes }, { mode, costs, budgets, prior, today }, { model, window, surface, graded, limits = {} }) {
  const positive = shorten(classes[1], 24), { n, events } = model, { false_negative: fn, false_positive: fp, abstain } = costs;
  const by = {
    costs: graded ? `costs: wrong answer ${number(fp)}, escalating ${number(abstain)}` : `costs: missed ${number(fn)}, false ${number(fp)}, abstaining ${number(abstain)}`,
    budgets: Object.entries(limits).map((one) => limitSaid(...one, graded)).join(", ") + (budgets.promise ? ", with 95% confidence" : ""),
    thresholds: "set by hand",
  }[mode];
  const share = `${percent(surface.positives)} ${positive}${prior === null ? " as in the sample" : ""}`;
  return `${today} · ${shorten(model.name, 40)} · ${count(n)} ${unitOf(model, n)}, ${count(events)} ${positive} · ${by} · ${share} · ${windowText(model, window)}`;
}

function shownRule({ classes }, { model, window, costs, source, limits, certificate, refused }) {
  if (refused) return null;
  const { fn, fp, abstain, graded } = costs, { lower, upper } = window, { hull, ...data } = originOf(model, limits);
  return {
    ...(graded ? { kind: "acceptance", threshold: upper } : { kind: "window", lower, upper }), classes,
    // The price of each answer at each truth, and of none.
    costs: source === "costs" ? [graded ? [abstain, abstain] : [0, fn], [fp, 0], [abstain, abstain]] : null,
    model: model.name,
    ...(certificate && { certificate }),
    data: graded || !hull ? data : { ...data, hull },
    columns: model.columns,
  };
}

export function binaryView(problem, app) {
  const view = (problem.view ??= firstView(problem, app)), several = problem.models.length > 1;
  let shown = null, current = [], thinking = 0;
  const setView = (key) => (chosen) => {
    view[key] = chosen;
    app.update();
  };
  // Another way to say what is wanted begins with what is on the screen.
  const change = (settings) => {
    if (settings.mode && settings.mode !== app.mode) Object.assign(app, startOf(settings.mode, shown, view));
    Object.assign(app, settings);
    app.update();
  };
  const controls = binaryControls(problem, app, { change, shown: () => shown }),
    cards = makeCards(problem, view, setView, several),
    expert = [cards.expert, cards.map, cards.response].filter(Boolean),
    plain = Object.values(cards).filter((each) => !expert.includes(each)),
    about = "relative costs μ and ν, cost surface, VACC, AURC, errors against abstention",
    experts = fold("Details for experts", about, expert, app.update),
    stage = stageOf(cards),
    node = el("div", {}, controls.node, block("cards", plain.map((each) => each.node)), expert.length ? experts.node : null, stage.live),
    settings = () => settingsWords(problem, app, shown);
  addTakeAway(cards, (key) => !["confusion", "table", "expert", "groups"].includes(key), {
    app,
    settings,
    rule: () => shownRule(problem, shown),
    rows: () => tableRows(current, settings()),
    none: "No rule keeps the limits",
  });
  // What takes long is found while nothing moves, and drawn then; a move never waits long for it.
  const think = () => {
    const { flipped } = current[0];
    if (shown.waits || shown.isOpen) {
      searchAgain(shown, app);
      app.update();
    } else if (cards.winner && !knownDistinct(problem, app, flipped)) {
      if (findDistinct(problem, app, flipped)) [cards.winner, cards.difference, cards.expert].forEach(stage.again);
      else thinking = setTimeout(think, 0);
    }
  };
  return {
    node,
    finish: stage.finish,
    leave() {
      clearTimeout(thinking);
      stage.leave();
    },
    update() {
      const results = (current = binaryResults(problem, app)),
        told = verdictOf(problem.models, app.prior, results[0].costs),
        cheapest = results[told.best] ?? results.reduce((a, b) => (expectedCost(b) < expectedCost(a) ? b : a)),
        chosen = (shown = results[view.selected] ?? cheapest),
        [select, isolate] = ["selected", "alone"].map(setView);
      controls.update();
      app.about(settings());
      const context = { problem, app, view, cards, results, chosen, cheapest, several, change, select, isolate, told };
      stage.draw(context, DRAWN, experts.isOpen() ? [] : [cards.map, cards.response]);
      clearTimeout(thinking);
      thinking = setTimeout(think, shown.waits ? 60 : 800);
    },
  };
}

// Thresholds begin as they are; no limit is set that nobody asked for.
function startOf(mode, { window: w, index }, view) {
  if (mode === "costs") return {};
  view.selected = index; // the scores of another model have other thresholds
  return mode === "thresholds" ? { thresholds: { lower: w.lower, upper: w.upper } } : { budgets: noLimits() };
}

const DRAWN = {
  advice: drawVerdict,
  scores: drawScores,
  confusion: ({ cards, chosen }) => cards.confusion.show(confusionTable(chosen)),
  table: (context) => context.cards.table.show(modelTable(context)),
  winner: drawWinner, difference: drawDifference, slice: drawSlice, decision: drawDecision,
  calibration: drawCalibration, roc: drawRoc, risk: drawRisk, groups: drawGroups,
  expert: drawExpert, map: drawMap, response: drawResponse,
};

function drawExpert({ cards, problem, app, view, results }) {
  const known = knownDistinct(problem, app, results[0].flipped);
  cards.expert.show(
    uncertainAdvice(results, known && sharesOfMap(known, results.length)),
    expertTable({ results, view }),
  );
}

function drawScores({ cards, problem: { classes }, app, chosen: { model, window, graded }, change }) {
  const { root } = scoreHistogram({
    histogram: model.histogram, classes, window, graded,
    text: (at) => thresholdText(model, at),
    width: widthOf(cards.scores.body),
    height: 300,
    onMove: (key, at) => change({ mode: "thresholds", thresholds: pairOf(app.thresholds ?? window, key, at) }),
  });
  const [below, above] = classes.map((label) => `${graded ? "answer" : "truth"} ${shorten(label, 30)}`),
    lines = graded ? "Drag the line" : "Drag the two lines";
  cards.scores.show(
    root,
    swatchLegend([["positive", `${above} (above)`], ["negative", `${below} (below)`]]),
    paragraph("note", `${lines}, or use the arrow keys, to set the threshold${graded ? "" : "s"} yourself.`),
  );
}
