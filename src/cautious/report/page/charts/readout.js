// Numbers under the pointer, the finger or the arrow keys. A chart with a read-out is a slider to
// screen readers: it speaks the numbers at the place it is moved to.
import { lineFrom } from "./axes.js";
import { firstThat } from "../core/surface.js";
import { setAll, svg } from "./dom.js";

// Where the reader left each chart, for it is drawn anew at every move of the costs.
const readAt = new Map();

// A group for words that are drawn only, and not read out.
export const unspoken = () => svg("g", { class: "readout", "aria-hidden": "true" });

const spoken = ({ title, lines }) => [title, ...lines.map(({ text }) => text)].filter(Boolean).join("; ");

// Whatever can be moved to shows and hides: by pointer and finger all over `root`, by keys where `host` has the
// focus. `next` gives the place that a key leads to.
function listenTo(root, host, { point, show, hide, now, next }) {
  root.addEventListener("pointermove", point);
  root.addEventListener("pointerdown", point);
  root.addEventListener("pointerleave", (event) => {
    if (event.pointerType === "mouse" && document.activeElement !== host) hide();
  });
  host.addEventListener("focus", () => {
    if (host.matches(":focus-visible")) show(now());
  });
  host.addEventListener("blur", hide);
  host.addEventListener("keydown", (event) => {
    const place = next(event.key);
    if (event.key === "Escape") hide();
    if (place === undefined || event.target !== host) return;
    event.preventDefault();
    show(place);
  });
}

// `at(x)` gives {x, title, lines: [{text, colour, y}]} for a place on the axis. The keys work where
// `host` has the focus: the chart, or a part of it where the chart has other things to move.
export function readout(chart, { key, at, steps = 50, format = String, host = chart.root }) {
  const { root, inner, x } = chart,
    group = unspoken(),
    start = readAt.get(key) ?? (x[0] + x[1]) / 2,
    now = () => readAt.get(key) ?? start,
    step = (x[1] - x[0]) / steps;
  root.append(group);
  setAll(host, {
    role: "slider", tabindex: 0, "data-readout": key, "aria-valuemin": x[0], "aria-valuemax": x[1],
    "aria-valuenow": start, "aria-valuetext": format(start),
  });
  const show = (place) => {
    const found = at(Math.max(x[0], Math.min(x[1], place)));
    readAt.set(key, found.x);
    drawReadout(chart, group, found);
    setAll(host, { "aria-valuenow": found.x, "aria-valuetext": spoken(found) });
  };
  const hide = () => group.replaceChildren();
  const point = (event) => {
    const share = (placeOf(event, root)[0] - inner.left) / (inner.right - inner.left);
    if (share < -0.02 || share > 1.02 || event.target.closest("[data-handle]")) hide();
    else show(x[0] + share * (x[1] - x[0]));
  };
  const moves = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10 },
    next = (name) => (name in moves ? now() + moves[name] * step : { Home: x[0], End: x[1] }[name]);
  listenTo(root, host, { point, show, hide, now, next });
}

// Where on a drawing the pointer is, in its own units.
export function placeOf(event, root, box = root.getBoundingClientRect()) {
  const scale = root.viewBox.baseVal.width / box.width;
  return [(event.clientX - box.left) * scale, (event.clientY - box.top) * scale];
}

// Read-outs of a picture without an axis: `stops` are {x, y, title, lines}, which keys go through one by
// one, and `find(h, v)` gives the position of the one under the pointer. `mark` is told which is shown.
export function readStops(root, inner, { key, stops, find, mark = () => {} }) {
  const group = unspoken(),
    last = stops.length - 1,
    now = () => Math.min(readAt.get(key) ?? 0, last),
    say = (at) => setAll(root, { "aria-valuenow": at + 1, "aria-valuetext": spoken(stops[at]) });
  root.append(group);
  setAll(root, { role: "slider", tabindex: 0, "data-readout": key, "aria-valuemin": 1, "aria-valuemax": stops.length });
  const show = (at, h = stops[at].x, v = stops[at].y) => {
    readAt.set(key, at);
    say(at);
    mark(at);
    readoutBox(group, inner, h, v, stops[at].title, stops[at].lines);
  };
  const hide = () => {
    mark(-1);
    group.replaceChildren();
  };
  const point = (event) => {
    const [h, v] = placeOf(event, root), at = find(h, v);
    if (at >= 0) show(at, h, v);
    else hide();
  };
  const moves = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1, Home: -last, End: last },
    next = (name) => (name in moves ? Math.max(0, Math.min(last, now() + moves[name])) : undefined);
  say(now());
  listenTo(root, root, { point, show, hide, now, next });
}

const LINE_HEIGHT = 15;

function drawReadout({ inner, sx, sy, y }, group, { x, title, lines }) {
  const at = sx(x),
    inside = (v) => sy(Math.max(y[0], Math.min(y[1], v)));
  readoutBox(group, inner, at, inner.top, title, lines);
  group.prepend(
    lineFrom("reading", at, inner.top, at, inner.bottom),
    ...lines
      .filter((line) => line.y === line.y && line.y !== undefined)
      .map((line) => svg("circle", { class: "dot", cx: at, cy: inside(line.y), r: 4, fill: line.colour })),
  );
}

export function readoutBox(group, inner, h, v, title, lines) {
  const words = [{ text: title }, ...lines],
    width = Math.max(...words.map(({ text }) => Array.from(text).length)) * 6.5 + 24,
    height = words.length * LINE_HEIGHT + 10,
    left = h + 12 + width > inner.right ? Math.max(2, h - 12 - width) : h + 12,
    top = Math.max(inner.top + 2, Math.min(v + 8, inner.bottom - height));
  group.replaceChildren(
    svg("rect", { class: "readout-box", x: left, y: top, width, height, rx: 6 }),
    ...words.map(({ text, colour }, i) => {
      const base = top + LINE_HEIGHT * (i + 1);
      return svg(
        "g",
        {},
        colour ? svg("rect", { x: left + 7, y: base - 8, width: 8, height: 8, fill: colour }) : null,
        svg("text", { class: i ? null : "readout-title", x: left + (colour ? 19 : 7), y: base }, text),
      );
    }),
  );
}

// The height of a broken line at x; NaN outside it.
export function heightAt(points, x) {
  const last = points.length - 1,
    rising = last > 0 && points[last][0] >= points[0][0],
    side = (i) => (rising ? points[i][0] : -points[i][0]),
    wanted = rising ? x : -x;
  if (last < 0 || wanted < side(0) - 1e-12 || wanted > side(last) + 1e-12) return NaN;
  const high = Math.min(last, firstThat(1, last, (i) => side(i) > wanted)),
    [a, b] = [points[Math.max(0, high - 1)], points[high]],
    span = b[0] - a[0];
  return span === 0 ? b[1] : a[1] + ((x - a[0]) / span) * (b[1] - a[1]);
}
