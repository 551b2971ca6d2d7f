// The settings live in the part of the address after the #: a reload or a link brings them back.
import { limitNames } from "../core/limits.js";

const NUMBER = /^-?(\d+\.?\d*(e[+-]?\d+)?|Infinity)$/i;

// So many numbers between commas, if all of them are allowed; null elsewhere.
export function numbersIn(text, n, isAllowed = () => true) {
  const parts = (text ?? "").split(","),
    isFine = (part) => NUMBER.test(part) && isAllowed(Number(part));
  return parts.length === n && parts.every(isFine) ? parts.map(Number) : null;
}

export function writeAddress(app) {
  const { costs, budgets, thresholds, problems, current } = app,
    view = problems[current].view ?? {};
  const parts = {
    tab: current || null,
    by: app.mode === "costs" ? null : app.mode,
    costs: [costs.false_negative, costs.false_positive, costs.abstain].join(),
    share: app.prior,
    limits: app.mode === "budgets" ? limitNames().map((name) => budgets[name]).join() : null,
    promise: app.mode === "budgets" && budgets.promise ? 1 : null,
    at: app.mode === "thresholds" && thresholds ? [thresholds.lower, thresholds.upper].join() : null,
    model: view.selected ?? null,
    alone: view.alone ?? null,
    k: app.k === 0.65 ? null : app.k,
    ...(view.address?.() ?? {}),
  };
  const text = Object.entries(parts)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join("&");
  if (location.hash.slice(1) !== text) history.replaceState(null, "", `#${text}`);
}

// What an address says, as far as it can be used; the rest of it is not believed.
export function readAddress(app, hash) {
  const said = Object.fromEntries(new URLSearchParams(hash.slice(1))),
    index = (text, n) => (/^\d+$/.test(text ?? "") && Number(text) < n ? Number(text) : null);
  const found = { current: index(said.tab, app.problems.length) ?? 0 };
  const costs = numbersIn(said.costs, 3, (v) => v >= 0 && v < Infinity);
  if (costs && costs[0] > 0 && costs[1] > 0)
    found.costs = { false_negative: costs[0], false_positive: costs[1], abstain: costs[2] };
  const share = numbersIn(said.share, 1, (v) => v > 0 && v < 1);
  if (share) [found.prior] = share;
  const names = limitNames(), limits = numbersIn(said.limits, names.length, (v) => v >= 0 && v <= 1);
  if (limits)
    found.budgets = { ...Object.fromEntries(names.map((name, i) => [name, limits[i]])), promise: said.promise === "1" };
  const at = numbersIn(said.at, 2);
  if (at && at[0] <= at[1]) found.thresholds = { lower: at[0], upper: at[1] };
  if (["budgets", "thresholds"].includes(said.by)) found.mode = said.by;
  if (found.mode === "thresholds" && !found.thresholds) delete found.mode;
  const k = numbersIn(said.k, 1, (v) => v >= 0.5 && v <= 1);
  if (k) [found.k] = k;
  const n = app.problems[found.current].models.length;
  const view = { selected: index(said.model, n), alone: index(said.alone, n) };
  return { settings: found, view, said };
}
