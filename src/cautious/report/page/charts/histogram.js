// Scores of both classes back to back, with the window they are cut by. Its lines can be dragged.
import { count, few, number, shorten } from "../core/format.js";
import { frame, widthOfText } from "./axes.js";
import { svg } from "./dom.js";
import { readout } from "./readout.js";

// Heights are square roots of counts: a window often lies where few scores are.
// `text` writes a threshold.
export function scoreHistogram({ histogram, classes, window, text, width, height, onMove }) {
  const { low, high, positives, negatives } = histogram,
    bars = positives.length;
  const root = (v) => Math.sign(v) * Math.sqrt(Math.abs(v));
  // Each class has its own scale: a rare one would not be seen beside the other.
  const most = [positives, negatives].map((counts) => Math.max(...counts, 1));
  const scaled = (v, side) => (root(v) / Math.sqrt(most[side])) * (side ? -1 : 1);
  const round = (side) =>
    [0.08, 0.4, 1]
      .map((t) => Number((t * most[side]).toPrecision(1)))
      .filter((v, i, all) => v >= 1 && v <= most[side] && all.indexOf(v) === i);
  const above = round(0),
    below = round(1);
  const steps = [0, ...above.map((v) => scaled(v, 0)), ...below.map((v) => scaled(v, 1))],
    counts = [0, ...above, ...below];
  const chart = frame({
    width,
    height,
    x: [low, high],
    y: [-1.22, 1.22],
    left: 58,
    xLabel: "score",
    yLabel: "cases (square-root scale)",
    yTicks: steps,
    yFormat: (t) => few(counts[steps.indexOf(t)]),
    about: `Histogram of scores of ${shorten(classes[1])} above and ${shorten(classes[0])} below the line, with the window shaded`,
  });
  const { plot, sx, sy, inner } = chart;
  const place = (v) => sx(Math.max(low, Math.min(high, v)));
  const [cutLow, cutHigh] = [place(window.lower), place(window.upper)];
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
  const step = (inner.right - inner.left) / bars,
    wide = Math.max(0.5, step - 1);
  const path = (values, side) =>
    values
      .map((v, b) => {
        if (!v) return "";
        const y = sy(scaled(v, side));
        return `M${(inner.left + b * step + 0.5).toFixed(1)} ${sy(0)}V${y.toFixed(1)}h${wide.toFixed(1)}V${sy(0)}z`;
      })
      .join("");
  plot.append(
    svg("path", { class: "bar positive", d: path(positives, 0) }),
    svg("path", { class: "bar negative", d: path(negatives, 1) }),
    svg("line", { class: "base", x1: inner.left, x2: inner.right, y1: sy(0), y2: sy(0) }),
  );
  histogramLabels(plot, inner, [cutLow, cutHigh], classes, window, text);
  const handles = [handle("lower", cutLow), handle("upper", cutHigh)];
  function handle(key, x) {
    const label =
      key === "lower" ? `Answer ${shorten(classes[0])} up to` : `Answer ${shorten(classes[1])} from`;
    // Where both lines meet, each keeps a side of its own to be grasped by.
    const side = key === "lower" ? -1 : 1;
    const grip = svg(
      "g",
      {
        class: `handle ${key}`,
        ...(onMove && {
          role: "slider",
          tabindex: 0,
          "data-handle": key,
          "aria-label": `${label}, threshold`,
          "aria-valuemin": low,
          "aria-valuemax": high,
          "aria-valuenow": Math.max(low, Math.min(high, window[key])),
          "aria-valuetext": text(window[key]),
        }),
      },
      svg("line", { class: "cut", x1: x, x2: x, y1: inner.top, y2: inner.bottom }),
      svg("rect", {
        class: "grasp",
        x: side < 0 ? x - 24 : x - 4,
        y: inner.top,
        width: 28,
        height: inner.bottom - inner.top,
      }),
      svg("path", {
        class: "grip",
        d: `M${x} ${inner.bottom - 26}l${side * 7} 6v12l${side * -7} 6z`,
      }),
    );
    if (onMove) grasp(grip, key, chart, window, onMove);
    return grip;
  }
  // The lines have keys of their own, so what reads the bars is a part of the chart beside them.
  const reader = svg("rect", {
    class: "reader",
    "aria-label": "Read the bars",
    x: inner.left,
    y: inner.top,
    width: inner.right - inner.left,
    height: inner.bottom - inner.top,
  });
  plot.append(reader, ...handles);
  chart.root.setAttribute("role", "group");
  const share = (high - low) / bars,
    barAt = (x) => Math.max(0, Math.min(bars - 1, Math.floor((x - low) / share)));
  const told = (x) =>
    x >= window.upper ? `answer ${shorten(classes[1], 18)}`
    : x <= window.lower ? `answer ${shorten(classes[0], 18)}`
    : "abstain";
  const wordsAt = (b) => `scores ${number(low + b * share)} to ${number(low + (b + 1) * share)}`;
  readout(chart, {
    key: "scores",
    host: reader,
    steps: bars,
    format: (x) => wordsAt(barAt(x)),
    at: (x) => {
      const b = barAt(x),
        [from, to] = [low + b * share, low + (b + 1) * share].map(told),
        line = (values, side) => ({
          text: `${shorten(classes[1 - side], 22)}: ${count(values[b])} ${values[b] === 1 ? "case" : "cases"}`,
          colour: side ? "var(--negative)" : "var(--positive)",
          y: scaled(values[b], side),
        });
      return {
        x: low + (b + 0.5) * share,
        title: wordsAt(b),
        lines: [line(positives, 0), line(negatives, 1), { text: from === to ? from : `${from} or ${to}` }],
      };
    },
  });
  return chart;
}

