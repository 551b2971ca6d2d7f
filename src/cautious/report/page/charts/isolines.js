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

export function isolinePath(grid, level, sx, sy) {
  const { nx, ny, x, y } = grid;
  const px = (i) => sx(x[0] + (i / (nx - 1)) * (x[1] - x[0])).toFixed(1);
  const py = (j) => sy(y[0] + (j / (ny - 1)) * (y[1] - y[0])).toFixed(1);
  return isoline(grid, level)
    .map(([p, q]) => `M${px(p[0])} ${py(p[1])}L${px(q[0])} ${py(q[1])}`)
    .join("");
}
