// A map over relative costs: colours, isolines, regions, and a cross where the sliders stand.
import { frame, insideOf, lineFrom, textAt, ticks } from "./axes.js";
import { css } from "./colours.js";
import { drag, setAll, svg } from "./dom.js";
import { placeOf, readoutBox, unspoken } from "./readout.js";
import { number } from "../core/format.js";

// `grid` is {values, nx, ny, x, y}, rows from low to high y; `paint` gives a colour for a value,
// `regions` the name of one, and `read` the lines of the read-out at a point.
export function heatmap(
  grid,
  { paint, levels = [], zero = false, bar, marker, bound, regions, read, place, ...options },
) {
  const chart = frame({ ...options, x: grid.x, y: grid.y, right: bar ? 86 : 22, grid: false }),
    { inner, sx, sy, plot } = chart,
    half = {
      x: (inner.right - inner.left) / (grid.nx - 1) / 2,
      y: (inner.bottom - inner.top) / (grid.ny - 1) / 2,
    },
    clip = `clip-${options.id}`,
    area = insideOf(inner);
  plot.append(
    svg("clipPath", { id: clip }, svg("rect", area)),
    // Values belong to grid points, pixels to the cells round them: half a cell hangs over.
    svg("image", {
      href: (grid.picture ??= picture(grid, paint)),
      preserveAspectRatio: "none",
      "clip-path": `url(#${clip})`,
      x: area.x - half.x, y: area.y - half.y, width: area.width + 2 * half.x,
      height: area.height + 2 * half.y,
    }),
  );
  for (const level of levels) plot.append(svg("path", { class: "isoline", d: isolinePath(grid, level, chart) }));
  if (zero) plot.append(svg("path", { class: "isoline zero", d: isolinePath(grid, 0, chart) }));
  if (regions) {
    plot.append(svg("path", { class: "border", d: ((grid.borders ??= {})[area.width] ??= borders(grid, chart)) }));
    for (const { value, i, j, room } of (grid.labels ??= regionCentres(grid))) {
      if (room * half.y * 2 < 9) continue;
      const text = regions(value),
        wide = text.length * 3.9,
        x = sx(along(grid.x, i / (grid.nx - 1)));
      plot.append(
        textAt(
          "region",
          Math.max(inner.left + wide, Math.min(inner.right - wide, x)),
          Math.min(inner.bottom - 8, sy(along(grid.y, j / (grid.ny - 1))) + 4),
          text,
        ),
      );
    }
  }
  if (bound) {
    const path = Array.from({ length: 41 }, (_, i) => `${i ? "L" : "M"}${sx(i / 40)} ${sy(i / 40 / (1 + i / 40))}`);
    plot.append(svg("path", { class: "bound", d: path.join("") }));
  }
  if (bar) plot.append(colourBar(inner, bar));
  if (marker) plot.append(cross(chart, marker));
  chart.marker = marker;
  if (read) hover(chart, grid, read, place);
  return chart;
}

export const along = ([low, high], share) => low + share * (high - low);

const nearest = ({ values, nx, ny, x, y }, m, n) => {
  const i = Math.round(((m - x[0]) / (x[1] - x[0])) * (nx - 1)),
    j = Math.round(((n - y[0]) / (y[1] - y[0])) * (ny - 1));
  return values[j * nx + i];
};

// What the map says under the mouse, and at the cross for those who use keys.
function hover(chart, grid, read, place) {
  const { root, inner, x, y, sx, sy, marker } = chart,
    group = unspoken(),
    hide = () => group.replaceChildren(),
    linesAt = (m, n) => read(nearest(grid, m, n));
  root.append(group);
  if (marker) {
    const [m, n] = [Math.min(x[1], marker[0]), Math.min(y[1], marker[1])],
      lines = linesAt(m, n),
      words = `${place(m, n)}: ${lines.map(({ text }) => text).join(", ")}`;
    root.setAttribute("aria-label", `${root.getAttribute("aria-label")}; at the cross, ${words}`);
    root.addEventListener("focus", () => {
      if (root.matches(":focus-visible")) readoutBox(group, inner, sx(m), sy(n), place(m, n), lines);
    });
    root.addEventListener("blur", hide);
  }
  root.addEventListener("pointermove", (event) => {
    const [h, v] = placeOf(event, root);
    if (h < inner.left || h > inner.right || v < inner.top || v > inner.bottom) return hide();
    const m = along(x, (h - inner.left) / (inner.right - inner.left)),
      n = along(y, (inner.bottom - v) / (inner.bottom - inner.top));
    readoutBox(group, inner, h, v, place(m, n), linesAt(m, n));
  });
  root.addEventListener("pointerleave", hide);
}

function picture({ values, nx, ny }, paint) {
  const canvas = document.createElement("canvas");
  canvas.width = nx;
  canvas.height = ny;
  const context = canvas.getContext("2d"), image = context.createImageData(nx, ny);
  for (let j = 0; j < ny; j++)
    for (let i = 0; i < nx; i++) image.data.set([...paint(values[j * nx + i]), 255], 4 * ((ny - 1 - j) * nx + i));
  context.putImageData(image, 0, 0);
  return canvas.toDataURL();
}

