// Sliders with a number beside each: the slider for a feel, the number for the exact cost.
import { el } from "../charts/dom.js";
import { number, shorten } from "../core/format.js";
import { term } from "./terms.js";

const STEPS = 400;
const round = (v) => Number(v.toPrecision(3));

// A label, a slider for a feel, a box for the exact number, and words where it cannot be used.
// `read` makes a value of what is typed, or gives undefined; `allowed` says what may be typed.
function control({ id, label, short, about, hint, tint, slider, box, get, set, read, write, allowed, show }) {
  const problem = el("p", { class: "problem", id: `${id}-problem`, role: "alert" });
  const complain = (typed) => {
    const wrong = typed !== null;
    box.setAttribute("aria-invalid", String(wrong));
    problem.textContent = wrong
      ? `${typed === "" ? "Nothing is written here" : `“${shorten(typed, 12)}” cannot be used`}: ${allowed}. Until then ${show(get())} counts.`
      : "";
  };
  Object.entries({ id: `${id}-slider`, "aria-label": `${label}, slider`, "data-slider": id }).forEach(
    ([name, text]) => slider.setAttribute(name, text),
  );
  Object.entries({
    id: `${id}-number`,
    type: "text",
    inputmode: "decimal",
    autocomplete: "off",
    "aria-describedby": `${id}-problem`,
    "data-input": id,
  }).forEach(([name, text]) => box.setAttribute(name, text));
  box.addEventListener("input", () => {
    const found = read(box.value.trim().replace(",", ".").replace(/%$/, "").replace("−", "-"));
    complain(found === undefined ? box.value.trim() : null);
    if (found !== undefined) set(found);
  });
  box.addEventListener("change", () => update());
  const node = el(
    "div",
    { class: `control ${tint ?? ""}`, "data-control": id },
    el("label", { for: `${id}-number` }, label),
    about ? term(about) : null,
    el("div", { class: "control-row" }, slider, box),
    problem,
    hint ? el("p", { class: "hint" }, hint) : null,
  );
  const update = () => {
    slider.setAttribute("aria-valuetext", show(get()));
    node.dataset.shown = show(get()); // for paper
    if (document.activeElement !== box) {
      box.value = write(get());
      complain(null);
    }
  };
  return { id, node, update, chip: () => `${short ?? label} ${show(get())}` };
}

// Costs spread over powers of ten, so the slider moves along their logarithm.
export function costControl({ id, get, set, low = 0.01, high = 1000, ...rest }) {
  low = Math.min(low, get() || low);
  high = Math.max(high, get());
  const place = (v) => Math.round((STEPS * Math.log(Math.max(v, low) / low)) / Math.log(high / low));
  const slider = el("input", {
    type: "range",
    min: 0,
    max: STEPS,
    step: 1,
    oninput: () => set(round(low * (high / low) ** (slider.value / STEPS))),
  });
  const free = id === "abstain";
  const made = control({
    id,
    slider,
    box: el("input"),
    get,
    set,
    allowed: free ? "give a number from 0 up" : "give a number above 0",
    read: (text) => {
      const v = text === "" ? NaN : Number(text);
      return v < Infinity && (free ? v >= 0 : v > 0) ? v : undefined;
    },
    write: String,
    show: number,
    ...rest,
  });
  const update = () => {
    slider.value = place(get());
    made.update();
  };
  update();
  return { ...made, update };
}

// A share in percent. Small shares matter most, so the slider moves along their square root.
export function shareControl({ id, get, set, sample, open = false, hint, ...rest }) {
  const slider = el("input", {
    type: "range",
    min: 0,
    max: STEPS,
    step: 1,
    oninput: () => set(clean((slider.value / STEPS) ** 2)),
  });
  // Neither none nor all, unless the share is a limit.
  const clean = (v) =>
    open ? Number(v.toPrecision(3)) : Math.max(0.001, Math.min(0.999, Number(v.toFixed(4))));
  const back = sample
    ? el("button", { type: "button", class: "link", "data-action": `sample-${id}`, onclick: () => set(null) })
    : null;
  const now = () => get() ?? sample();
  const made = control({
    id,
    slider,
    box: el("input"),
    get: now,
    set,
    hint: back ?? hint,
    allowed: open ? "give percent from 0 to 100; 100 sets no limit" : "give percent above 0 and below 100",
    read: (text) => {
      const v = text === "" ? NaN : Number(text) / 100;
      return (open ? v >= 0 && v <= 1 : v > 0 && v < 1) ? v : undefined;
    },
    write: (v) => String(Number((100 * v).toPrecision(4))),
    show: (v) => (open && v === 1 ? "no limit" : `${number(100 * v)}%`),
    ...rest,
  });
  const update = () => {
    slider.value = Math.round(STEPS * Math.sqrt(now()));
    made.update();
    if (!back) return;
    back.disabled = get() === null;
    back.textContent =
      get() === null
        ? "percent, as in the sample"
        : `percent; back to the sample’s ${number(100 * sample())}%`;
  };
  update();
  return { ...made, update };
}

// A score: anywhere between the ends of the histogram by the slider, anywhere at all by the box.
// `text` writes it so that it may be copied.
export function scoreControl({ id, get, set, ends, text, ...rest }) {
  const slider = el("input", {
    type: "range",
    min: 0,
    max: STEPS,
    step: 1,
    oninput: () => {
      const [low, high] = ends();
      set(round(low + (slider.value / STEPS) * (high - low)));
    },
  });
  const made = control({
    id,
    slider,
    box: el("input"),
    get,
    set,
    allowed: "give a number, or -∞ or ∞ for a threshold beyond all scores",
    read: (typed) => {
      if (/^-?(∞|inf|infinity)$/i.test(typed)) return typed.startsWith("-") ? -Infinity : Infinity;
      return typed === "" || Number.isNaN(Number(typed)) ? undefined : Number(typed);
    },
    write: text,
    show: text,
    ...rest,
  });
  const update = () => {
    const [low, high] = ends();
    slider.value = Math.round(STEPS * Math.max(0, Math.min(1, (get() - low) / (high - low))));
    made.update();
  };
  update();
  return { ...made, update };
}

// A number between two ends.
export function spanControl({ id, get, set, low, high, step = 0.01, ...rest }) {
  const slider = el("input", {
    type: "range",
    min: low,
    max: high,
    step,
    oninput: () => set(Number(slider.value)),
  });
  const made = control({
    id,
    slider,
    box: el("input"),
    get,
    set,
    allowed: `give a number from ${low} to ${high}`,
    read: (text) => {
      const v = text === "" ? NaN : Number(text);
      return v >= low && v <= high ? v : undefined;
    },
    write: (v) => String(Number(v.toPrecision(12))),
    show: number,
    ...rest,
  });
  const update = () => {
    slider.value = get();
    made.update();
  };
  update();
  return { ...made, update };
}
