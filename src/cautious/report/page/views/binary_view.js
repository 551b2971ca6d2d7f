// Two classes: sliders on top, the recommendation under them, and everything that follows.
import { besideWords, widthOf } from "../charts/axes.js";
import { choice, el } from "../charts/dom.js";
import { shorten } from "../core/format.js";
import { scoreHistogram } from "../charts/histogram.js";
import { verdictOf } from "../core/differences.js";
import { sum } from "../core/surface.js";
import { thresholdText } from "../core/window.js";
import { casesAdvice, invertedAdvice, plainText, savingWords, uncertainAdvice } from "./advice.js";
import { makeCards } from "./binary_cards.js";
import { drawResponse, drawRisk, drawSlice } from "./binary_curves.js";
import { drawCalibration, drawDecision, drawRoc } from "./binary_evidence.js";
import { drawGroups } from "./group_tables.js";
import { drawDifference, drawMap, drawWinner } from "./binary_maps.js";
import {
  binaryResults,
  compared,
  expectedCost,
  findDistinct,
  knownDistinct,
  searchAgain,
} from "./binary_results.js";
import { addTakeAway, settingsWords } from "./binary_takeaway.js";
import { confusionTable, expertTable, modelTable } from "./binary_tables.js";
import { binaryControls, pairOf } from "./controls.js";
import { fold, stageOf } from "./stage.js";
import { people, tiles, verdict } from "./verdict.js";

// At first the two cheapest are set against each other.
function firstView(problem, app) {
  const order = binaryResults(problem, app)
    .sort((a, b) => expectedCost(a) - expectedCost(b))
    .map(({ index }) => index);
  return {
    selected: null,
    map: "cost",
    body: "2d",
    first: order[0],
    second: order[1] ?? order[0],
    response: "selective",
    order: { by: 1, down: false },
    expertOrder: { by: 1, down: false },
    alone: null,
  };
}

export function binaryView(problem, app) {
  const view = (problem.view ??= firstView(problem, app));
  const several = problem.models.length > 1;
  let shown = null,
    current = [];
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
  const controls = binaryControls(problem, app, { change, shown: () => shown });
  const cards = makeCards(problem, view, setView, several),
    expert = [cards.expert, cards.map, cards.response],
    plain = Object.values(cards).filter((card) => !expert.includes(card));
  const experts = fold(
    "Details for experts",
    "relative costs μ and ν, cost surface, VACC, AURC, errors against abstention",
    expert,
    app.update,
  );
  const live = el("p", { class: "hidden", role: "status", "aria-live": "polite", "data-key": "live" });
  const node = el(
    "div",
    {},
    controls.node,
    el(
      "div",
      { class: "cards" },
      plain.map(({ node: n }) => n),
    ),
    experts.node,
    live,
  );
  const settings = () => settingsWords(problem, app, shown);
  addTakeAway(cards, { problem, app, settings, now: () => ({ results: current, chosen: shown }) });
  const stage = stageOf();
  stage.watch(Object.values(cards));
  let speaking = 0,
    thinking = 0;
  // What takes long is found while nothing moves, and drawn then; a move never waits long for it.
  const think = () => {
    const { flipped } = current[0];
    if (shown.waits) {
      searchAgain(shown, app);
      app.update();
    } else if (several && !knownDistinct(problem, app, flipped)) {
      if (findDistinct(problem, app, flipped)) stage.again(cards.winner);
      else thinking = setTimeout(think, 0);
    }
  };
  return {
    node,
    finish: stage.finish,
    leave() {
      clearTimeout(thinking);
      clearTimeout(speaking);
      stage.leave();
    },
    update() {
      const results = (current = binaryResults(problem, app));
      const told = verdictOf(problem.models, app.prior, results[0].costs);
      const cheapest =
        results[told.best] ?? results.reduce((a, b) => (expectedCost(b) < expectedCost(a) ? b : a));
      const chosen = (shown = results[view.selected] ?? cheapest);
      controls.update();
      app.about(settings());
      stage.draw(
        drawings({
          problem,
          app,
          view,
          cards,
          results,
          chosen,
          cheapest,
          several,
          change,
          experts: experts.isOpen(),
          select: setView("selected"),
          isolate: setView("alone"),
          told,
        }),
      );
      clearTimeout(thinking);
      thinking = setTimeout(think, shown.waits ? 60 : 800);
      clearTimeout(speaking);
      speaking = setTimeout(() => {
        live.textContent = plainText([...cards.advice.body.querySelectorAll("p")]);
      }, 600);
    },
  };
}

