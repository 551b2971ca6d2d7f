// Regions of a map: where their names fit, the lines between them, and where nothing is sure.
import { svg } from "./dom.js";

export function hatching(grid, { sx, sy }, clip, id) {
  const dx = (grid.x[1] - grid.x[0]) / (grid.nx - 1),
    dy = (grid.y[1] - grid.y[0]) / (grid.ny - 1);
  const group = svg(
    "g",
    { "clip-path": `url(#${clip})` },
    svg(
      "pattern",
      {
        id: `hatch-${id}`,
        width: 7,
        height: 7,
        patternUnits: "userSpaceOnUse",
        patternTransform: "rotate(45)",
      },
      svg("line", { class: "hatch dark", x1: 0, x2: 0, y1: 0, y2: 7 }),
      svg("line", { class: "hatch", x1: 2, x2: 2, y1: 0, y2: 7 }),
    ),
  );
  for (let j = 0; j < grid.ny; j++) {
    for (let i = 0; i < grid.nx; i++) {
      if (grid.values[j * grid.nx + i] >= 0) continue;
      let end = i;
      while (end + 1 < grid.nx && grid.values[j * grid.nx + end + 1] < 0) end++;
      const [left, right] = [sx(grid.x[0] + (i - 0.5) * dx), sx(grid.x[0] + (end + 0.5) * dx)],
        [top, bottom] = [sy(grid.y[0] + (j + 0.5) * dy), sy(grid.y[0] + (j - 0.5) * dy)];
      group.append(
        svg("rect", {
          x: left,
          y: top,
          width: right - left,
          height: bottom - top,
          fill: `url(#hatch-${id})`,
        }),
      );
      i = end;
    }
  }
  return group;
}

// Where each region has most room for its name: the cell farthest from another region.
export function regionCentres({ values, nx, ny }) {
  const room = new Float64Array(nx * ny).fill(nx);
  const pass = (cells, from) => {
    for (const at of cells) {
      const i = at % nx,
        j = (at - i) / nx;
      for (const [di, dj] of from) {
        const [a, b] = [i + di, j + dj];
        const outside = b < 0 || b >= ny || a < 0 || a >= nx;
        const other = outside ? 0 : values[b * nx + a] === values[at] ? room[b * nx + a] : 0;
        room[at] = Math.min(room[at], other + 1);
      }
    }
  };
  const cells = Array.from(values.keys());
  pass(cells, [[-1, 0], [0, -1], [-1, -1], [1, -1]]); // prettier-ignore
  pass(cells.reverse(), [[1, 0], [0, 1], [1, 1], [-1, 1]]); // prettier-ignore
  const best = new Map();
  values.forEach((value, at) => {
    if (!best.has(value) || room[at] > room[best.get(value)]) best.set(value, at);
  });
  return [...best].map(([value, at]) => ({ value, i: at % nx, j: Math.floor(at / nx), room: room[at] }));
}

// Lines between cells of different values.
export function borders({ values, nx, ny, x, y }, sx, sy) {
  const px = (i) => sx(x[0] + ((i + 0.5) / (nx - 1)) * (x[1] - x[0])).toFixed(1),
    py = (j) => sy(y[0] + ((j + 0.5) / (ny - 1)) * (y[1] - y[0])).toFixed(1);
  let d = "";
  for (let j = 0; j < ny; j++) {
    for (let i = 0; i < nx; i++) {
      const at = j * nx + i;
      if (i + 1 < nx && values[at] !== values[at + 1]) d += `M${px(i)} ${py(j - 1)}V${py(j)}`;
      if (j + 1 < ny && values[at] !== values[at + nx]) d += `M${px(i - 1)} ${py(j)}H${px(i)}`;
    }
  }
  return d;
}
