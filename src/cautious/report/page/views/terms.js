// What each word means: shown on hover, focus or tap.
import { button, el, strong } from "../charts/dom.js";

const TERMS = {
  window: ["Window", "Two thresholds on the score. Up to the lower one the answer is the negative class, from the upper one the positive class; between them the model abstains. Equal thresholds mean it always answers."],
  acceptance: ["Threshold", "An answer goes out where its confidence is at least the threshold; elsewhere it is escalated: a person, or something more expensive, looks at it. Answers without a confidence are escalated."],
  escalate: ["Escalating", "The answer does not go out; a person, or something more expensive, looks at it, at the cost of escalating, needlessly where the answer was right."],
  gradedcost: ["Cost per case", "What an answer costs on average: the share of wrong ones that go out times their cost, plus the share of those escalated times the cost of escalating. The threshold is chosen on nine tenths of the cases and judged on the rest, four times over."],
  cost: ["Expected cost", "What a case costs on average: the share of missed positives times the cost of a miss, plus false alarms times their cost, plus abstentions times the cost of abstaining. Right answers cost nothing."],
  tablecost: ["Cost per case", "What an answer costs on average by the table of costs. A set of several classes costs as much as abstaining, unless sets have prices of their own."],
  interval: ["Cost on new cases", "Thresholds chosen on some cases look better on them than on others. So they are chosen on nine tenths of the cases and judged on the rest, four times over: that is the first number, with a 95% interval."],
  abstain: ["Abstaining", "The case is not answered but passed on, to a person or to another test, at the cost of abstaining. New cases are abstained on about as often as these; the 95% interval says how nearly."],
  prior: ["Share of positives", "How common the positive class is where the model will be used. It may differ from the sample the model was tested on; the counts of each class are then re-weighted."],
  vacc: ["VACC", "Volume under the abstention cost surface: the mean cost, in units of the more expensive mistake, if the other mistake and abstaining were equally likely to cost anything from nothing up to as much as it. The more expensive mistake is the one that costs more on the sliders now, as a rule missing the positive class. Lower is better. Go by it while you know no more about the costs."],
  winner: ["Winner map", "Each point is a pair of relative costs. It has a model’s colour where that model is expected to be cheaper on new cases than every other, each with its own best window, and the difference is more than chance; elsewhere it is grey. The map spans all costs at which the more expensive mistake stays the more expensive one and abstaining costs at most half of it; shares are parts of this map."],
  more: ["More than the best", "The cost on new cases less that of the cheapest model. Models judged on the same cases are compared case by case. Where the interval holds 0 the two cannot be told apart."],
  below: ["Below the best", "The utility of the most useful model less that of this one, with a 95% interval that holds for all of them at once. Answers to the same cases are compared case by case. Where the interval holds 0 the two cannot be told apart."],
  reward: ["What caution earns", "A set of classes costs the power mean of what its classes cost, with the power 1 − r. At r = 0 it costs their mean, so sets are seldom worth it; the larger r, the less a set with the truth in it costs."],
  difference: ["Difference", "Cost on new cases of the first model less that of the second at the same relative costs, each with its own best window. On the black line both cost the same."],
  slice: ["A cut through the surface", "The cost per new case with each model’s best window, as abstaining gets more expensive and all other costs stay as they are."],
  response: ["Response curve", "What is left of the errors, counted on these cases, as the model is allowed to abstain on more of them, giving up first those most expensive to answer at these costs. Dots mark the windows recommended now."],
  decision: ["Decision curve", "Net benefit: the share of true positives less that of false ones, weighed by the odds of the threshold from which one acts. A model is worth using where its line lies above acting on all and on none."],
  calibration: ["Calibration", "Cases of about the same score are put together. If the scores are probabilities, as many of them are positive as the score says."],
  roc: ["ROC curve", "Positives found against false alarms, for every single threshold. The rings are the two thresholds between which there is no answer."],
  groups: ["Groups", "The same thresholds in each group of cases: what share is answered, and what share of the answers is wrong."],
  setgroups: ["Groups", "The same answers in each group of cases: what share names one class, what share of these is wrong, and what share of all answers holds the truth."],
  risk: ["Risk and coverage", "Coverage is the share of cases answered when the surest, by the model’s own score, are answered first. Risk is the share of wrong ones among the answers."],
  aurc: ["AURC", "Area under risk against coverage: the mean risk over all coverages. Lower is better."],
  forced: ["Forced to answer", "The same scores with the best single threshold, abstaining not allowed."],
  missed: ["Missed", "Positives that are answered negative, as a share of all positives."],
  fp: ["False alarms", "False positives: negatives answered as positive, as a share of all cases."],
  sensitivity: ["Sensitivity", "Of all positives, the share that is answered positive. Positives without an answer are not found yet: they count against it. It is counted on these cases, within its interval."],
  specificity: ["Specificity", "Of all negatives, the share that is answered negative. Negatives without an answer count against it. It is counted on these cases, within its interval."],
  ppv: ["PPV", "Positive predictive value: of the cases answered positive, the share that is positive. It moves with the share of positives."],
  npv: ["NPV", "Negative predictive value: of the cases answered negative, the share that is negative. It moves with the share of positives."],
  wrongsingle: ["Wrong among single answers", "The share of answers with one class that are wrong (selective error)."],
  wrong: ["Wrong among answers", "The share of given answers that are wrong (selective error)."],
  surface: ["Cost surface", "The least cost at every pair of relative costs, counted on these cases, in units of the more expensive mistake. Above the dotted line, ν > μ/(1+μ), abstaining never pays."],
  k: ["Risk aversion k", "What a right answer of two classes is worth beside a right single answer: 0.5 is its bare chance of being the truth, 0.65 (u65) and 0.8 (u80) reward honest doubt, 1 counts it as good as certain."],
  utility: ["Utility", "A prediction of m classes that holds the truth has discounted accuracy x = 1/m and earns x + (4k − 2)·x(1 − x); a wrong one earns nothing. Shown is the mean with a 95% normal interval."],
  determinacy: ["Single answers", "The share of predictions that name one class only (determinacy)."],
  single: ["Right when single", "Accuracy of the predictions that name one class (single accuracy)."],
  setaccuracy: ["Right when several", "The share of predictions naming several classes that hold the truth (set accuracy)."],
  containment: ["Holds the truth", "The share of all predictions that hold the truth; conformal prediction calls it coverage."],
  size: ["Mean size", "Mean number of classes in a prediction."],
  confusion: ["Confusion with sets", "How often each answer met each true class. Answers are rows, truths columns; sets of several classes have rows of their own, and the last row abstains."],
};

