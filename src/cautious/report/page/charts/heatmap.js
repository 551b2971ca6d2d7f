// A map over relative costs: colours, isolines, and a cross where the sliders stand.
import { frame, ticks } from "./axes.js";
import { css } from "./colours.js";
import { svg } from "./dom.js";
import { number } from "../core/format.js";

// `grid` is {values, nx, ny, x, y}, rows from low to high y; `paint` gives a colour for a value.
export function heatmap(grid, { paint, levels = [], zero = false, bar = null, marker, bound, ...options }) {
  const chart = frame({ ...options, x: grid.x, y: grid.y, right: bar ? 86 : 22, grid: false });
  const { inner, sx, sy, plot } = chart;
  const half = {
    x: (inner.right - inner.left) / (grid.nx - 1) / 2,
    y: (inner.bottom - inner.top) / (grid.ny - 1) / 2,
  };
  const clip = `clip-${options.id}`;
  plot.append(
    svg(
      "clipPath",
      { id: clip },
      svg("rect", {
        x: inner.left,
        y: inner.top,
        width: inner.right - inner.left,
        height: inner.bottom - inner.top,
      }),
    ),
    // Values belong to grid points, pixels to the cells round them: half a cell hangs over.
    svg("image", {
      href: (grid.picture ??= picture(grid, paint)),
      preserveAspectRatio: "none",
      "clip-path": `url(#${clip})`,
      x: inner.left - half.x,
      y: inner.top - half.y,
      width: inner.right - inner.left + 2 * half.x,
      height: inner.bottom - inner.top + 2 * half.y,
    }),
  );
  for (const level of levels) {
    plot.append(svg("path", { class: "isoline", d: isolinePath(grid, level, sx, sy) }));
  }
  if (zero) plot.append(svg("path", { class: "isoline zero", d: isolinePath(grid, 0, sx, sy) }));
  if (bound) {
    const path = Array.from({ length: 41 }, (_, i) => [i / 40, i / 40 / (1 + i / 40)]);
    plot.append(
      svg("path", {
        class: "bound",
        d: path.map(([m, n], i) => `${i ? "L" : "M"}${sx(m)} ${sy(n)}`).join(""),
      }),
    );
  }
  if (bar) plot.append(colourBar(inner, bar));
  if (marker) plot.append(cross(chart, marker));
  return chart;
}

function picture({ values, nx, ny }, paint) {
  const canvas = document.createElement("canvas");
  canvas.width = nx;
  canvas.height = ny;
  const context = canvas.getContext("2d"),
    image = context.createImageData(nx, ny);
  for (let j = 0; j < ny; j++) {
    for (let i = 0; i < nx; i++) {
      const [r, g, b] = paint(values[j * nx + i]),
        at = 4 * ((ny - 1 - j) * nx + i);
      image.data[at] = r;
      image.data[at + 1] = g;
      image.data[at + 2] = b;
      image.data[at + 3] = 255;
    }
  }
  context.putImageData(image, 0, 0);
  return canvas.toDataURL();
}

function colourBar(inner, { low, high, paint, format = number }) {
  const group = svg("g", { class: "axis" }),
    x = inner.right + 14,
    height = inner.bottom - inner.top,
    steps = 48;
  for (let i = 0; i < steps; i++) {
    group.append(
      svg("rect", {
        x,
        y: inner.bottom - ((i + 1) * height) / steps,
        width: 12,
        height: height / steps + 0.6,
        fill: css(paint(low + ((i + 0.5) / steps) * (high - low))),
      }),
    );
  }
  for (const t of high > low ? ticks(low, high, 4) : [low]) {
    const y = inner.bottom - (high > low ? (t - low) / (high - low) : 0.5) * height;
    group.append(svg("text", { x: x + 17, y: y + 4 }, format(t)));
  }
  return group;
}

// Beyond the top of the map abstaining never pays; the cross then stays at its edge.
function cross({ sx, sy, inner, x, y }, [mu, nu]) {
  const cx = sx(Math.max(x[0], Math.min(x[1], mu))),
    cy = sy(Math.max(y[0], Math.min(y[1], nu)));
  return svg(
    "g",
    { class: "cross" },
    svg("line", { x1: inner.left, x2: inner.right, y1: cy, y2: cy }),
    svg("line", { x1: cx, x2: cx, y1: inner.top, y2: inner.bottom }),
    svg("circle", { cx, cy, r: 7 }),
  );
}

// Dragging over the map moves the costs. Each move redraws the map, so the window listens, and the
// place of the map is that of the moment when it was pressed.
export function pickable({ root, inner, x, y }, pick) {
  const share = (low, high, v) => Math.max(0, Math.min(1, (v - low) / (high - low)));
  root.classList.add("pick");
  root.addEventListener("pointerdown", (press) => {
    const box = root.getBoundingClientRect();
    const scale = root.viewBox.baseVal.width / box.width;
    const move = (event) => {
      const h = share(inner.left, inner.right, (event.clientX - box.left) * scale);
      const v = share(inner.bottom, inner.top, (event.clientY - box.top) * scale);
      pick(x[0] + h * (x[1] - x[0]), y[0] + v * (y[1] - y[0]));
    };
    const stop = () => {
      removeEventListener("pointermove", move);
      removeEventListener("pointerup", stop);
      removeEventListener("pointercancel", stop);
    };
    press.preventDefault();
    move(press);
    addEventListener("pointermove", move);
    addEventListener("pointerup", stop);
    addEventListener("pointercancel", stop);
  });
  return root;
}

// Isolines by marching squares: short segments where a level passes through the cells of a grid.

function isoline({ values, nx, ny }, level) {
  const segments = [];
  const cross = (a, b) => (level - a) / (b - a);
  for (let j = 0; j + 1 < ny; j++) {
    for (let i = 0; i + 1 < nx; i++) {
      const a = values[j * nx + i],
        b = values[j * nx + i + 1];
      const c = values[(j + 1) * nx + i + 1],
        d = values[(j + 1) * nx + i];
      const points = [];
      if (a < level !== b < level) points.push([i + cross(a, b), j]);
      if (b < level !== c < level) points.push([i + 1, j + cross(b, c)]);
      if (d < level !== c < level) points.push([i + cross(d, c), j + 1]);
      if (a < level !== d < level) points.push([i, j + cross(a, d)]);
      for (let s = 0; s + 1 < points.length; s += 2) segments.push([points[s], points[s + 1]]);
    }
  }
  return segments;
}

function isolinePath(grid, level, sx, sy) {
  const { nx, ny, x, y } = grid;
  const px = (i) => sx(x[0] + (i / (nx - 1)) * (x[1] - x[0])).toFixed(1);
  const py = (j) => sy(y[0] + (j / (ny - 1)) * (y[1] - y[0])).toFixed(1);
  return isoline(grid, level)
    .map(([p, q]) => `M${px(p[0])} ${py(p[1])}L${px(q[0])} ${py(q[1])}`)
    .join("");
}
