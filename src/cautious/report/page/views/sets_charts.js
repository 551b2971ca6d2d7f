// Charts about prediction sets: what they are worth, how large they are, and how risky.
import { frame, widthOf } from "../charts/axes.js";
import { el, svg } from "../charts/dom.js";
import { number, percent, share, shorten } from "../core/format.js";
import { legend, lineChart, riskChart } from "../charts/lines.js";
import { readStops } from "../charts/readout.js";
import { crossovers } from "../core/sets.js";
import { keyOf } from "./binary_curves.js";

export function drawUtility({ app, view, cards, results, chosen, isolate }) {
  const at = (r, k) => r.accuracy + (4 * k - 2) * r.hedging;
  const series = results.map((r) => ({
    name: r.model.name,
    index: r.index,
    faded: r !== chosen && view.alone === null,
    off: view.alone !== null && view.alone !== r.index,
    points: [
      [0.5, at(r, 0.5)],
      [1, at(r, 1)],
    ],
    mark: [app.k, r.utility.mean],
  }));
  const heights = series.flatMap(({ points }) => points.map(([, y]) => y)),
    low = Math.min(...heights),
    high = Math.max(...heights);
  const room = (high - low) * 0.06 || 0.01;
  const chart = lineChart(series, {
    key: "utility",
    yFormat: number,
    title: (k) => `risk aversion ${number(k)}`,
    width: widthOf(cards.utility.body),
    height: 310,
    x: [0.5, 1],
    y: [low - room, high + room],
    xLabel: "risk aversion k",
    yLabel: "mean utility",
    about: "Mean utility against risk aversion",
  });
  const { plot, sx, inner } = chart;
  plot.prepend(svg("line", { class: "cut", x1: sx(app.k), x2: sx(app.k), y1: inner.top, y2: inner.bottom }));
  crossovers(results)
    .slice(1)
    .forEach(({ from, model }) =>
      plot.append(
        svg(
          "path",
          { class: "crossing", d: `M${sx(from)} ${chart.sy(at(results[model], from)) - 7}l6 7l-6 7l-6 -7z` },
          svg("title", {}, `the best model changes at k = ${number(from)}`),
        ),
      ),
    );
  cards.utility.show(chart.root, keyOf({ results, view, isolate }));
}

// Bars for sizes 1, 2, …; where they run to more than ten, neighbouring ones share a bar.
export function drawSizes({ problem, cards, chosen }) {
  const { sizes } = chosen.model,
    k = problem.classes.length,
    largest = Math.max(...sizes.map(([size]) => size)),
    least = sizes.some(([size]) => size === 0) ? 0 : 1;
  const shownTo = Math.min(k, Math.max(largest, 4)),
    wide = shownTo <= 10 ? 1 : Math.ceil(shownTo / 8);
  const bars = new Map();
  for (const [size, right, wrong] of sizes) {
    const at = Math.floor((size - least) / wide),
      bar = bars.get(at) ?? { right: 0, wrong: 0 };
    bar.right += right / chosen.n;
    bar.wrong += wrong / chosen.n;
    bars.set(at, bar);
  }
  const n = Math.ceil((shownTo + 1 - least) / wide),
    top = Math.max(...[...bars.values()].map(({ right, wrong }) => right + wrong)) * 1.12;
  const chart = frame({
    width: widthOf(cards.sizes.body),
    height: 310,
    x: [0, n],
    y: [0, top],
    xLabel: "classes named",
    yLabel: "share of cases",
    yFormat: share,
    xFormat: () => "",
    about: `How many classes the answers of ${shorten(chosen.model.name)} name`,
  });
  const { plot, sx, sy, inner } = chart,
    stops = [];
  for (let b = 0; b < n; b++) {
    const { right = 0, wrong = 0 } = bars.get(b) ?? {},
      x = sx(b + 0.12),
      width = sx(b + 0.88) - x;
    const first = b * wide + least,
      last = Math.min(k, first + wide - 1);
    plot.append(
      svg("rect", { class: "bar rightbar", x, width, y: sy(right), height: sy(0) - sy(right) }),
      svg("rect", {
        class: "bar wrongbar",
        x,
        width,
        y: sy(right + wrong),
        height: sy(right) - sy(right + wrong),
      }),
      svg(
        "text",
        { class: "tick", x: x + width / 2, y: inner.bottom + 16, "text-anchor": "middle" },
        first === last ? `${first}` : `${first}–${last}`,
      ),
    );
    stops.push({
      x: x + width / 2,
      y: sy(right + wrong),
      title: first === last ? `${first} named` : `${first} to ${last} named`,
      lines: [{ text: `holds the truth ${percent(right)}` }, { text: `does not ${percent(wrong)}` }],
    });
    if (right + wrong > 0)
      plot.append(
        svg(
          "text",
          { class: "tick", x: x + width / 2, y: sy(right + wrong) - 5, "text-anchor": "middle" },
          percent(right + wrong),
        ),
      );
  }
  const wideBar = (inner.right - inner.left) / n;
  readStops(chart.root, inner, {
    key: "sizes",
    stops,
    find: (h) => (h < inner.left || h >= inner.right ? -1 : Math.floor((h - inner.left) / wideBar)),
  });
  cards.sizes.show(
    chart.root,
    el(
      "ul",
      { class: "legend" },
      el("li", {}, el("i", { class: "swatch rightbar" }), "holds the truth"),
      el("li", {}, el("i", { class: "swatch wrongbar" }), "does not"),
    ),
  );
}

export function drawSetRisk({ view, cards, results, chosen, isolate }) {
  const shown = results.filter(({ model }) => model.risk);
  cards.risk.show(
    riskChart(shown, chosen, { width: widthOf(cards.risk.body), height: 310, alone: view.alone }),
    legend(shown, { alone: view.alone, onAlone: isolate }),
  );
}
