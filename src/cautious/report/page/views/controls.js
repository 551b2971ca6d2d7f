// Three ways to say what is wanted of two classes: what mistakes cost, how much of them is bearable,
// or the thresholds themselves. All three describe the rule that the page shows, and stay in step.
import { block, button, el, toggle } from "../charts/dom.js";
import { number, percent, shorten } from "../core/format.js";
import { limitNames } from "../core/limits.js";
import { sum } from "../core/surface.js";
import { thresholdText, windowText } from "../core/window.js";
import { ratesOf } from "./binary_results.js";
import { costControl, scoreControl, shareControl } from "./widgets.js";

const MODES = [["costs", "Costs"], ["budgets", "Limits"], ["thresholds", "Thresholds"]];

// `change` takes new settings of the app; `shown` gives the result that is on the screen.
export function binaryControls(problem, app, { change, shown }) {
  const [negative, positive] = problem.classes.map((label) => shorten(label, 26)),
    model = () => shown()?.model ?? problem.models[0];
  const cost = (id, label, short, tint, hint, about) =>
    costControl({
      id, label, short, tint, hint, about,
      get: () => app.costs[id],
      set: (amount) => change({ costs: { ...app.costs, [id]: amount } }),
    });
  const limit = (id, label, short, tint, hint, about) =>
    shareControl({
      id: `limit-${id}`, label, short, tint, hint, about,
      open: true,
      get: () => app.budgets[id],
      set: (share) => change({ budgets: { ...app.budgets, [id]: share } }),
    });
  const score = (id, label, short, tint, hint) =>
    scoreControl({
      id, label, short, tint, hint,
      get: () => (app.thresholds ?? shown()?.window ?? { lower: 0, upper: 0 })[id],
      set: (at) => change({ thresholds: pairOf(app.thresholds ?? shown().window, id, at) }),
      text: (at) => thresholdText(model(), at, 6),
      ends: () => [model().histogram.low, model().histogram.high],
    });
  const graded = problem.kind === "graded",
    missed = `the truth is ${positive}, the answer ${negative}`,
    alarm = `the truth is ${negative}, the answer ${positive}`,
    limitLabels = {
      abstention: graded ? ["Escalated, at most", "escalated ≤", "abstain", "percent of all answers", "escalate"]
        : ["Without an answer, at most", "no answer ≤", "abstain", "percent of all cases", "abstain"],
      error: ["Wrong among answers, at most", "wrong ≤", "negative", `percent of the answers${graded ? " that go out" : ""}`, "wrong"],
      missed: [`Missed “${positive}”, at most`, "missed ≤", "positive", `percent of all ${positive}`, "missed"],
    };
  const sets = {
    costs: graded ? [
      cost("false_positive", "A wrong answer that goes out costs", "wrong", "negative", "a right one costs nothing"),
      cost("abstain", "Escalating an answer costs", "escalate", "abstain", "whether it was right or wrong", "escalate"),
    ] : [
      cost("false_negative", `A missed “${positive}” costs`, "missed", "positive", missed),
      cost("false_positive", `A false “${positive}” costs`, "false", "negative", alarm),
      cost("abstain", "Abstaining costs", "abstain", "abstain", "whatever the truth", "abstain"),
    ],
    budgets: limitNames(graded).map((name) => limit(name, ...limitLabels[name])),
    thresholds: graded ? [
      score("upper", "Answer from a confidence of", "answer ≥", "positive", "what is below it is escalated"),
    ] : [
      score(
        "lower", `Answer “${negative}” up to a score of`, `${shorten(negative, 10)} ≤`, "negative",
        "or drag the line in the picture of the scores",
      ),
      score(
        "upper", `Answer “${positive}” from a score of`, `${shorten(positive, 10)} ≥`, "positive",
        "between the two there is no answer",
      ),
    ],
  };
  const prior = shareControl({
    id: "prior",
    label: `Share of “${positive}”`,
    short: `${shorten(positive, 10)}`,
    about: "prior",
    get: () => app.prior,
    set: (share) => change({ prior: share }),
    sample: () => {
      const [p, n] = [problem.models[0].positives, problem.models[0].negatives].map(sum);
      return p / (p + n);
    },
  });
  const onchange = () => change({ budgets: { ...app.budgets, promise: promise.checked } }),
    promise = el("input", { type: "checkbox", id: "promise", "data-input": "promise", onchange }),
    words = " keep the limits on new cases too, with 95% confidence",
    promised = el("label", { class: "promise", for: "promise" }, promise, words),
    strip = el("p", { class: "in-step", "data-key": "in-step" });
  return controlForm({
    label: "What is wanted of the rule",
    modes: MODES,
    mode: () => app.mode,
    choose: (mode) => change({ mode }),
    sets, always: [prior], extra: [promised, strip],
    onUpdate: () => {
      promise.checked = app.budgets.promise;
      promised.hidden = app.mode !== "budgets";
      for (const { id, node } of sets.budgets)
        node.classList.toggle("decides", Boolean(shown()?.decisive?.includes(id.replace("limit-", ""))));
      strip.textContent = inStep(shown(), app.mode);
    },
  });
}