let tip = null;

function showTip(owner, key) {
  hideTip();
  const [title, text] = TERMS[key];
  tip = el("div", { class: "tip", role: "tooltip", id: "tip" }, strong(title), el("p", {}, text));
  tip.owner = owner;
  document.body.append(tip);
  owner.setAttribute("aria-describedby", "tip");
  const at = owner.getBoundingClientRect(), width = Math.min(320, innerWidth - 24);
  tip.style.width = `${width}px`;
  tip.style.left = `${Math.max(12, Math.min(at.left - 20, innerWidth - width - 12)) + scrollX}px`;
  const below = at.bottom + 8 + tip.offsetHeight < innerHeight;
  tip.style.top = `${(below ? at.bottom + 8 : at.top - tip.offsetHeight - 8) + scrollY}px`;
}

function hideTip() {
  tip?.owner.removeAttribute("aria-describedby");
  tip?.remove();
  tip = null;
}

// A drawing may have taken away the words that a tip explains.
export function tidyTip() {
  if (tip && !tip.owner.isConnected) hideTip();
}

// A small question mark, or words of one's own, that explains itself.
export function term(key, text = null) {
  const show = () => showTip(owner, key);
  const owner = button(
    {
      class: text === null ? "term mark" : "term",
      "aria-label": text === null ? `What is ${TERMS[key][0]}?` : `${text}: what is that?`,
      onmouseenter: show, onmouseleave: hideTip, onfocus: show, onblur: hideTip,
      onclick: (event) => {
        event.stopPropagation();
        show();
      },
      onkeydown: ({ key: pressed }) => pressed === "Escape" && hideTip(),
    },
    text ?? "?",
  );
  return owner;
}
