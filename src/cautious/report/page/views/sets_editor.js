// The rule for several classes as a table of boxes.
import { el, scroller } from "../charts/dom.js";
import { shorten } from "../core/format.js";

const PRICED = {
  costs: "The answer of the least expected cost is given, unless abstaining is expected to cost less. The probabilities are taken as they are; cautious tune looks for thresholds that make up for wrong ones.",
  cost_sets: "The set of the least expected cost is given; what a set costs is between what its classes cost.",
};

// A table of boxes: costs of each answer at each truth, or one threshold per class. It is made once for
// a kind of rule, and keeps what is being typed when the numbers in it change.
export function ruleEditor(problem, rule, change) {
  const { classes } = problem,
    k = classes.length,
    said = el("p", { class: "problem", role: "alert", id: "editor-problem" }),
    body = el("div");
  let made = null,
    boxes = [];
  const box = (label, get, set, most) => {
    const input = el("input", {
      type: "text",
      inputmode: "decimal",
      class: "cell-box",
      "aria-label": label,
      "aria-describedby": "editor-problem",
      autocomplete: "off",
      oninput: () => {
        const value = input.value.trim() === "" ? NaN : Number(input.value.replace(",", ".")),
          fine = value >= 0 && value <= most;
        input.setAttribute("aria-invalid", String(!fine));
        said.textContent = fine
          ? ""
          : `“${shorten(input.value, 12)}” cannot be used: give a number from 0 ${most === Infinity ? "up" : `to ${most}`}.`;
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
  const head = (labels) =>
    el(
      "thead",
      {},
      el(
        "tr",
        {},
        el("td"),
        labels.map((label) => el("th", { scope: "col" }, shorten(label, 16))),
      ),
    );
  const costTable = (answers, words) =>
    el(
      "table",
      { class: "matrix" },
      el("caption", {}, `Rows are answers, columns truths. ${words}`),
      head(classes.map((label) => `truth ${label}`)),
      el(
        "tbody",
        {},
        answers.map((answer, a) =>
          el(
            "tr",
            { class: a === k ? "divide" : null },
            el("th", { scope: "row" }, a < k ? `answer ${shorten(answer, 20)}` : "abstain"),
            classes.map((truth, y) =>
              el(
                "td",
                {},
                box(
                  `cost of ${a < k ? `answering ${shorten(answer, 40)}` : "abstaining"} where the truth is ${shorten(truth, 40)}`,
                  () => rule().costs[a][y],
                  (cost) =>
                    change({
                      costs: rule().costs.map((line, i) =>
                        i === a ? line.map((c, j) => (j === y ? cost : c)) : line,
                      ),
                    }),
                  Infinity,
                ),
              ),
            ),
          ),
        ),
      ),
    );
  const thresholdTable = () =>
    el(
      "table",
      { class: "matrix" },
      el(
        "caption",
        {},
        "The likeliest class is answered where it is at least so probable; else there is no answer.",
      ),
      head(classes),
      el(
        "tbody",
        {},
        el(
          "tr",
          {},
          el("th", { scope: "row" }, "answered from"),
          classes.map((label, c) =>
            el(
              "td",
              {},
              box(
                `least probability of the answer ${shorten(label, 40)}`,
                () => rule().thresholds[c],
                (t) => change({ thresholds: rule().thresholds.map((one, i) => (i === c ? t : one)) }),
                1,
              ),
            ),
          ),
        ),
      ),
    );
  return {
    node: el("div", {}, body, said),
    update() {
      const { kind } = rule();
      if (made !== kind) {
        made = kind;
        boxes = [];
        said.textContent = "";
        body.replaceChildren(
          ...(PRICED[kind]
            ? [scroller(costTable(kind === "costs" ? [...classes, "abstain"] : classes, PRICED[kind]))]
            : kind === "class_thresholds"
              ? [scroller(thresholdTable())]
              : []),
        );
      }
      boxes.forEach((write) => write());
    },
  };
}