// Moves redraw the chart, so the page's window listens; the chart's place is that of the first press.
function grasp(grip, key, { root, inner, x: [low, high] }, window, onMove) {
  grip.addEventListener("pointerdown", (press) => {
    const box = root.getBoundingClientRect(),
      scale = root.viewBox.baseVal.width / box.width;
    const move = (event) => {
      const share = ((event.clientX - box.left) * scale - inner.left) / (inner.right - inner.left);
      onMove(key, share <= 0 ? -Infinity : share >= 1 ? Infinity : tidy(low + share * (high - low)));
    };
    const stop = () => {
      removeEventListener("pointermove", move);
      removeEventListener("pointerup", stop);
      removeEventListener("pointercancel", stop);
    };
    press.preventDefault();
    addEventListener("pointermove", move);
    addEventListener("pointerup", stop);
    addEventListener("pointercancel", stop);
  });
  grip.addEventListener("keydown", (event) => {
    const steps = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10 }[
      event.key
    ];
    const ends = { Home: -Infinity, End: Infinity }[event.key];
    if (steps === undefined && ends === undefined) return;
    event.preventDefault();
    const now = Math.max(low, Math.min(high, window[key]));
    onMove(key, ends ?? tidy(now + (steps * (high - low)) / 200));
  });
  const tidy = (at) => Number(at.toFixed(Math.max(0, 3 - Math.floor(Math.log10(high - low)))));
}

function histogramLabels(plot, inner, [low, high], classes, window, text) {
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
  // Beside its grip, or, where it would not fit there, above the grips and within the plot; one that is wider
  // than the plot is written with fewer digits, and whole where the pointer rests.
  const cut = (at, x, side) => {
    const full = text(at),
      bold = (words) => 1.2 * widthOfText(words),
      shown = bold(full) > inner.right - inner.left ? number(at) : full,
      width = bold(shown),
      fits = side < 0 ? x - 11 - width >= inner.left : x + 11 + width <= inner.right,
      // On the other side of the line.
      other = Math.max(inner.left, Math.min(inner.right - width, side < 0 ? x + 5 : x - 5 - width));
    plot.append(
      svg(
        "text",
        {
          class: "cut-label",
          x: fits ? x + side * 11 : other,
          y: inner.bottom - (fits ? 6 : side < 0 ? 32 : 46),
          "text-anchor": fits && side < 0 ? "end" : "start",
        },
        shown,
        shown === full ? null : svg("title", {}, full),
      ),
    );
  };
  if (Math.abs(window.lower) < Infinity && window.lower !== window.upper) cut(window.lower, low, -1);
  if (Math.abs(window.upper) < Infinity) cut(window.upper, high, 1);
}
