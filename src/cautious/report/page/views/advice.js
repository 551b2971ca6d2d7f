// The recommendation in plain words.
import { el, value } from "../charts/dom.js";
import { count, number, percent, shorten } from "../core/format.js";
import { sum } from "../core/surface.js";
import { thresholdText } from "../core/window.js";

export const strong = (text) => el("strong", {}, text);
export const named = (label) => el("em", {}, shorten(label));

// What to do with a score.
export function ruleWords({ model, window: { lower, upper }, classes: [negative, positive] }) {
  const low = value("lower", lower, thresholdText(model, lower)),
    high = value("upper", upper, thresholdText(model, upper));
  if (lower === -Infinity && upper === Infinity) {
    return [
      strong("Abstain on everything"),
      ": no score is sure enough to be worth an answer at these costs.",
    ];
  }
  if (upper === -Infinity)
    return ["Answer ", named(positive), " to everything: at these costs the scores do not help."];
  if (lower === Infinity)
    return ["Answer ", named(negative), " to everything: at these costs the scores do not help."];
  if (lower === upper) {
    return [
      "Abstaining does not pay here: answer ",
      named(positive),
      " from a score of ",
      strong(high),
      " and ",
      named(negative),
      " below it.",
    ];
  }
  if (lower === -Infinity)
    return ["Answer ", named(positive), " from a score of ", strong(high), " and abstain below it."];
  if (upper === Infinity)
    return ["Answer ", named(negative), " up to a score of ", strong(low), " and abstain above it."];
  return [
    "Answer ",
    named(negative),
    " up to a score of ",
    strong(low),
    ", ",
    named(positive),
    " from ",
    strong(high),
    ", and ",
    strong("abstain between"),
    ".",
  ];
}

const saving = (cost, than) => (than > 0 ? 1 - cost / than : 0);

// What abstaining saves against answering everybody, and against one answer for everybody.
export function savingWords({ window, forced, trivial, classes }) {
  const less = saving(window.cost, forced),
    parts = [];
  if (less > 0.0005)
    parts.push(`On these cases abstaining saves ${percent(less)} of the cost of answering all`);
  const [kind, cheapest] = Object.entries(trivial).reduce((a, b) => (b[1] < a[1] ? b : a));
  const all = {
    negative: `answering ${shorten(classes[0])} to all`,
    positive: `answering ${shorten(classes[1])} to all`,
    abstain: "abstaining on all",
  }[kind];
  const gain = saving(window.cost, cheapest);
  if (gain > 0.0005)
    parts.push(
      parts.length
        ? `, and ${percent(gain)} of that of ${all}`
        : `On these cases that costs ${percent(gain)} less than ${all}`,
    );
  return parts.length ? `${parts.join("")}.` : "";
}

// A score that ranks the wrong way round.
export function invertedAdvice(results, chosen) {
  const inverted = results.filter(({ model }) => model.reversed);
  if (!inverted.length) return null;
  const told = inverted.includes(chosen) ? chosen : inverted[0],
    others = inverted.length - 1;
  return el(
    "p",
    { class: "warning", "data-key": "inverted" },
    `A high score of ${told === chosen ? "this model" : shorten(told.model.name, 40)} speaks against `,
    named(told.classes[1]),
    " (AUC ",
    value("auc", told.model.auc, told.model.auc.toFixed(2)),
    others ? `; so it is with ${others} other model${others > 1 ? "s" : ""}` : "",
    "): is the positive class the other one?",
  );
}

// Costs and utilities found on different cases are not quite comparable. `counts` has for every
// model the cases of each class.
export function casesAdvice(names, counts) {
  const close = (a, b) => Math.abs(a - b) <= 1e-9 * Math.max(a, b);
  if (counts.every((each) => each.every((n, c) => close(n, counts[0][c])))) return null;
  const listed = names.slice(0, 4).map((name, i) => `${shorten(name, 30)} on ${count(sum(counts[i]))}`);
  return el(
    "p",
    { class: "warning", "data-key": "cases" },
    `The models were not judged on the same cases: ${listed.join(", ")}${names.length > 4 ? ", …" : ""}. `,
    "A difference between them may come from the cases.",
  );
}

// If the costs are not known exactly: who wins how often, and who is best on average.
export function uncertainAdvice(results, shares) {
  if (results.length < 2) return null;
  const steady = results.reduce((a, b) => (b.vacc < a.vacc ? b : a));
  const most = Math.max(...shares);
  if (most === 0) return el("p", { class: "unsure" }, "All models cost the same, whatever the costs.");
  const widest = results[shares.indexOf(most)],
    { flipped, classes } = results[0],
    worse = `${flipped ? "false" : "missed"} “${shorten(classes[1], 26)}”`;
  return el(
    "p",
    { class: "unsure" },
    strong("Not sure about the costs? "),
    `Averaged over all costs at which a ${worse} is the more expensive mistake, `,
    strong(shorten(steady.model.name, 40)),
    ` is the cheapest (VACC ${number(steady.vacc)}); `,
    widest === steady ? "it is also" : `${shorten(widest.model.name, 40)} is`,
    ` the cheapest on the largest part (${percent(most)}) of the map below, where abstaining costs at most half of that mistake.`,
  );
}

export function plainText(nodes) {
  return nodes.map((node) => node.textContent).join(" ");
}
