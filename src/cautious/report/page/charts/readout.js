// Numbers under the pointer, the finger or the arrow keys. A chart with a read-out is a slider to
// screen readers: it speaks the numbers at the place it is moved to.
import { svg } from "./dom.js";

// Where the reader left each chart, for it is drawn anew at every move of the costs.
const places = new Map();

// `at(x)` gives {x, title, lines: [{text, colour, y}]} for a place on the axis.
export function readout(chart, { key, at, steps = 50, format = String }) {
  const { root, inner, x } = chart,
    group = svg("g", { class: "readout", "aria-hidden": "true" });
  root.append(group);
  root.setAttribute("role", "slider");
  root.setAttribute("tabindex", "0");
  root.setAttribute("data-readout", key);
  root.setAttribute("aria-valuemin", x[0]);
  root.setAttribute("aria-valuemax", x[1]);
  const show = (place) => {
    const found = at(Math.max(x[0], Math.min(x[1], place)));
    if (!found) return;
    places.set(key, found.x);
    drawReadout(chart, group, found);
    root.setAttribute("aria-valuenow", found.x);
    root.setAttribute(
      "aria-valuetext",
      [found.title, ...found.lines.map(({ text }) => text)].filter(Boolean).join("; "),
    );
  };
  const hide = () => group.replaceChildren();
  const start = places.get(key) ?? (x[0] + x[1]) / 2;
  root.setAttribute("aria-valuenow", start);
  root.setAttribute("aria-valuetext", format(start));
  const point = (event) => {
    const box = root.getBoundingClientRect(),
      h = ((event.clientX - box.left) * root.viewBox.baseVal.width) / box.width;
    const share = (h - inner.left) / (inner.right - inner.left);
    if (share >= -0.02 && share <= 1.02) show(x[0] + share * (x[1] - x[0]));
    else hide();
  };
  root.addEventListener("pointermove", point);
  root.addEventListener("pointerdown", point);
  root.addEventListener("pointerleave", (event) => {
    if (event.pointerType === "mouse" && document.activeElement !== root) hide();
  });
  root.addEventListener("focus", () => {
    if (root.matches(":focus-visible")) show(places.get(key) ?? start);
  });
  root.addEventListener("blur", hide);
  root.addEventListener("keydown", (event) => {
    const now = places.get(key) ?? start,
      step = (x[1] - x[0]) / steps;
    const next = {
      ArrowLeft: now - step,
      ArrowDown: now - step,
      ArrowRight: now + step,
      ArrowUp: now + step,
      PageDown: now - 10 * step,
      PageUp: now + 10 * step,
      Home: x[0],
      End: x[1],
    }[event.key];
    if (event.key === "Escape") hide();
    if (next === undefined || event.target !== root) return;
    event.preventDefault();
    show(next);
  });
  return root;
}

const LINE_HEIGHT = 15;

function drawReadout({ inner, sx, sy, y }, group, { x, title, lines }) {
  const at = sx(x),
    inside = (v) => sy(Math.max(y[0], Math.min(y[1], v)));
  readoutBox(group, inner, at, inner.top, title, lines);
  group.prepend(
    svg("line", { class: "reading", x1: at, x2: at, y1: inner.top, y2: inner.bottom }),
    ...lines
      .filter((line) => line.y === line.y && line.y !== undefined)
      .map((line) => svg("circle", { class: "dot", cx: at, cy: inside(line.y), r: 4, fill: line.colour })),
  );
}

// A box of words beside a point, inside the chart.
export function readoutBox(group, inner, h, v, title, lines) {
  const words = [title, ...lines.map(({ text }) => text)],
    width = Math.max(...words.map((text) => Array.from(text).length)) * 6.5 + 24,
    height = words.length * LINE_HEIGHT + 10;
  const left = h + 12 + width > inner.right ? Math.max(2, h - 12 - width) : h + 12,
    top = Math.max(inner.top + 2, Math.min(v + 8, inner.bottom - height));
  group.replaceChildren(
    svg("rect", { class: "readout-box", x: left, y: top, width, height, rx: 6 }),
    ...words.map((text, i) => {
      const base = top + LINE_HEIGHT * (i + 1),
        colour = i ? lines[i - 1].colour : null;
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
  let low = 0,
    high = points.length - 1;
  const rising = high > 0 && points[high][0] >= points[0][0];
  const side = (i) => (rising ? points[i][0] : -points[i][0]),
    wanted = rising ? x : -x;
  if (high < 0 || wanted < side(0) - 1e-12 || wanted > side(high) + 1e-12) return NaN;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (side(middle) <= wanted) low = middle;
    else high = middle;
  }
  const [a, b] = [points[low], points[high]],
    span = b[0] - a[0];
  return span === 0 ? b[1] : a[1] + ((x - a[0]) / span) * (b[1] - a[1]);
}
