// Many classes, and answers that may hold several: what doubt is worth, and where it lies.
import { besideWords, widthOf } from "../charts/axes.js";
import { card, choice, el, toggle, value } from "../charts/dom.js";
import { costOfAnswers } from "../core/classes.js";
import { count, number, shorten, unitOf } from "../core/format.js";
import { worthVerdict } from "../core/differences.js";
import { crossovers, meanUtility, rowsOf, setMeasures } from "../core/sets.js";
import { casesAdvice, plainText } from "./advice.js";
import { controlForm } from "./controls.js";
import { drawSetGroups } from "./group_tables.js";
import { drawSetRisk, drawSizes, drawUtility } from "./sets_charts.js";
import { ruleEditor } from "./sets_editor.js";
import { confusedPairs, setPeople, setTiles, setVerdict } from "./sets_people.js";
import { classTable, pairTable, setConfusion, setRows, setTable } from "./sets_tables.js";
import {
  deciding,
  firstRule,
  isPriced,
  ruleAddress,
  ruleControls,
  ruledModels,
  ruleData,
  ruleFromAddress,
  ruleKinds,
  ruleSentence,
  ruleWordsOf,
} from "./sets_rules.js";
import { stageOf } from "./stage.js";
import { csvFile, pictureTools, ruleFile, takeAway } from "./takeaway.js";
import { term } from "./terms.js";
import { spanControl } from "./widgets.js";

// The models, and what a rule set here makes of their probabilities.
export function setResults(problem, k) {
  const { rule } = problem.view,
    priced = isPriced(rule);
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
  rule: firstRule(k),
  selected: null,
  alone: null,
  unit: "count",
  order: { by: 1, down: true },
  costOrder: { by: 1, down: false },
  classOrder: { by: 6, down: false },
  pairOrder: { by: 2, down: true },
});

export function setsView(problem, app) {
  const view = (problem.view ??= firstSetsView(problem.classes.length));
  const able = deciding(problem).length > 0;
  let current = [],
    shown = null,
    titled = null;
  const setView = (key) => (chosen) => {
    view[key] = chosen;
    app.update();
  };
  const change = (parts) => {
    view.rule = { ...view.rule, ...parts };
    app.update();
  };
  view.address = () => ruleAddress(view.rule);
  view.restore = (said) => {
    view.rule = able ? ruleFromAddress(said, problem.classes.length) : view.rule;
  };
  const worth = spanControl({
    id: "k",
    label: "What half an answer is worth: risk aversion k",
    short: "k",
    about: "k",
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
    modes: able ? ruleKinds(problem.classes.length) : null,
    mode: () => view.rule.kind,
    choose: (kind) => change({ kind }),
    sets: able ? ruleControls(problem, () => view.rule, change) : {},
    always: [worth],
  });
  const editor = ruleEditor(problem, () => view.rule, change);
  const cards = makeSetCards(problem, view, setView);
  cards.editor.show(editor.node);
  const settings = () =>
    `${app.today} · ${shorten(shown.model.name, 40)} · ${count(shown.rows)} ${unitOf(shown.model, shown.rows)} of ${problem.classes.length} classes · ${ruleWordsOf(view.rule, app.k)}`;
  addSetTakeAway(cards, { problem, app, settings, now: () => ({ results: current, chosen: shown }) });
  const live = el("p", { class: "hidden", role: "status", "aria-live": "polite", "data-key": "live" });
  const node = el(
    "div",
    {},
    controls.node,
    el(
      "div",
      { class: "cards" },
      Object.values(cards).map(({ node: n }) => n),
    ),
    live,
  );
  const stage = stageOf();
  stage.watch(Object.values(cards));
  let speaking = 0;
  return {
    node,
    finish: stage.finish,
    leave() {
      clearTimeout(speaking);
      stage.leave();
    },
    update() {
      controls.update();
      editor.update();
      cards.editor.node.hidden = !["costs", "cost_sets", "class_thresholds"].includes(view.rule.kind);
      const results = (current = setResults(problem, app.k));
      const ruled = results.slice(problem.models.length),
        best = bestOf(ruled.length ? ruled : results, isPriced(view.rule)),
        selected = results[view.selected];
      const chosen = (shown = ruled.length
        ? (ruled.find(({ model }) => model.base === selected?.model) ?? best)
        : (selected ?? best));
      if (titled !== isPriced(view.rule)) {
        titled = isPriced(view.rule);
        cards.table.entitle(...(titled ? CHEAPEST : MOST_USEFUL)());
      }
      app.about(settings());
      const context = {
        problem,
        app,
        view,
        cards,
        results,
        best,
        chosen,
        told: worthVerdict(
          results.map(({ model }) => model),
          results.map(({ utility }) => utility.mean),
          app.k,
        ),
        isolate: setView("alone"),
        // A rule is set on probabilities: those of the model behind it are selected.
        select: (index) => setView("selected")(index === null ? null : ownOf(problem, results[index])),
      };
      stage.draw(setDrawings(context));
      clearTimeout(speaking);
      speaking = setTimeout(() => {
        live.textContent = plainText([...cards.advice.body.querySelectorAll("p")]);
      }, 600);
    },
  };
}

const MOST_USEFUL = () => ["Models, the most useful first", term("utility")];
const CHEAPEST = () => ["Models, the cheapest first", term("tablecost")];