// The lower threshold never passes the upper one: the one that is moved takes the other along.
export const pairOf = ({ lower, upper }, moved, at) =>
  moved === "lower" ? { lower: at, upper: Math.max(at, upper) } : { lower: Math.min(at, lower), upper: at };

// The rule in the words of the other two ways.
function inStep(result, mode) {
  if (!result) return "";
  const { model, window: w, costs, expects, graded } = result,
    { cost, abstention, wrong, missed } = ratesOf(result),
    shares = `${percent(abstention)} escalated, ${percent(wrong)} wrong among answers`,
    limits = graded ? shares : `${percent(abstention)} without an answer, ${percent(wrong)} wrong among answers, ${percent(missed)} of the positives missed`,
    ends = windowText(model, w),
    price = `cost ${number(cost)} per case at ${graded ? "" : `${number(costs.fn)}, `}${number(costs.fp)} and ${number(costs.abstain)}`;
  const words = { costs: [limits], budgets: [ends, price], thresholds: [limits, price] }[mode];
  return `${expects ? "Expected" : "On these cases"}: ${words.join("; ")}.`;
}

// A form of which a phone shows one control at a time, at the edge of the screen, and chips for all.
export function controlForm({ label, modes, mode, choose, sets, always, extra = [], onUpdate = () => {} }) {
  const all = [...Object.values(sets).flat(), ...always],
    chips = el("div", { class: "chips", role: "group", "aria-label": "Control to move" });
  let current = null, last = null;
  const form = el(
    "form",
    { class: "controls", "aria-label": label, onsubmit: (event) => event.preventDefault() },
    block("modes", modes ? toggle("Set by", modes, mode(), choose) : null, extra),
    chips,
    all.map(({ node }) => node),
  );
  const pick = ({ target }) => {
    current = target.dataset.chip;
    update();
  };
  const update = () => {
    const used = [...(sets[mode()] ?? []), ...always];
    if (last !== mode() || !used.some(({ id }) => id === current)) current = used[0].id;
    last = mode();
    form.querySelectorAll(".modes .toggle button").forEach((each, i) => {
      each.setAttribute("aria-pressed", String(modes[i][0] === mode()));
    });
    form.style.setProperty("--columns", used.length);
    for (const each of all) {
      each.node.hidden = !used.includes(each);
      each.node.classList.toggle("current", each.id === current);
      if (used.includes(each)) each.update();
    }
    used.forEach((each, i) => {
      const chip = chips.children[i] ?? chips.appendChild(button({ onclick: pick }));
      chip.dataset.chip = each.id;
      chip.textContent = each.chip();
      chip.setAttribute("aria-pressed", String(each.id === current));
    });
    while (chips.children.length > used.length) chips.lastChild.remove();
    onUpdate();
  };
  return { node: form, update };
}
