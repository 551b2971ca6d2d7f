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
// focus. `find` gives the place under the pointer, if one is there; `show` draws it and gives it back as
// {x, title, lines}; `said` are the words of the first; `mark` is told what is shown.
function listenTo(root, host, { key, ends: [low, high], start, said, moves, find, show, mark = () => {} }) {
  const group = unspoken(),
    inside = (place) => Math.max(low, Math.min(high, place)),
    now = () => inside(readAt.get(key) ?? start),
    say = (at, words) => setAll(host, { "aria-valuenow": at, "aria-valuetext": words });
  const hide = () => {
    mark(-1);
    group.replaceChildren();
  };
  const read = (place, ...where) => {
    const found = show(group, inside(place), ...where);
    readAt.set(key, found.x);
    say(found.x, spoken(found));
    mark(found.x);
  };
  const point = (event) => {
    const [h, v] = placeOf(event, root), place = find(h, v, event);
    if (place === null) hide();
    else read(place, h, v);
  };
  root.append(group);
  setAll(host, { role: "slider", tabindex: 0, "data-readout": key, "aria-valuemin": low, "aria-valuemax": high });
  say(now(), said(now()));
  root.addEventListener("pointermove", point);
  root.addEventListener("pointerdown", point);
  root.addEventListener("pointerleave", (event) => {
    if (event.pointerType === "mouse" && document.activeElement !== host) hide();
  });
  host.addEventListener("focus", () => host.matches(":focus-visible") && read(now()));
  host.addEventListener("blur", hide);
  host.addEventListener("keydown", (event) => {
    const place = { Home: low, End: high }[event.key] ?? now() + moves[event.key];
    if (event.key === "Escape") hide();
    if (place !== place || event.target !== host) return;
    event.preventDefault();
    read(place);
  });
}

// `at(x)` gives {x, title, lines: [{text, colour, y}]} for a place on the axis. The keys work where
// `host` has the focus: the chart, or a part of it where the chart has other things to move.
export function readout(chart, { key, at, steps = 50, format = String, host = chart.root }) {
  const { inner, x: [low, high] } = chart, step = (high - low) / steps;
  listenTo(chart.root, host, {
    key, ends: [low, high], start: (low + high) / 2, said: format,
    moves: {
      ArrowLeft: -step, ArrowDown: -step, ArrowRight: step, ArrowUp: step, PageDown: -10 * step, PageUp: 10 * step,
    },
    find(h, v, { target }) {
      const share = (h - inner.left) / (inner.right - inner.left);
      return share < -0.02 || share > 1.02 || target.closest("[data-handle]") ? null : low + share * (high - low);
    },
    show(group, place) {
      const found = at(place);
      drawReadout(chart, group, found);
      return found;
    },
  });
}

// Where on a drawing the pointer is, in its own units.
export function placeOf(event, root, box = root.getBoundingClientRect()) {
  const scale = root.viewBox.baseVal.width / box.width;
  return [(event.clientX - box.left) * scale, (event.clientY - box.top) * scale];
}

// Read-outs of a picture without an axis: `stops` are {x, y, title, lines}, which keys go through one by
// one, and `find(h, v)` gives the position of the one under the pointer, -1 if there is none. `mark` is told
// which is shown.
export function readStops(root, inner, { key, stops, find, mark = () => {} }) {
  listenTo(root, root, {
    key, ends: [1, stops.length], start: 1,
    moves: { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 },
    said: (at) => spoken(stops[at - 1]),
    find: (h, v) => (find(h, v) < 0 ? null : find(h, v) + 1),
    show(group, at, h, v) {
      const { x, y, title, lines } = stops[at - 1];
      readoutBox(group, inner, h ?? x, v ?? y, title, lines);
      return { x: at, title, lines };
    },
    mark: (at) => mark(Math.max(-1, at - 1)),
  });
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
