// Which class a high score speaks for: the command line's rule (cautious.cli), which asks rather
// than guesses.
import { FileProblem } from "./columns.js";

// Pairs of labels of which everybody knows the positive one.
const PLAIN_PAIRS = [
  ["0", "1"],
  ["-1", "1"],
  ["false", "true"],
  ["no", "yes"],
  ["n", "y"],
];

// Whole numbers are the same with and without their ".0".
export const plainLabel = (label) => label.replace(/^([+-]?\d+)\.0*$/, "$1");

export const positionOf = (labels, label) => labels.map(plainLabel).indexOf(plainLabel(label));

// Nothing is wrong with the file; its reader has to say which of the labels is positive.
export class PositiveUnknown extends FileProblem {
  constructor(labels) {
    const listed = labels.slice(0, 6).map((label) => `“${label.slice(0, 40)}”`);
    super(
      `The classes are ${listed.join(", ")}${labels.length > 6 ? `, … ${labels.length} in all` : ""}; ` +
        "say which one a high score speaks for.",
    );
    this.labels = labels;
  }
}

// The positive class: said by the p_<class> columns, of two the last, or plain from the labels.
export function settlePositive(labels, { proba }) {
  const named = proba.length ? positionOf(labels, proba[proba.length - 1].label) : -1;
  if (named >= 0) return labels[named];
  const plain = labels.map((label) => plainLabel(label).toLowerCase());
  const pair = PLAIN_PAIRS.find(
    (known) => plain.length === 2 && known.every((label) => plain.includes(label)),
  );
  // A column named after no class says nothing about who it speaks for.
  if (proba.length || !pair) throw new PositiveUnknown(labels);
  return labels[plain.indexOf(pair[1])];
}
