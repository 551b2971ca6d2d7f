// The picture of risk against coverage, the same for scores and for prediction sets.
import { share } from "./format.js";
import { lineChart } from "./lines.js";
import { riskPoints } from "./risk.js";

export function riskChart(results, chosen, size) {
  const series = results.map((r) => ({
    name: r.model.name,
    index: r.index,
    faded: r !== chosen,
    points: riskPoints(r.model.risk),
  }));
  // The first few cases jump about; they must not set the scale.
  const top = Math.max(
    ...series.flatMap(({ points }) => points.filter(([c]) => c > 0.02).map(([, y]) => y)),
    0.001,
  );
  series.forEach((r) => {
    r.points = r.points.filter(([, y]) => y <= top);
  });
  return lineChart(series, {
    ...size,
    x: [0, 1],
    y: [0, top],
    xLabel: "coverage: share answered, the surest first",
    yLabel: "wrong among answers",
    xFormat: share,
    yFormat: share,
    about: "Risk against coverage",
  }).root;
}