function colourBar(inner, { low, high, paint, format = number }) {
  const group = svg("g", { class: "axis" }),
    x = inner.right + 14,
    all = inner.bottom - inner.top,
    steps = 48;
  for (let i = 0; i < steps; i++) {
    const fill = css(paint(low + ((i + 0.5) / steps) * (high - low))),
      y = inner.bottom - ((i + 1) * all) / steps;
    group.append(svg("rect", { x, y, width: 12, height: all / steps + 0.6, fill }));
  }
  for (const t of high > low ? ticks(low, high, 4) : [low]) {
    const y = inner.bottom - (high > low ? (t - low) / (high - low) : 0.5) * all;
    group.append(svg("text", { x: x + 17, y: y + 4 }, format(t)));
  }
  return group;
}

// Beyond the top of the map abstaining never pays; the cross then stays at its edge.
function cross({ sx, sy, inner, x, y }, [mu, nu]) {
  const cx = sx(Math.max(x[0], Math.min(x[1], mu))), cy = sy(Math.max(y[0], Math.min(y[1], nu)));
  return svg(
    "g",
    { class: "cross" },
    lineFrom(null, inner.left, cy, inner.right, cy),
    lineFrom(null, cx, inner.top, cx, inner.bottom),
    svg("circle", { cx, cy, r: 7 }),
  );
}

// Dragging over the map moves the costs; a finger taps, for a swipe scrolls the page; arrow keys move
// in small steps. The place of the map is that of the moment when it was pressed.
export function pickable({ root, inner, x, y, marker }, pick) {
  const share = (low, high, v) => Math.max(0, Math.min(1, (v - low) / (high - low)));
  const at = (event, box) => {
    const [h, v] = placeOf(event, root, box);
    pick(along(x, share(inner.left, inner.right, h)), along(y, share(inner.bottom, inner.top, v)));
  };
  root.classList.add("pick");
  const label = `${root.getAttribute("aria-label")}; arrow keys move the costs`;
  setAll(root, { tabindex: 0, role: "application", "aria-label": label });
  root.addEventListener("pointerdown", (press) => {
    if (press.pointerType !== "mouse" || press.button) return;
    const box = root.getBoundingClientRect();
    press.preventDefault();
    at(press, box);
    drag((event) => at(event, box));
  });
  root.addEventListener("click", (event) => {
    if (event.pointerType && event.pointerType !== "mouse") at(event, root.getBoundingClientRect());
  });
  root.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
    if (!step) return;
    event.preventDefault();
    const size = event.shiftKey ? 10 : 40,
      moved = ([low, high], now, way) => Math.max(low, Math.min(high, now + (way * (high - low)) / size));
    pick(moved(x, marker[0], step[0]), moved(y, marker[1], step[1]));
  });
  return root;
}

// Isolines by marching squares: short segments where a level passes through the cells of a grid.
function isolinePath({ values, nx, ny, x, y }, level, { sx, sy }) {
  const cross = (a, b) => (level - a) / (b - a),
    point = ([i, j]) => `${sx(along(x, i / (nx - 1))).toFixed(1)} ${sy(along(y, j / (ny - 1))).toFixed(1)}`;
  let d = "";
  for (let j = 0; j + 1 < ny; j++)
    for (let i = 0; i + 1 < nx; i++) {
      const at = j * nx + i,
        [a, b, c, e] = [values[at], values[at + 1], values[at + nx + 1], values[at + nx]],
        points = [];
      if (a < level !== b < level) points.push([i + cross(a, b), j]);
      if (b < level !== c < level) points.push([i + 1, j + cross(b, c)]);
      if (e < level !== c < level) points.push([i + cross(e, c), j + 1]);
      if (a < level !== e < level) points.push([i, j + cross(a, e)]);
      for (let s = 0; s + 1 < points.length; s += 2) d += `M${point(points[s])}L${point(points[s + 1])}`;
    }
  return d;
}

// Where each region has most room for its name: the cell farthest from another region.
function regionCentres({ values, nx, ny }) {
  const room = new Float64Array(nx * ny).fill(nx);
  const pass = (cells, from) => {
    for (const at of cells) {
      const i = at % nx, j = (at - i) / nx;
      for (const [di, dj] of from) {
        const [a, b] = [i + di, j + dj],
          outside = b < 0 || b >= ny || a < 0 || a >= nx,
          other = outside || values[b * nx + a] !== values[at] ? 0 : room[b * nx + a];
        room[at] = Math.min(room[at], other + 1);
      }
    }
  };
  const cells = Array.from(values.keys());
  pass(cells, [[-1, 0], [0, -1], [-1, -1], [1, -1]]);
  pass(cells.reverse(), [[1, 0], [0, 1], [1, 1], [-1, 1]]);
  const best = new Map(),
    worth = (at) => room[at] - Math.abs((at % nx) / nx - 0.5); // of equal ones the most central
  values.forEach((value, at) => {
    if (!best.has(value) || worth(at) > worth(best.get(value))) best.set(value, at);
  });
  return [...best].map(([value, at]) => ({ value, i: at % nx, j: Math.floor(at / nx), room: room[at] }));
}

function borders({ values, nx, ny, x, y }, { sx, sy }) {
  const px = (i) => sx(along(x, (i + 0.5) / (nx - 1))).toFixed(1),
    py = (j) => sy(along(y, (j + 0.5) / (ny - 1))).toFixed(1);
  let d = "";
  for (let j = 0; j < ny; j++)
    for (let i = 0; i < nx; i++) {
      const at = j * nx + i;
      if (i + 1 < nx && values[at] !== values[at + 1]) d += `M${px(i)} ${py(j - 1)}V${py(j)}`;
      if (j + 1 < ny && values[at] !== values[at + nx]) d += `M${px(i - 1)} ${py(j)}H${px(i)}`;
    }
  return d;
}