// Limits begin where the shown rule just keeps them, thresholds as they are.
function startOf(mode, { window: w, index, surface }, view) {
  const up = (share) => Math.min(1, Math.ceil(1000 * share - 1e-6) / 1000);
  if (mode === "costs") return {};
  view.selected = index; // the scores of another model have other thresholds
  if (mode === "thresholds") return { thresholds: { lower: w.lower, upper: w.upper } };
  const error = w.answered > 0 ? up(w.error / w.answered) : 1;
  return { budgets: { abstention: 1, error, missed: up(w.fn / surface.positives), promise: false } };
}

// What each card shows, in the order in which a reader misses it.
function drawings(context) {
  const { cards, several, experts } = context;
  return [
    [cards.advice, () => drawVerdict(context)],
    [cards.scores, () => drawScores(context)],
    [cards.confusion, () => cards.confusion.show(confusionTable(context.chosen))],
    ...(several
      ? [
          [cards.table, () => cards.table.show(modelTable(context))],
          [cards.winner, () => drawWinner(context)],
          [cards.difference, () => drawDifference(context)],
        ]
      : []),
    [cards.slice, () => drawSlice(context)],
    [cards.decision, () => drawDecision(context)],
    [cards.calibration, () => drawCalibration(context)],
    [cards.roc, () => drawRoc(context)],
    [cards.risk, () => drawRisk(context)],
    ...(cards.groups ? [[cards.groups, () => drawGroups(context)]] : []),
    [cards.expert, () => drawExpert(context)],
    ...(experts
      ? [
          [cards.map, () => drawMap(context)],
          [cards.response, () => drawResponse(context)],
        ]
      : []),
  ];
}

function drawExpert({ cards, problem, view, results, several }) {
  const shares = several ? compared(problem, results, [view.first, view.second]).won.shares : [];
  cards.expert.show(uncertainAdvice(results, shares), expertTable({ results, view }));
}

function drawVerdict({ problem, app, view, cards, results, chosen, cheapest, several, select, told }) {
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
  const { body } = cards.advice;
  cards.advice.show(
    el(
      "div",
      { class: "advice" },
      el(
        "div",
        { class: "words" },
        verdict(chosen, {
          several,
          rivals: told.rivals.map((i) => results[i]),
          cheapest: chosen === cheapest,
          saving: savingWords(chosen),
          mode: app.mode,
        }),
        invertedAdvice(results, chosen),
        casesAdvice(
          problem.models.map(({ name }) => name),
          problem.models.map(({ positives, negatives }) => [sum(negatives), sum(positives)]),
        ),
      ),
      people(chosen, besideWords(widthOf(body))),
      el("div", { class: "figures" }, tiles(chosen), chooser),
    ),
  );
}

function drawScores({ cards, problem, app, chosen, change }) {
  const onMove = (key, at) =>
    change({ mode: "thresholds", thresholds: pairOf(app.thresholds ?? chosen.window, key, at) });
  cards.scores.show(
    scoreHistogram({
      histogram: chosen.model.histogram,
      classes: problem.classes,
      window: chosen.window,
      text: (at) => thresholdText(chosen.model, at),
      width: widthOf(cards.scores.body),
      height: 300,
      onMove,
    }).root,
    el(
      "ul",
      { class: "legend" },
      el("li", {}, el("i", { class: "swatch positive" }), `truth ${shorten(problem.classes[1], 30)} (above)`),
      el("li", {}, el("i", { class: "swatch negative" }), `truth ${shorten(problem.classes[0], 30)} (below)`),
    ),
    el("p", { class: "note" }, "Drag the two lines, or use the arrow keys, to set the thresholds yourself."),
  );
}
