// Scores of both classes back to back, with the window they are cut by.
import { frame } from "./axes.js";
import { svg } from "./dom.js";
import { few, number, shorten } from "../core/format.js";

// Heights are square roots of counts: a window often lies where few scores are.
export function scoreHistogram({ histogram, classes, window, width, height }) {
  const { low, high, positives, negatives } = histogram,
    bars = positives.length;
  const root = (v) => Math.sign(v) * Math.sqrt(Math.abs(v));
  const most = Math.max(...positives.map(Math.sqrt), ...negatives.map(Math.sqrt), 1) * 1.22;
  const largest = Math.max(...positives, ...negatives, 1);
  const round = [0.08, 0.4, 1].map((t) => Number((t * largest).toPrecision(1))).filter((v) => v >= 1);
  const chart = frame({
    width,
    height,
    x: [low, high],
    y: [-most, most],
    left: 58,
    xLabel: "score",
    yLabel: "cases (square-root scale)",
    yTicks: [0, ...round.map(root), ...round.map((v) => -root(v))],
    yFormat: (t) => few(Math.round(t * t)),
    about: `Histogram of scores of ${shorten(classes[1])} above and ${shorten(classes[0])} below the line, with the window shaded`,
  });
  const { plot, sx, sy, inner } = chart;
  const edge = (v) => Math.max(inner.left, Math.min(inner.right, sx(Math.max(low, Math.min(high, v)))));
  const cutLow =
    window.lower === -Infinity ? inner.left : window.lower === Infinity ? inner.right : edge(window.lower);
  const cutHigh =
    window.upper === -Infinity ? inner.left : window.upper === Infinity ? inner.right : edge(window.upper);
  const zone = (from, to, kind) =>
    svg("rect", {
      class: `zone ${kind}`,
      x: from,
      width: Math.max(0, to - from),
      y: inner.top,
      height: inner.bottom - inner.top,
    });
  plot.append(
    zone(inner.left, cutLow, "negative"),
    zone(cutLow, cutHigh, "abstain"),
    zone(cutHigh, inner.right, "positive"),
  );
  const step = (inner.right - inner.left) / bars;
  positives.forEach((p, b) => {
    const x = inner.left + b * step + 0.5,
      w = Math.max(0.5, step - 1);
    if (p)
      plot.append(
        svg("rect", { class: "bar positive", x, width: w, y: sy(root(p)), height: sy(0) - sy(root(p)) }),
      );
    if (negatives[b])
      plot.append(
        svg("rect", {
          class: "bar negative",
          x,
          width: w,
          y: sy(0),
          height: sy(-root(negatives[b])) - sy(0),
        }),
      );
  });
  plot.append(svg("line", { class: "base", x1: inner.left, x2: inner.right, y1: sy(0), y2: sy(0) }));
  for (const [at, cut] of [
    [cutLow, window.lower],
    [cutHigh, window.upper],
  ]) {
    if (Math.abs(cut) === Infinity) continue;
    plot.append(svg("line", { class: "cut", x1: at, x2: at, y1: inner.top, y2: inner.bottom }));
  }
  labels(plot, inner, [cutLow, cutHigh], classes, window);
  return chart.root;
}

function labels(plot, inner, [low, high], classes, window) {
  const write = (from, to, words, kind) => {
    if (to - from < words.length * 6.4) return;
    plot.append(
      svg(
        "text",
        { class: `zone-label ${kind}`, x: (from + to) / 2, y: inner.top + 15, "text-anchor": "middle" },
        words,
      ),
    );
  };
  write(inner.left, low, `answer ${shorten(classes[0], 18)}`, "negative");
  write(low, high, "abstain", "abstain");
  write(high, inner.right, `answer ${shorten(classes[1], 18)}`, "positive");
  const cut = (at, x, anchor) =>
    plot.append(
      svg("text", { class: "cut-label", x, y: inner.bottom - 6, "text-anchor": anchor }, number(at)),
    );
  if (Math.abs(window.lower) < Infinity && window.lower !== window.upper)
    cut(window.lower, low - 4, low < inner.left + 40 ? "start" : "end");
  if (Math.abs(window.upper) < Infinity)
    cut(window.upper, high + 4, high > inner.right - 40 ? "end" : "start");
}
