// Maps over relative costs: of one model, of the winner among all, and of the difference of two.
import { diverging, modelRgb, sequential } from "./colours.js";
import { ticks } from "./axes.js";
import { heatmap } from "./heatmap.js";
import { number, percent } from "./format.js";
import { bestWindow, corners, leastCost, relativeCosts } from "./surface.js";

const NX = 121,
  NY = 61;

// Evaluate over μ in [0, 1] and ν in [0, ½]; beyond that keeping quiet never pays.
export function costGrid(evaluate, flipped) {
  const values = new Float64Array(NX * NY);
  for (let j = 0; j < NY; j++) {
    for (let i = 0; i < NX; i++) {
      values[j * NX + i] = evaluate(relativeCosts(i / (NX - 1), j / (NY - 1) / 2, flipped));
    }
  }
  return { values, nx: NX, ny: NY, x: [0, 1], y: [0, 0.5] };
}

export const MAPS = {
  cost: { name: "least cost", of: (s) => (c) => leastCost(s, c), format: number },
  quiet: {
    name: "share kept quiet",
    format: percent,
    of: (s) => (c) => {
      const [l, u] = corners(s, c);
      return s.casesBelow[u] - s.casesBelow[l];
    },
  },
  lower: { name: "lower threshold", of: (s) => (c) => bestWindow(s, c).lower, format: number },
  upper: { name: "upper threshold", of: (s) => (c) => bestWindow(s, c).upper, format: number },
};

function range(values) {
  let low = Infinity,
    high = -Infinity;
  for (const v of values) {
    if (Math.abs(v) === Infinity) continue;
    if (v < low) low = v;
    if (v > high) high = v;
  }
  return low > high ? [0, 1] : [low, high];
}

export function modelMap(grid, { format, ...options }) {
  const [low, high] = range(grid.values);
  const paint = (v) => sequential(high > low ? (v - low) / (high - low) : 0);
  const levels = high > low && options.lines ? ticks(low, high, 8).filter((t) => t > low) : [];
  return heatmap(grid, { ...options, paint, levels, bound: true, bar: { low, high, paint, format } });
}

// A finer grid by straight interpolation, which a surface of planes hardly notices.
function finer({ values, nx, ny, ...rest }, times = 2) {
  const wide = (nx - 1) * times + 1,
    high = (ny - 1) * times + 1,
    fine = new Float64Array(wide * high);
  for (let j = 0; j < high; j++) {
    const row = Math.min(ny - 2, Math.floor(j / times)),
      v = j / times - row;
    for (let i = 0; i < wide; i++) {
      const column = Math.min(nx - 2, Math.floor(i / times)),
        u = i / times - column,
        at = row * nx + column;
      fine[j * wide + i] =
        (1 - v) * ((1 - u) * values[at] + u * values[at + 1]) +
        v * ((1 - u) * values[at + nx] + u * values[at + nx + 1]);
    }
  }
  return { ...rest, values: fine, nx: wide, ny: high };
}

// The cheapest model at each point; -1 where all cost the same.
export function winners(coarse) {
  const grids = coarse.map((grid) => finer(grid));
  const values = new Float64Array(grids[0].values.length),
    wins = grids.map(() => 0);
  let decided = 0;
  for (let at = 0; at < values.length; at++) {
    let best = 0,
      dearest = grids[0].values[at];
    grids.forEach((grid, g) => {
      const cost = grid.values[at];
      if (cost < grids[best].values[at]) best = g;
      dearest = Math.max(dearest, cost);
    });
    values[at] = dearest - grids[best].values[at] < 1e-12 ? -1 : best;
    if (values[at] >= 0) {
      wins[best]++;
      decided++;
    }
  }
  return {
    grid: { ...grids[0], picture: undefined, values },
    shares: wins.map((won) => (decided ? won / decided : 0)),
  };
}

export function winnerMap(grid, options) {
  const paint = (v) => (v < 0 ? [150, 150, 150] : modelRgb(v).map((c) => c * 0.82 + 40));
  return heatmap(grid, { ...options, paint, bound: true });
}

export function difference(first, second) {
  return { ...first, picture: undefined, values: first.values.map((v, at) => v - second.values[at]) };
}

export function differenceMap(grid, options) {
  const most = grid.values.reduce((largest, v) => Math.max(largest, Math.abs(v)), 0) || 1;
  const paint = (v) => diverging(v / most);
  const levels = ticks(-most, most, 8).filter((t) => t !== 0);
  return heatmap(grid, {
    ...options,
    paint,
    levels,
    zero: true,
    bound: true,
    bar: { low: -most, high: most, paint },
  });
}
