// The rule for several classes as a table of boxes.
import { el, gridTable, scroller } from "../charts/dom.js";
import { shorten } from "../core/format.js";

const PRICED = {
  costs: "The answer of the least expected cost is given, unless abstaining is expected to cost less. The probabilities are taken as they are; cautious tune looks for thresholds that make up for wrong ones.",
  cost_sets: "The set of the least expected cost is given; what a set costs is between what its classes cost.",
};
const LIKELIEST = "The likeliest class is answered where it is at least so probable; else there is no answer.";

// A table of boxes: costs of each answer at each truth, or one threshold per class. It is made once for
// a kind of rule, and keeps what is being typed when the numbers in it change.
export function ruleEditor({ classes }, rule, change) {
  const k = classes.length,
    said = el("p", { class: "problem", role: "alert", id: "editor-problem" }),
    body = el("div");
  let made = null, boxes = [];
  const box = (label, get, set, most) => {
    const input = el("input", {
      type: "text", inputmode: "decimal", class: "cell-box", "aria-label": label,
      "aria-describedby": "editor-problem", autocomplete: "off",
      oninput: () => {
        const value = input.value.trim() === "" ? NaN : Number(input.value.replace(",", ".")),
          fine = value >= 0 && value <= most,
          range = most === Infinity ? "up" : `to ${most}`;
        input.setAttribute("aria-invalid", String(!fine));
        said.textContent = fine ? "" : `“${shorten(input.value, 12)}” cannot be used: give a number from 0 ${range}.`;
        if (fine) set(value);
      },
    });
    boxes.push(() => {
      if (document.activeElement === input) return;
      input.value = String(get());
      input.removeAttribute("aria-invalid");
    });
    return input;
  };
  const table = (caption, heads, lines) =>
    gridTable(
      "matrix",
      caption,
      heads.map((label) => el("th", { scope: "col" }, shorten(label, 16))),
      lines.map(([heading, inputs], at) =>
        el(
          "tr",
          { class: at === k ? "divide" : null },
          el("th", { scope: "row" }, heading),
          inputs.map((input) => el("td", {}, input)),
        ),
      ),
    );
  const put = (line, at, value) => line.map((old, i) => (i === at ? value : old));
  const costBox = (answer, a) => (truth, y) =>
    box(
      `cost of ${a < k ? `answering ${shorten(answer, 40)}` : "abstaining"} where the truth is ${shorten(truth, 40)}`,
      () => rule().costs[a][y],
      (cost) => change({ costs: put(rule().costs, a, put(rule().costs[a], y, cost)) }),
      Infinity,
    );
  const costTable = (answers, words) =>
    table(
      `Rows are answers, columns truths. ${words}`,
      classes.map((label) => `truth ${label}`),
      answers.map((answer, a) => [
        a < k ? `answer ${shorten(answer, 20)}` : "abstain",
        classes.map(costBox(answer, a)),
      ]),
    );
  const thresholdBox = (label, c) =>
    box(
      `least probability of the answer ${shorten(label, 40)}`,
      () => rule().thresholds[c],
      (t) => change({ thresholds: put(rule().thresholds, c, t) }),
      1,
    );
  const tableFor = (kind) => {
    if (PRICED[kind]) return costTable(kind === "costs" ? [...classes, "abstain"] : classes, PRICED[kind]);
    return kind === "class_thresholds" ? table(LIKELIEST, classes, [["answered from", classes.map(thresholdBox)]]) : null;
  };
  return {
    node: el("div", {}, body, said),
    update() {
      const { kind } = rule();
      if (made !== kind) {
        made = kind;
        boxes = [];
        said.textContent = "";
        const shown = tableFor(kind);
        body.replaceChildren(...(shown ? [scroller(shown)] : []));
      }
      boxes.forEach((write) => write());
    },
  };
}
