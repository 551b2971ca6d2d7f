// The cards about two classes, before anything is drawn into them.
import { card, choice, toggle } from "../charts/dom.js";
import { groupsOf } from "../core/curves.js";
import { shorten } from "../core/format.js";
import { RESPONSES } from "./binary_curves.js";
import { MAPS } from "./binary_results.js";
import { term } from "./terms.js";

export function makeCards(problem, view, setView, several) {
  const names = problem.models.map((model, i) => [String(i), shorten(model.name, 30)]);
  const pick = (key) => (i) => setView(key)(Number(i));
  const comparison = several
    ? {
        table: card("Which model", { about: term("cost"), wide: true, key: "table" }),
        winner: card("Which model is cheapest where", { about: term("winner"), key: "winner" }),
        difference: card("Difference of two models", {
          about: term("difference"),
          key: "difference",
          tools: [
            choice("", names, String(view.first), pick("first"), { "aria-label": "first model" }),
            choice("minus", names, String(view.second), pick("second")),
          ],
        }),
      }
    : {};
  return {
    advice: card("What to do", { wide: true, key: "advice" }),
    scores: card("Scores and thresholds", { about: term("window"), key: "scores" }),
    confusion: card("What happens, and what it costs", { about: term("confusion"), key: "confusion" }),
    ...comparison,
    slice: card("If abstaining cost more or less", { about: term("slice"), key: "slice" }),
    decision: card("Does acting on it do good?", { about: term("decision"), key: "decision" }),
    calibration: card("Do the scores mean what they say?", {
      about: term("calibration"),
      key: "calibration",
    }),
    roc: card("Found against false alarms", { about: term("roc"), key: "roc" }),
    risk: card("Risk and coverage by the model’s own confidence", { about: term("risk"), key: "risk" }),
    ...(problem.models.some((model) => groupsOf(model, -Infinity, Infinity))
      ? { groups: card("Group by group", { about: term("groups"), wide: true, key: "groups" }) }
      : {}),
    expert: card("In the papers’ terms", { about: term("vacc"), wide: true, key: "expert" }),
    map: card("Cost map", {
      about: term("surface"),
      key: "map",
      tools: [
        choice(
          "show",
          Object.entries(MAPS).map(([key, { name }]) => [key, name]),
          view.map,
          setView("map"),
        ),
        toggle(
          "flat or in space",
          [
            ["2d", "map"],
            ["3d", "3-D"],
          ],
          view.body,
          setView("body"),
        ),
      ],
    }),
    response: card("Errors against abstention", {
      about: term("response"),
      key: "response",
      tools: [
        choice(
          "show",
          Object.entries(RESPONSES).map(([key, [name]]) => [key, name]),
          view.response,
          setView("response"),
        ),
      ],
    }),
  };
}
