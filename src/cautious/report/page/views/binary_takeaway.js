// What can be carried off the page of two classes.
import { count, number, percent, shorten, unitOf } from "../core/format.js";
import { originOf } from "../core/window.js";
import { windowText } from "../core/window.js";
import { plainText } from "./advice.js";
import { tableRows } from "./binary_tables.js";
import { csvFile, pictureTools, ruleFile, takeAway, windowCosts } from "./takeaway.js";

// A line for prints and pictures: when, on how many cases, at which settings.
export function settingsWords(
  { classes },
  { mode, costs, budgets, prior, today },
  { model, window, surface },
) {
  const positive = shorten(classes[1], 24),
    { n, events } = model;
  const by = {
    costs: `costs: missed ${number(costs.false_negative)}, false ${number(costs.false_positive)}, abstaining ${number(costs.abstain)}`,
    budgets: `at most ${percent(budgets.abstention)} without an answer, ${percent(budgets.error)} wrong among answers, ${percent(budgets.missed)} missed`,
    thresholds: "thresholds set by hand",
  }[mode];
  const share = `${percent(surface.positives)} ${positive}${prior === null ? " as in the sample" : ""}`;
  return `${today} · ${shorten(model.name, 40)} · ${count(n)} ${unitOf(model, n)}, ${count(events)} ${positive} · ${by} · ${share} · thresholds ${windowText(model, window)}`;
}

export function addTakeAway(cards, { problem, app, settings, now }) {
  const sentence = () =>
    plainText([...cards.advice.body.querySelectorAll(".lead, .banner, .evidence")]).replace(/\s+/g, " ");
  const rule = () => {
    const { model, window, costs, source, limits, certificate, refused } = now().chosen;
    if (refused) return null;
    return ruleFile({
      kind: "window",
      classes: problem.classes,
      lower: window.lower,
      upper: window.upper,
      costs: source === "costs" ? windowCosts(costs) : null,
      model: model.name,
      ...(certificate && { certificate }),
      data: originOf(model, limits),
      version: app.version,
    });
  };
  const table = () => csvFile(tableRows(now().results, settings()));
  cards.advice.tools.append(...takeAway({ title: () => app.title, sentence, rule, table, none: "No rule keeps the limits" }));
  for (const each of Object.values(cards))
    if (!["confusion", "table", "expert", "groups"].includes(each.key))
      each.tools.append(pictureTools(each, settings));
}
