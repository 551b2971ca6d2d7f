// Scores of both classes back to back, with the window they are cut by. Its lines can be dragged.
import { count, few, number, shorten } from "../core/format.js";
import { frame, insideOf, lineFrom, textAt, widthOfText } from "./axes.js";
import { drag, svg } from "./dom.js";
import { placeOf, readout } from "./readout.js";

// Heights are square roots of counts: a window often lies where few scores are. `text` writes a threshold.
export function scoreHistogram({ histogram, classes, window, graded, text, width, height, onMove }) {
  const { low, high, positives, negatives } = histogram,
    bars = positives.length,
    [above, below] = [positives, negatives].map((counts) => Math.max(...counts)),
    most = Math.max(above, below, 1),
    scaled = (v, side) => Math.sqrt(v / most) * (side ? -1 : 1),
    ends = [0.16, -0.1].map((least, side) => scaled(side ? below : above, side) * 1.22 + least),
    counts = [0.08, 0.4, 1]
      .map((t) => Number((t * most).toPrecision(1)))
      .filter((v, i, all) => v >= 1 && v <= most && all.indexOf(v) === i),
    steps = [0, ...[0, 1].flatMap((side) => counts.filter((v) => v <= (side ? below : above)).map((v) => scaled(v, side)))];
  const chart = frame({
    width, height, x: [low, high], y: [ends[1], ends[0]], left: 58, xLabel: graded ? "confidence" : "score",
    yLabel: "cases (square root)", yTicks: steps,
    yFormat: (t) => few(Math.round(t * t * most)),
    about: `Histogram of ${graded ? "confidences" : "scores"} of ${shorten(classes[1])} above and ${shorten(classes[0])} below the line, with ${graded ? "what is escalated" : "the window"} shaded`,
  });
  const { plot, sx, sy, inner } = chart,
    place = (v) => sx(Math.max(low, Math.min(high, v))),
    cuts = [place(window.lower), place(window.upper)],
    zone = (left, right, kind) =>
      svg("rect", { class: `zone ${kind}`, ...insideOf({ ...inner, left, right: Math.max(left, right) }) }),
    step = (inner.right - inner.left) / bars,
    wide = Math.max(0.5, step - 1).toFixed(1);
  const path = (values, side) =>
    values
      .map((v, b) => {
        const [x, y] = [inner.left + b * step + 0.5, sy(scaled(v, side))];
        return v ? `M${x.toFixed(1)} ${sy(0)}V${y.toFixed(1)}h${wide}V${sy(0)}z` : "";
      })
      .join("");
  plot.append(
    zone(inner.left, cuts[0], "negative"),
    zone(cuts[0], cuts[1], "abstain"),
    zone(cuts[1], inner.right, "positive"),
    svg("path", { class: "bar positive", d: path(positives, 0) }),
    svg("path", { class: "bar negative", d: path(negatives, 1) }),
    lineFrom("base", inner.left, sy(0), inner.right, sy(0)),
  );
  const told = graded ? ["", "escalate", "answer"] : [toldOf(classes, 0), "abstain", toldOf(classes, 1)];
  histogramLabels(plot, inner, cuts, told, window, text);
  // The lines have keys of their own, so what reads the bars is a part of the chart beside them.
  const reader = svg("rect", { class: "reader", "aria-label": "Read the bars", ...insideOf(inner) });
  const from = graded ? "Answer from" : `Answer ${shorten(classes[1])} from`,
    handleOf = (key, label, x) => handle(chart, key, x, `${label}, threshold`, window, text, onMove);
  plot.append(
    reader,
    graded ? "" : handleOf("lower", `Answer ${shorten(classes[0])} up to`, cuts[0]),
    handleOf("upper", from, cuts[1]),
  );
  chart.root.setAttribute("role", "group");
  const share = (high - low) / bars,
    barAt = (x) => Math.max(0, Math.min(bars - 1, Math.floor((x - low) / share))),
    answer = (x) => (told[x >= window.upper ? 2 : x <= window.lower ? 0 : 1]),
    wordsAt = (b) => `scores ${number(low + b * share)} to ${number(low + (b + 1) * share)}`;
  readout(chart, {
    key: "scores", host: reader, steps: bars,
    format: (x) => wordsAt(barAt(x)),
    at: (x) => {
      const b = barAt(x),
        [from, to] = [low + b * share, low + (b + 1) * share].map(answer),
        line = (values, side) => ({
          text: `${shorten(classes[1 - side], 22)}: ${count(values[b])} ${values[b] === 1 ? "case" : "cases"}`,
          colour: side ? "var(--negative)" : "var(--positive)",
          y: scaled(values[b], side),
        }),
        lines = [line(positives, 0), line(negatives, 1), { text: from === to ? from : `${from} or ${to}` }];
      return { x: low + (b + 0.5) * share, title: wordsAt(b), lines };
    },
  });
  return chart;
}

