// Measures of a model that answers with sets, from its table of sizes against right and wrong.
import { sum } from "./surface.js";

// Utility of a discounted accuracy at risk aversion k: u(1/2) = k.
export const utility = (x, k) => x + (4 * k - 2) * x * (1 - x);

// The two means that hold the whole line of utilities, and what else a table of models shows.
export function setMeasures({ sizes }) {
  const totals = { n: 0, single: 0, singleRight: 0, right: 0, size: 0, x: 0, hedge: 0 };
  for (const [size, right, wrong] of sizes) {
    totals.n += right + wrong;
    totals.right += right;
    totals.size += size * (right + wrong);
    totals.x += right / size;
    totals.hedge += (right / size) * (1 - 1 / size);
    if (size === 1) {
      totals.single = right + wrong;
      totals.singleRight = right;
    }
  }
  const { n } = totals,
    several = n - totals.single;
  return {
    n,
    determinacy: totals.single / n,
    singleAccuracy: totals.singleRight / totals.single,
    setAccuracy: (totals.right - totals.singleRight) / several,
    containment: totals.right / n,
    meanSize: totals.size / n,
    accuracy: totals.x / n,
    hedging: totals.hedge / n,
  };
}

// Mean utility with a normal interval from the exact spread of the utilities.
export function meanUtility({ sizes }, k) {
  const n = sum(sizes.map(([, right, wrong]) => right + wrong));
  const mean = sum(sizes.map(([size, right]) => right * utility(1 / size, k))) / n;
  const square = sum(sizes.map(([size, right]) => right * utility(1 / size, k) ** 2)) / n;
  const half = 1.959963984540054 * Math.sqrt(Math.max(0, square - mean * mean) / n);
  return { mean, low: mean - half, high: mean + half };
}

// Risk aversions at which the best model changes, from one half to one.
export function crossovers(measures) {
  const value = (m, k) => m.accuracy + (4 * k - 2) * m.hedging;
  const best = (k) => measures.reduce((a, b, i) => (value(b, k) > value(measures[a], k) + 1e-15 ? i : a), 0);
  const found = [{ from: 0.5, model: best(0.5) }];
  for (let at = 0.5; ;) {
    const now = measures[found[found.length - 1].model];
    let next = Infinity,
      model = -1;
    measures.forEach((other, i) => {
      if (other.hedging <= now.hedging + 1e-12) return;
      const k = 0.5 + (now.accuracy - other.accuracy) / (4 * (other.hedging - now.hedging));
      if (k >= at - 1e-12 && k < next) {
        next = k;
        model = i;
      }
    });
    if (next >= 1) return found;
    found.push({ from: next, model });
    at = next;
  }
}
