// Many classes, and answers that may hold several: what doubt is worth, and where it lies.
import { block, card, el, paragraph, toggle } from "../charts/dom.js";
import { costOfAnswers } from "../core/classes.js";
import { worthVerdict } from "../core/differences.js";
import { count, shorten, unitOf } from "../core/format.js";
import { meanUtility, rowsOf, setMeasures } from "../core/sets.js";
import { controlForm } from "./controls.js";
import { drawSetRisk, drawSizes, drawUtility } from "./sets_charts.js";
import { ruleEditor } from "./sets_editor.js";
import { drawSetAdvice } from "./sets_people.js";
import {
  bestOf, deciding, firstRule, isPriced, ruleAddress, ruleControls, ruledModels, ruleData, ruleFromAddress, ruleKinds,
  ruleWordsOf,
} from "./sets_rules.js";
import { classTable, pairTable, setConfusion, setRows, setTable } from "./sets_tables.js";
import { stageOf } from "./stage.js";
import { drawSetGroups } from "./tables.js";
import { addTakeAway } from "./takeaway.js";
import { term } from "./terms.js";
import { spanControl } from "./widgets.js";

// The models, and what a rule set here makes of their probabilities.
function setResults(problem, k) {
  const { rule } = problem.view, priced = isPriced(rule);
  return [...problem.models, ...ruledModels(problem, rule, k)].map((model, index) => ({
    model,
    index,
    ...(model.measures ??= setMeasures(model)),
    rows: rowsOf(model),
    utility: meanUtility(model, k),
    cost: priced ? (model.cost ?? costOfAnswers(model, rule)) : null,
  }));
}

const firstSetsView = (k) => ({
  rule: firstRule(k), selected: null, alone: null, unit: "count",
  order: { by: 1, down: true },
  costOrder: { by: 1, down: false },
  classOrder: { by: 6, down: false },
  pairOrder: { by: 2, down: true },
});

export function setsView(problem, app) {
  const { classes, models } = problem,
    view = (problem.view ??= firstSetsView(classes.length)),
    able = deciding(problem).length > 0;
  let current = [], shown = null, titled = null;
  const setView = (key) => (chosen) => {
    view[key] = chosen;
    app.update();
  };
  const change = (parts) => setView("rule")({ ...view.rule, ...parts });
  view.address = () => ruleAddress(view.rule);
  view.restore = (said) => {
    view.rule = able ? ruleFromAddress(said, classes.length) : view.rule;
  };
  const worth = spanControl({
    id: "k", label: "What half an answer is worth: risk aversion k", short: "k", about: "k",
    hint: "A right answer of two classes earns k, a right single answer 1, a wrong one 0. u65 is k = 0.65, u80 is k = 0.8.",
    low: 0.5,
    high: 1,
    get: () => app.k,
    set: (k) => {
      app.k = k;
      app.update();
    },
  });
  const controls = controlForm({
    label: "What is wanted of the answers",
    modes: able ? ruleKinds(classes.length) : null,
    mode: () => view.rule.kind,
    choose: (kind) => change({ kind }),
    sets: able ? ruleControls(problem, () => view.rule, change) : {},
    always: [worth],
  });
  const editor = ruleEditor(problem, () => view.rule, change),
    cards = makeSetCards(problem, view, setView),
    stage = stageOf(cards),
    node = el("div", {}, controls.node, block("cards", Object.values(cards).map((each) => each.node)), stage.live);
  cards.editor.show(editor.node);
  const settings = () =>
    `${app.today} · ${shorten(shown.model.name, 40)} · ${count(shown.rows)} ${unitOf(shown.model, shown.rows)} of ${classes.length} classes · ${ruleWordsOf(view.rule, app.k)}`;
  const rule = () => {
    const found = ruleData(shown.model);
    return found && { ...found, classes, columns: (shown.model.base ?? shown.model).columns };
  };
  addTakeAway(cards, (key) => ["advice", "utility", "sizes", "risk"].includes(key), {
    app, settings, rule,
    rows: () => setRows(current, settings()),
    none: "No rule: these sets were given",
  });
  return {
    node, finish: stage.finish, leave: stage.leave,
    update() {
      controls.update();
      editor.update();
      cards.editor.node.hidden = !["costs", "cost_sets", "class_thresholds"].includes(view.rule.kind);
      const results = (current = setResults(problem, app.k)),
        ruled = results.slice(models.length),
        priced = isPriced(view.rule),
        best = bestOf(ruled.length ? ruled : results, priced),
        selected = results[view.selected],
        own = ruled.find(({ model }) => model.base === selected?.model),
        chosen = (shown = ruled.length ? (own ?? best) : (selected ?? best)),
        means = results.map(({ utility }) => utility.mean),
        told = worthVerdict(results.map(({ model }) => model), means, app.k);
      if (titled !== priced) {
        const [rank, about] = priced ? ["cheapest", "tablecost"] : ["most useful", "utility"];
        cards.table.entitle(`Models, the ${rank} first`, term(about));
        titled = priced;
      }
      app.about(settings());
      // A rule is set on probabilities: those of the model behind it are selected.
      const ownOf = ({ model, index }) => (model.base ? models.indexOf(model.base) : index),
        select = (index) => setView("selected")(index === null ? null : ownOf(results[index])),
        isolate = setView("alone");
      stage.draw({ problem, app, view, cards, results, best, chosen, told, isolate, select }, DRAWN_OF_SETS);
    },
  };
}

function makeSetCards({ models }, view, setView) {
  const units = [["count", models.some(({ weighted }) => weighted) ? "weights" : "cases"], ["share", "share of truth"]],
    made = (key, title, about, rest) => ({ [key]: card(title, { about: about && term(about), key, ...rest }) }),
    wide = { wide: true },
    tools = [toggle("unit", units, view.unit, setView("unit"))];
  return {
    ...made("advice", "What to do", null, wide),
    ...made("editor", "The rule, class by class", null, wide),
    ...made("table", "Models", null, wide),
    ...made("utility", "Utility at every risk aversion", "k"),
    ...made("sizes", "How many classes an answer names", "size"),
    ...made("confusion", "Answers against truths", "confusion", { wide: true, tools }),
    ...made("pairs", "Which classes are taken for which"),
    ...made("classes", "Class by class, the least useful first", "containment"),
    ...(models.some(({ groups }) => groups) && made("groups", "Group by group", "setgroups", wide)),
    ...(models.some(({ risk }) => risk) && made("risk", "Risk and coverage", "risk")),
  };
}

const DRAWN_OF_SETS = {
  advice: drawSetAdvice,
  table: (context) => context.cards.table.show(setTable(context)),
  utility: drawUtility, sizes: drawSizes,
  confusion: ({ cards, chosen, problem, view }) =>
    cards.confusion.show(
      paragraph("note", `Answers of ${shorten(chosen.model.name)}`),
      setConfusion(chosen.model, problem.classes, view.unit),
    ),
  pairs: (context) => context.cards.pairs.show(pairTable(context)),
  classes: (context) => context.cards.classes.show(classTable(context)),
  groups: drawSetGroups, risk: drawSetRisk,
};
