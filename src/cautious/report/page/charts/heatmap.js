// A map over relative costs: colours, isolines, and a cross where the sliders stand.
import { frame, ticks } from "./axes.js";
import { css } from "./colours.js";
import { svg } from "./dom.js";
import { isolinePath } from "./isolines.js";
import { placeOf, readoutBox } from "./readout.js";
import { borders, hatching, regionCentres } from "./regions.js";
import { number } from "../core/format.js";

// `grid` is {values, nx, ny, x, y}, rows from low to high y; `paint` gives a colour for a value,
// `regions` the name of one, `hatch` a grid that is negative where nothing is sure, and `read` the
// lines of the read-out at a point.
export function heatmap(
  grid,
  { paint, levels = [], zero = false, bar, marker, bound, regions, hatch, read, place, ...options },
) {
  const chart = frame({ ...options, x: grid.x, y: grid.y, right: bar ? 86 : 22, grid: false });
  const { inner, sx, sy, plot } = chart;
  const half = {
    x: (inner.right - inner.left) / (grid.nx - 1) / 2,
    y: (inner.bottom - inner.top) / (grid.ny - 1) / 2,
  };
  const clip = `clip-${options.id}`,
    area = {
      x: inner.left,
      y: inner.top,
      width: inner.right - inner.left,
      height: inner.bottom - inner.top,
    };
  plot.append(
    svg("clipPath", { id: clip }, svg("rect", area)),
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
  if (hatch) plot.append(hatching(hatch, chart, clip, options.id));
  for (const level of levels) {
    plot.append(svg("path", { class: "isoline", d: isolinePath(grid, level, sx, sy) }));
  }
  if (zero) plot.append(svg("path", { class: "isoline zero", d: isolinePath(grid, 0, sx, sy) }));
  if (regions) {
    plot.append(
      svg("path", { class: "border", d: ((grid.borders ??= {})[area.width] ??= borders(grid, sx, sy)) }),
    );
    for (const { value, i, j, room } of (grid.labels ??= regionCentres(grid))) {
      const text = regions(value),
        x = sx(grid.x[0] + (i / (grid.nx - 1)) * (grid.x[1] - grid.x[0]));
      const y = sy(grid.y[0] + (j / (grid.ny - 1)) * (grid.y[1] - grid.y[0]));
      if (room * half.y * 2 < 9) continue;
      const wide = text.length * 3.9;
      plot.append(
        svg(
          "text",
          {
            class: "region",
            "text-anchor": "middle",
            x: Math.max(inner.left + wide, Math.min(inner.right - wide, x)),
            y: y + 4,
          },
          text,
        ),
      );
    }
  }
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
  chart.marker = marker;
  if (read) hover(chart, grid, hatch, read, place);
  return chart;
}

const nearest = ({ values, nx, ny, x, y }, m, n) => {
  const i = Math.round(((m - x[0]) / (x[1] - x[0])) * (nx - 1)),
    j = Math.round(((n - y[0]) / (y[1] - y[0])) * (ny - 1));
  return values[j * nx + i];
};

// What the map says under the mouse, and at the cross for those who use keys.
function hover(chart, grid, hatch, read, place) {
  const { root, inner, x, y, sx, sy, marker } = chart,
    group = svg("g", { class: "readout", "aria-hidden": "true" });
  root.append(group);
  const linesAt = (m, n) => read(nearest(grid, m, n), hatch ? nearest(hatch, m, n) >= 0 : undefined);
  if (marker) {
    const [m, n] = [Math.min(x[1], marker[0]), Math.min(y[1], marker[1])],
      lines = linesAt(m, n),
      words = `${place(m, n)}: ${lines.map(({ text }) => text).join(", ")}`;
    root.setAttribute("aria-label", `${root.getAttribute("aria-label")}; at the cross, ${words}`);
    root.addEventListener("focus", () => {
      if (root.matches(":focus-visible")) readoutBox(group, inner, sx(m), sy(n), place(m, n), lines);
    });
    root.addEventListener("blur", () => group.replaceChildren());
  }
  root.addEventListener("pointermove", (event) => {
    const [h, v] = placeOf(event, root);
    if (h < inner.left || h > inner.right || v < inner.top || v > inner.bottom)
      return group.replaceChildren();
    const m = x[0] + ((h - inner.left) / (inner.right - inner.left)) * (x[1] - x[0]),
      n = y[0] + ((inner.bottom - v) / (inner.bottom - inner.top)) * (y[1] - y[0]);
    readoutBox(group, inner, h, v, place(m, n), linesAt(m, n));
  });
  root.addEventListener("pointerleave", () => group.replaceChildren());
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

// Dragging over the map moves the costs; a finger taps, for a swipe scrolls the page; arrow keys move
// in small steps. Each move redraws the map, so the window listens, and the place of the map is that
// of the moment when it was pressed.
export function pickable({ root, inner, x, y, marker }, pick) {
  const share = (low, high, v) => Math.max(0, Math.min(1, (v - low) / (high - low)));
  const at = (event, box) => {
    const scale = root.viewBox.baseVal.width / box.width;
    const h = share(inner.left, inner.right, (event.clientX - box.left) * scale);
    const v = share(inner.bottom, inner.top, (event.clientY - box.top) * scale);
    pick(x[0] + h * (x[1] - x[0]), y[0] + v * (y[1] - y[0]));
  };
  root.classList.add("pick");
  root.setAttribute("tabindex", "0");
  root.setAttribute("role", "application");
  root.setAttribute("aria-label", `${root.getAttribute("aria-label")}; arrow keys move the costs`);
  root.addEventListener("pointerdown", (press) => {
    if (press.pointerType !== "mouse" || press.button) return;
    const box = root.getBoundingClientRect();
    const move = (event) => at(event, box);
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
  root.addEventListener("click", (event) => {
    if (event.pointerType && event.pointerType !== "mouse") at(event, root.getBoundingClientRect());
  });
  root.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
    if (!step) return;
    event.preventDefault();
    const size = event.shiftKey ? 10 : 40;
    const moved = (range, now, way) =>
      Math.max(range[0], Math.min(range[1], now + (way * (range[1] - range[0])) / size));
    pick(moved(x, marker[0], step[0]), moved(y, marker[1], step[1]));
  });
  return root;
}
