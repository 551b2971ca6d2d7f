// The cost surface as a body to turn round: far cells are drawn first, near ones over them.
import { textAt } from "./axes.js";
import { css, sequential } from "./colours.js";
import { along } from "./heatmap.js";
import { drag, svg } from "./dom.js";
import { placeOf, readoutBox, unspoken } from "./readout.js";
import { number } from "../core/format.js";

const VIEW = { turn: -0.62, tilt: 0.5, place: null };

// `read(x, y, value)` gives {title, lines} at a point of the grid; `onRead` is told what is shown.
export function surface3d(grid, { width, height, high, marker, about, xLabel, yLabel, onTurn, read, onRead }) {
  const root = svg("svg", {
    viewBox: `0 0 ${width} ${height}`,
    class: "chart turn",
    role: "application",
    "aria-label": `${about}; arrow keys turn it, with the shift key they read its heights`,
    tabindex: 0,
  });
  const project = projector(width, height),
    { values, nx, ny } = grid,
    step = 4,
    cells = [],
    point = (i, j) => [i / (nx - 1), j / (ny - 1), values[j * nx + i] / high];
  for (let j = 0; j + step < ny; j += step)
    for (let i = 0; i + step < nx; i += step) {
      const corners = [point(i, j), point(i + step, j), point(i + step, j + step), point(i, j + step)],
        z = (corners[0][2] + corners[1][2] + corners[2][2] + corners[3][2]) / 4,
        shown = corners.map(project);
      cells.push({ z, shown, depth: shown.reduce((sum, p) => sum + p.depth, 0) });
    }
  cells.sort((a, b) => b.depth - a.depth);
  root.append(floor(project, high, xLabel, yLabel));
  for (const { z, shown } of cells) {
    const [fill, stroke] = [css(sequential(z)), css(sequential(z).map((c) => c * 0.86))];
    root.append(svg("polygon", { points: path(shown), fill, stroke, "stroke-width": 0.5 }));
  }
  root.append(pin(project, marker, high));
  const show = reader(root, grid, { project, point, step, width, height, read, onRead });
  listen(root, onTurn, (dx, dy) => {
    const [i, j] = VIEW.place ?? [(nx - 1) / 2, (ny - 1) / 2];
    show(Math.max(0, Math.min(nx - 1, i + dx * step)), Math.max(0, Math.min(ny - 1, j + dy * step)));
  });
  return root;
}

// The corner of a cell nearest to the pointer, with its numbers beside it.
function reader(root, grid, { project, point, step, width, height, read, onRead }) {
  const { values, nx, ny, x, y } = grid,
    group = unspoken(),
    hide = () => group.replaceChildren();
  root.append(group);
  const show = (i, j) => {
    VIEW.place = [i, j];
    const at = project(point(i, j)),
      { title, lines } = read(along(x, i / (nx - 1)), along(y, j / (ny - 1)), values[j * nx + i]);
    readoutBox(group, { left: 0, right: width, top: 0, bottom: height }, at.x, at.y, title, lines);
    group.prepend(svg("circle", { class: "ring-mark", cx: at.x, cy: at.y, r: 5 }));
    onRead(`${title}: ${lines.map(({ text }) => text).join(", ")}`);
  };
  root.addEventListener("pointermove", (event) => {
    if (event.buttons) return;
    const [h, v] = placeOf(event, root);
    let best = null, least = 24 ** 2;
    for (let j = 0; j < ny; j += step)
      for (let i = 0; i < nx; i += step) {
        const at = project(point(i, j)), far = (at.x - h) ** 2 + (at.y - v) ** 2 + 40 * at.depth;
        if (far < least) [least, best] = [far, [i, j]];
      }
    if (best) show(...best);
    else hide();
  });
  root.addEventListener("pointerleave", hide);
  root.addEventListener("blur", hide);
  return show;
}

const path = (points) => points.map(({ x, y }) => `${x.toFixed(1)},${y.toFixed(1)}`).join(" ");

function projector(width, height) {
  const [c, s] = [Math.cos(VIEW.turn), Math.sin(VIEW.turn)],
    [ct, st] = [Math.cos(VIEW.tilt), Math.sin(VIEW.tilt)],
    scale = Math.min(width * 0.54, height * 0.7);
  return ([x, y, z]) => {
    const [u, v, w] = [(x - 0.5) * c - (y - 0.5) * s, (x - 0.5) * s + (y - 0.5) * c, 0.62 * (z - 0.5)];
    return { x: width / 2 + scale * u, y: height * 0.48 - scale * (w * ct + v * st), depth: v * ct - w * st };
  };
}

function floor(project, high, xLabel, yLabel) {
  const group = svg("g", { class: "axis" }),
    ring = (z) => [[0, 0], [1, 0], [1, 1], [0, 1]].map(([x, y]) => project([x, y, z])),
    text = (at, words) => {
      const { x, y } = project(at);
      group.append(textAt(null, x, y, words));
    };
  group.append(svg("polygon", { class: "floor", points: path(ring(0)) }));
  for (const z of [0.5, 1]) {
    // Heights are written at whichever corner is leftmost now.
    const { x, y } = ring(z).reduce((a, b) => (b.x < a.x ? b : a));
    group.append(
      svg("polygon", { class: "ring", points: path(ring(z)) }),
      textAt(null, x - 6, y + 4, number(z * high), "end"),
    );
  }
  text([0.5, -0.2, 0], xLabel);
  text([1.2, 0.5, 0], yLabel);
  for (const t of [0, 0.5, 1]) {
    text([t, -0.06, 0], number(t));
    text([1.06, t, 0], number(t / 2));
  }
  return group;
}

function pin(project, [mu, nu, cost], high) {
  const at = [Math.min(1, mu), Math.min(1, 2 * nu)],
    [foot, head] = [project([...at, 0]), project([...at, cost / high])];
  return svg(
    "g",
    { class: "cross" },
    svg("line", { x1: foot.x, y1: foot.y, x2: head.x, y2: head.y }),
    svg("circle", { cx: head.x, cy: head.y, r: 6 }),
  );
}

function listen(root, onTurn, onStep) {
  const turn = (dx, dy) => {
    VIEW.turn += dx * 0.008;
    VIEW.tilt = Math.max(0.08, Math.min(1.4, VIEW.tilt + dy * 0.008));
    onTurn();
  };
  root.addEventListener("pointerdown", (event) => {
    let last = event;
    event.preventDefault();
    drag((next) => {
      turn(next.clientX - last.clientX, next.clientY - last.clientY);
      last = next;
    });
  });
  root.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (!step) return;
    event.preventDefault();
    if (event.shiftKey) onStep(step[0], -step[1]);
    else turn(12 * step[0], 12 * step[1]);
  });
}
