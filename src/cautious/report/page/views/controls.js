// Three ways to say what is wanted of two classes: what mistakes cost, how much of them is bearable,
// or the thresholds themselves. All three describe the rule that the page shows, and stay in step.
import { el, toggle } from "../charts/dom.js";
import { number, percent, shorten } from "../core/format.js";
import { sum } from "../core/surface.js";
import { thresholdText, windowText } from "../core/window.js";
import { costControl, scoreControl, shareControl } from "./widgets.js";

export const MODES = [
  ["costs", "Costs"],
  ["budgets", "Limits"],
  ["thresholds", "Thresholds"],
];

// `change` takes new settings of the app; `shown` gives the result that is on the screen.
export function binaryControls(problem, app, { change, shown }) {
  const [negative, positive] = problem.classes.map((label) => shorten(label, 26));
  const cost = (id, rest) =>
    costControl({
      id,
      get: () => app.costs[id],
      set: (amount) => change({ costs: { ...app.costs, [id]: amount } }),
      ...rest,
    });
  const limit = (id, rest) =>
    shareControl({
      id: `limit-${id}`,
      open: true,
      get: () => app.budgets[id],
      set: (share) => change({ budgets: { ...app.budgets, [id]: share } }),
      ...rest,
    });
  const score = (id, rest) =>
    scoreControl({
      id,
      get: () => (app.thresholds ?? shown()?.window ?? { lower: 0, upper: 0 })[id],
      set: (at) => change({ thresholds: pairOf(app.thresholds ?? shown().window, id, at) }),
      text: (at) => thresholdText(shown()?.model ?? problem.models[0], at, 6),
      ends: () => {
        const { low, high } = (shown()?.model ?? problem.models[0]).histogram;
        return [low, high];
      },
      ...rest,
    });
  const sets = {
    costs: [
      cost("false_negative", {
        label: `A missed “${positive}” costs`,
        short: "missed",
        hint: `the truth is ${positive}, the answer ${negative}`,
        tint: "positive",
      }),
      cost("false_positive", {
        label: `A false “${positive}” costs`,
        short: "false",
        hint: `the truth is ${negative}, the answer ${positive}`,
        tint: "negative",
      }),
      cost("abstain", {
        label: "Abstaining costs",
        short: "abstain",
        about: "abstain",
        hint: "whatever the truth",
        tint: "abstain",
      }),
    ],
    budgets: [
      limit("abstention", {
        label: "Without an answer, at most",
        short: "no answer ≤",
        about: "abstain",
        hint: "percent of all cases",
        tint: "abstain",
      }),
      limit("error", {
        label: "Wrong among answers, at most",
        short: "wrong ≤",
        about: "wrong",
        hint: "percent of the answers",
        tint: "negative",
      }),
      limit("missed", {
        label: `Missed “${positive}”, at most`,
        short: "missed ≤",
        about: "missed",
        hint: `percent of all ${positive}`,
        tint: "positive",
      }),
    ],
    thresholds: [
      score("lower", {
        label: `Answer “${negative}” up to a score of`,
        short: `${shorten(negative, 10)} ≤`,
        hint: "or drag the line in the picture of the scores",
        tint: "negative",
      }),
      score("upper", {
        label: `Answer “${positive}” from a score of`,
        short: `${shorten(positive, 10)} ≥`,
        hint: "between the two there is no answer",
        tint: "positive",
      }),
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
      const { positives, negatives } = problem.models[0];
      return sum(positives) / (sum(positives) + sum(negatives));
    },
  });
  const promise = el("input", {
    type: "checkbox",
    id: "promise",
    "data-input": "promise",
    onchange: () => change({ budgets: { ...app.budgets, promise: promise.checked } }),
  });
  const promised = el(
    "label",
    { class: "promise", for: "promise" },
    promise,
    " keep the limits on new cases too, with 95% confidence",
  );
  const strip = el("p", { class: "in-step", "data-key": "in-step" });
  return controlForm({
    label: "What is wanted of the rule",
    modes: MODES,
    mode: () => app.mode,
    choose: (mode) => change({ mode }),
    sets,
    always: [prior],
    extra: [promised, strip],
    onUpdate: () => {
      promise.checked = app.budgets.promise;
      promised.hidden = app.mode !== "budgets";
      strip.textContent = inStep(shown(), app.mode);
    },
  });
}

// The lower threshold never passes the upper one: the one that is moved takes the other along.
export function pairOf({ lower, upper }, moved, at) {
  return moved === "lower"
    ? { lower: at, upper: Math.max(at, upper) }
    : { lower: Math.min(at, lower), upper: at };
}

// The rule in the words of the other two ways.
function inStep(result, mode) {
  if (!result) return "";
  const { model, window: w, surface, costs } = result,
    limits = `${percent(w.abstention)} without an answer, ${percent(w.error / w.answered)} wrong among answers, ${percent(w.fn / surface.positives)} of the positives missed`,
    ends = `thresholds ${windowText(model, w)}`,
    price = `cost ${number(w.cost)} per case at ${number(costs.fn)}, ${number(costs.fp)} and ${number(costs.abstain)}`;
  const words = { costs: [limits], budgets: [ends, price], thresholds: [limits, price] }[mode];
  return `On these cases: ${words.join("; ")}.`;
}

// A form of which a phone shows one control at a time, at the edge of the screen, and chips for all.
export function controlForm({ label, modes, mode, choose, sets, always, extra = [], onUpdate = () => {} }) {
  const all = [...Object.values(sets).flat(), ...always],
    chips = el("div", { class: "chips", role: "group", "aria-label": "Control to move" });
  let current = null,
    last = null;
  const form = el(
    "form",
    { class: "controls", "aria-label": label, onsubmit: (event) => event.preventDefault() },
    el("div", { class: "modes" }, modes ? toggle("Set by", modes, mode(), choose) : null, extra),
    chips,
    all.map(({ node }) => node),
  );
  const update = () => {
    const used = [...(sets[mode()] ?? []), ...always];
    if (last !== mode() || !used.some(({ id }) => id === current)) current = used[0].id;
    last = mode();
    form.querySelectorAll(".modes .toggle button").forEach((button, i) => {
      button.setAttribute("aria-pressed", String(modes[i][0] === mode()));
    });
    form.style.setProperty("--columns", used.length);
    for (const each of all) {
      each.node.hidden = !used.includes(each);
      each.node.classList.toggle("current", each.id === current);
      if (used.includes(each)) each.update();
    }
    used.forEach((each, i) => {
      const chip =
        chips.children[i] ??
        chips.appendChild(el("button", { type: "button", onclick: (e) => pick(e.target) }));
      chip.dataset.chip = each.id;
      chip.textContent = each.chip();
      chip.setAttribute("aria-pressed", String(each.id === current));
    });
    while (chips.children.length > used.length) chips.lastChild.remove();
    onUpdate();
  };
  const pick = (chip) => {
    current = chip.dataset.chip;
    update();
  };
  return { node: form, update };
}