const toldOf = (classes, c) => `answer ${shorten(classes[c], 18)}`;

// A threshold that can be grasped. Where both lines meet, each keeps a side of its own.
function handle(chart, key, x, label, window, text, onMove) {
  const { inner, x: [low, high] } = chart,
    side = key === "lower" ? -1 : 1;
  const grip = svg(
    "g",
    {
      class: `handle ${key}`,
      role: "slider", tabindex: 0, "data-handle": key,
      "aria-label": label,
      "aria-valuemin": low,
      "aria-valuemax": high,
      "aria-valuenow": Math.max(low, Math.min(high, window[key])),
      "aria-valuetext": text(window[key]),
    },
    lineFrom("cut", x, inner.top, x, inner.bottom),
    svg("rect", { class: "grasp", ...insideOf(inner), x: side < 0 ? x - 24 : x - 4, width: 28 }),
    svg("path", { class: "grip", d: `M${x} ${inner.bottom - 26}l${side * 7} 6v12l${side * -7} 6z` }),
  );
  grasp(grip, key, chart, window, onMove);
  return grip;
}

// The chart's place is that of the first press.
function grasp(grip, key, { root, inner, x: [low, high] }, window, onMove) {
  const tidy = (at) => Number(at.toFixed(Math.max(0, 3 - Math.floor(Math.log10(high - low)))));
  grip.addEventListener("pointerdown", (press) => {
    const box = root.getBoundingClientRect();
    press.preventDefault();
    drag((event) => {
      const share = (placeOf(event, root, box)[0] - inner.left) / (inner.right - inner.left);
      onMove(key, share <= 0 ? -Infinity : share >= 1 ? Infinity : tidy(low + share * (high - low)));
    });
  });
  grip.addEventListener("keydown", (event) => {
    const moves = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10 },
      steps = moves[event.key],
      ends = { Home: -Infinity, End: Infinity }[event.key];
    if (steps === undefined && ends === undefined) return;
    event.preventDefault();
    const now = Math.max(low, Math.min(high, window[key]));
    onMove(key, ends ?? tidy(now + (steps * (high - low)) / 200));
  });
}

function histogramLabels(plot, inner, [low, high], told, window, text) {
  const write = (from, to, words, kind) => {
    if (to - from >= words.length * 6.4)
      plot.append(textAt(`zone-label ${kind}`, (from + to) / 2, inner.top + 15, words));
  };
  write(inner.left, low, told[0], "negative");
  write(low, high, told[1], "abstain");
  write(high, inner.right, told[2], "positive");
  // Beside its grip, or, where it would not fit there, above the grips and within the plot; one that is wider
  // than the plot is written with fewer digits, and whole where the pointer rests.
  const cut = (at, x, side) => {
    const full = text(at),
      bold = (words) => 1.2 * widthOfText(words),
      shown = bold(full) > inner.right - inner.left ? number(at) : full,
      width = bold(shown),
      fits = side < 0 ? x - 11 - width >= inner.left : x + 11 + width <= inner.right,
      other = Math.max(inner.left, Math.min(inner.right - width, side < 0 ? x + 5 : x - 5 - width)),
      y = inner.bottom - (fits ? 6 : side < 0 ? 32 : 46);
    const label = textAt("cut-label", fits ? x + side * 11 : other, y, shown, fits && side < 0 ? "end" : "start");
    if (shown !== full) label.append(svg("title", {}, full));
    plot.append(label);
  };
  if (Math.abs(window.lower) < Infinity && window.lower !== window.upper) cut(window.lower, low, -1);
  if (Math.abs(window.upper) < Infinity) cut(window.upper, high, 1);
}
