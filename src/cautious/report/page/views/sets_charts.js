// Charts about prediction sets: what they are worth, how large they are, and how risky.
import { frame, lineFrom, textAt, widthOf } from "../charts/axes.js";
import { svg, swatchLegend } from "../charts/dom.js";
import { keyOf, lineChart, riskChart, seriesOf } from "../charts/lines.js";
import { readStops } from "../charts/readout.js";
import { number, percent, share, shorten } from "../core/format.js";
import { crossovers } from "../core/sets.js";

export function drawUtility(context) {
  const { app, cards, results } = context,
    at = (r, k) => r.accuracy + (4 * k - 2) * r.hedging;
  const series = seriesOf(context, (r) => ({
    points: [0.5, 1].map((k) => [k, at(r, k)]),
    mark: [app.k, r.utility.mean],
  }));
  const heights = series.flatMap(({ points }) => points.map(([, y]) => y)),
    [low, high] = [Math.min(...heights), Math.max(...heights)],
    room = (high - low) * 0.06 || 0.01;
  const { root, plot, sx, sy, inner } = lineChart(series, {
    key: "utility",
    yFormat: number,
    title: (k) => `risk aversion ${number(k)}`,
    width: widthOf(cards.utility.body), height: 310, x: [0.5, 1], y: [low - room, high + room],
    xLabel: "risk aversion k", yLabel: "mean utility", about: "Mean utility against risk aversion",
  });
  plot.prepend(lineFrom("cut", sx(app.k), inner.top, sx(app.k), inner.bottom));
  for (const { from, model } of crossovers(results).slice(1)) {
    const d = `M${sx(from)} ${sy(at(results[model], from)) - 7}l6 7l-6 7l-6 -7z`,
      words = `the best model changes at k = ${number(from)}`;
    plot.append(svg("path", { class: "crossing", d }, svg("title", {}, words)));
  }
  cards.utility.show(root, keyOf(context));
}

// Bars for sizes 1, 2, …; where they run to more than ten, neighbouring ones share a bar.
export function drawSizes({ problem, cards, chosen }) {
  const { sizes } = chosen.model,
    k = problem.classes.length,
    largest = Math.max(...sizes.map(([size]) => size)),
    least = sizes.some(([size]) => size === 0) ? 0 : 1,
    shownTo = Math.min(k, Math.max(largest, 4)),
    wide = shownTo <= 10 ? 1 : Math.ceil(shownTo / 8),
    n = Math.ceil((shownTo + 1 - least) / wide),
    bars = Array.from({ length: n }, () => ({ right: 0, wrong: 0 }));
  for (const [size, right, wrong] of sizes) {
    const bar = bars[Math.floor((size - least) / wide)];
    bar.right += right / chosen.n;
    bar.wrong += wrong / chosen.n;
  }
  const { root, plot, sx, sy, inner } = frame({
    width: widthOf(cards.sizes.body), height: 310, x: [0, n],
    y: [0, Math.max(...bars.map(({ right, wrong }) => right + wrong)) * 1.12],
    xLabel: "classes named", yLabel: "share of cases", yFormat: share,
    xFormat: () => "",
    about: `How many classes the answers of ${shorten(chosen.model.name)} name`,
  });
  const stops = bars.map(({ right, wrong }, b) => {
    const x = sx(b + 0.12),
      width = sx(b + 0.88) - x,
      middle = x + width / 2,
      first = b * wide + least,
      last = Math.min(k, first + wide - 1),
      bar = (kind, from, to) => svg("rect", { class: `bar ${kind}`, x, width, y: sy(to), height: sy(from) - sy(to) });
    plot.append(
      bar("rightbar", 0, right),
      bar("wrongbar", right, right + wrong),
      textAt("tick", middle, inner.bottom + 16, first === last ? `${first}` : `${first}–${last}`),
    );
    if (right + wrong > 0) plot.append(textAt("tick", middle, sy(right + wrong) - 5, percent(right + wrong)));
    return {
      x: middle,
      y: sy(right + wrong),
      title: first === last ? `${first} named` : `${first} to ${last} named`,
      lines: [{ text: `holds the truth ${percent(right)}` }, { text: `does not ${percent(wrong)}` }],
    };
  });
  const each = (inner.right - inner.left) / n,
    find = (h) => (h < inner.left || h >= inner.right ? -1 : Math.floor((h - inner.left) / each));
  readStops(root, inner, { key: "sizes", stops, find });
  cards.sizes.show(root, swatchLegend([["rightbar", "holds the truth"], ["wrongbar", "does not"]]));
}

export function drawSetRisk(context) {
  const { cards } = context,
    able = { ...context, results: context.results.filter(({ model }) => model.risk) };
  cards.risk.show(riskChart(able, { width: widthOf(cards.risk.body), height: 310 }), keyOf(able));
}