// The most useful of results or, where there are costs, the cheapest; the first of equal ones.
function bestOf(results, priced) {
  const worth = ({ cost, utility }) => (priced ? -(cost?.value ?? Infinity) : utility.mean);
  return results.reduce((a, b) => (worth(b) > worth(a) + 1e-15 ? b : a));
}

const ownOf = ({ models }, { model, index }) => (model.base ? models.indexOf(model.base) : index);

function makeSetCards(problem, view, setView) {
  const cards = {
    advice: card("What to do", { wide: true, key: "advice" }),
    editor: card("The rule, class by class", { wide: true, key: "editor" }),
    table: card("Models", { wide: true, key: "table" }), // its title says how they are ranked
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
            ["count", problem.models.some(({ weighted }) => weighted) ? "weights" : "cases"],
            ["share", "share of truth"],
          ],
          view.unit,
          setView("unit"),
        ),
      ],
    }),
    pairs: card("Which classes are taken for which", { key: "pairs" }),
    classes: card("Class by class, the least useful first", { about: term("containment"), key: "classes" }),
  };
  if (problem.models.some(({ groups }) => groups))
    cards.groups = card("Group by group", { about: term("setgroups"), wide: true, key: "groups" });
  if (problem.models.some(({ risk }) => risk))
    cards.risk = card("Risk and coverage", { about: term("risk"), key: "risk" });
  return cards;
}

function setDrawings(context) {
  const { cards, chosen, problem, view } = context;
  return [
    [cards.advice, () => drawSetAdvice(context)],
    [cards.table, () => cards.table.show(setTable(context))],
    [cards.utility, () => drawUtility(context)],
    [cards.sizes, () => drawSizes(context)],
    [
      cards.confusion,
      () =>
        cards.confusion.show(
          el("p", { class: "note" }, `Answers of ${shorten(chosen.model.name)}`),
          setConfusion(chosen.model, problem.classes, view.unit),
        ),
    ],
    [cards.pairs, () => cards.pairs.show(pairTable(context, confusedPairs(chosen.model)))],
    [cards.classes, () => cards.classes.show(classTable(context))],
    ...(cards.groups ? [[cards.groups, () => drawSetGroups(context)]] : []),
    ...(cards.risk ? [[cards.risk, () => drawSetRisk(context)]] : []),
  ];
}

function addSetTakeAway(cards, { problem, app, settings, now }) {
  cards.advice.tools.append(
    ...takeAway({
      title: () => app.title,
      sentence: () =>
        plainText([...cards.advice.body.querySelectorAll(".lead, .banner, .evidence")]).replace(/\s+/g, " "),
      rule: () => {
        const rule = givenRule(now().chosen.model);
        return rule && ruleFile({ ...rule, classes: problem.classes, version: app.version });
      },
      table: () => csvFile(setRows(now().results, settings())),
      none: "No rule: these sets were given",
    }),
  );
  for (const each of Object.values(cards))
    if (["advice", "utility", "sizes", "risk"].includes(each.key))
      each.tools.append(pictureTools(each, settings));
}

// The rule by which the answers that are shown were made; sets that were given have none.
function givenRule({ name, utility, risk, sizes, rule, base }) {
  if (rule) return ruleData({ rule, base });
  if (utility) return { kind: "utility", utility, model: name.replace(/, u\d+ sets$/, "") };
  const likeliest = risk && sizes.every(([size]) => size === 1);
  return likeliest ? { kind: "confidence", threshold: 0, model: name } : null;
}

function drawSetAdvice({ problem, view, cards, results, best, chosen, select, told }) {
  const steps = crossovers(results),
    alone = results.length < 2,
    name = (r) => el("strong", {}, shorten(r.model.name, 60));
  const priced = isPriced(view.rule),
    cheapest = bestOf(results, priced),
    offered = chosen.model.rule ? deciding(problem) : problem.models;
  const change = priced
    ? [
        "Of the answers priced in the table below, those of ",
        name(cheapest),
        " cost least on these cases: ",
        value("least-cost", cheapest.cost.value, number(cheapest.cost.value)),
        " per case.",
      ]
    : steps.length < 2
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
  const options = [
    ["auto", priced ? "the cheapest model" : "the most useful model"],
    ...offered.map((model) => [String(problem.models.indexOf(model)), shorten(model.name, 40)]),
  ];
  const width = widthOf(cards.advice.body);
  cards.advice.show(
    el(
      "div",
      { class: "advice" },
      el(
        "div",
        { class: "words" },
        setVerdict(chosen, {
          classes: problem.classes,
          alone: alone || Boolean(chosen.model.rule),
          best,
          rivals: told.rivals.map((i) => results[i]),
          distinct: told.distinct,
          rule: chosen.model.rule ? ruleSentence(chosen.model, view.rule.costs) : null,
        }),
        casesAdvice(
          problem.models.map(({ name: n }) => n),
          problem.models.map(({ by_class }) => by_class.map(([n]) => n)),
        ),
        alone ? null : el("p", { class: "unsure" }, change),
      ),
      setPeople(chosen, problem.classes.length, besideWords(width)),
      el(
        "div",
        { class: "figures" },
        setTiles(chosen, problem.classes.length),
        offered.length < 2
          ? null
          : choice(
              "show",
              options,
              offered.includes(problem.models[view.selected]) ? String(view.selected) : "auto",
              (key) => select(key === "auto" ? null : Number(key)),
              { "data-action": "select-model" },
            ),
      ),
    ),
  );
}
