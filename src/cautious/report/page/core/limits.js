// The limits that the page offers, out of the library's table of all (cautious.guarantees._limits). Python writes by
// their names: the `words`, the `goal` that a search for one is called, if it is `of_answers` or of `two_classes`, and
// for either class which limits its answers must keep, in parts of it, so that a promise holds; null if none can.
import { percent } from "./format.js";

let LIMITS = {};

export const useLimits = (limits) => { LIMITS = limits; };
export const limitOf = (name) => LIMITS[name];
export const limitNames = (graded) => Object.keys(LIMITS).filter((name) => !(graded && LIMITS[name].two_classes));
export const limitSaid = (name, share, graded) =>
  LIMITS[name].words.replace("{share}", percent(share)).replace("abstained on", graded ? "escalated" : "$&");
export const noLimits = () => ({ ...Object.fromEntries(limitNames().map((name) => [name, 1])), promise: false });
