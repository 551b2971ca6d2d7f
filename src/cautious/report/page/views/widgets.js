// Sliders with a number beside each: the slider for a feel, the number for the exact cost.
import { block, button, el, paragraph, setAll } from "../charts/dom.js";
import { number, shorten } from "../core/format.js";
import { term } from "./terms.js";

const STEPS = 400;
const round = (v) => Number(v.toPrecision(3));

// A label, a slider for a feel, a box for the exact number, and words where it cannot be used. `range` has the
// ends and the step of the slider, `place` its place for a value, and `at` the value at a place; `read` makes a
// value of what is typed, or gives undefined; `allowed` says what may be typed.
function control({ id, label, short, about, hint, tint, range, place, at, get, set, ...rest }) {
  const { read, write, allowed, show, also } = rest;
  const problem = el("p", { class: "problem", id: `${id}-problem`, role: "alert" });
  const complain = (typed) => {
    const what = typed === "" ? "Nothing is written here" : `“${shorten(typed ?? "", 12)}” cannot be used`;
    box.setAttribute("aria-invalid", String(typed !== null));
    problem.textContent = typed === null ? "" : `${what}: ${allowed}. Until then ${show(get())} counts.`;
  };
  const [min, max, step] = range ?? [0, STEPS, 1];
  const slider = el("input", {
    type: "range", min, max, step,
    oninput: () => set(at(Number(slider.value))),
    id: `${id}-slider`,
    "aria-label": `${label}, slider`,
    "data-slider": id,
  });
  const box = el("input", {
    id: `${id}-number`,
    type: "text", inputmode: "decimal", autocomplete: "off",
    "aria-describedby": `${id}-problem`,
    "data-input": id,
    oninput: () => {
      const found = read(box.value.trim().replace(",", ".").replace(/%$/, "").replace("−", "-"));
      complain(found === undefined ? box.value.trim() : null);
      if (found !== undefined) set(found);
    },
    onchange: () => update(),
  });
  const node = el(
    "div",
    { class: `control ${tint ?? ""}`, "data-control": id },
    el("label", { for: `${id}-number` }, label),
    about ? term(about) : null,
    block("control-row", slider, box),
    problem,
    hint ? paragraph("hint", hint) : null,
  );
  const update = () => {
    slider.value = place(get());
    setAll(slider, { "aria-valuetext": show(get()) });
    node.dataset.shown = show(get()); // for paper
    also?.();
    if (document.activeElement === box) return;
    box.value = write(get());
    complain(null);
  };
  update();
  return { id, node, update, chip: () => `${short ?? label} ${show(get())}` };
}

const typed = (text, isAllowed, times = 1) => {
  const v = text === "" ? NaN : Number(text) / times;
  return isAllowed(v) ? v : undefined;
};

// Costs spread over powers of ten, so the slider moves along their logarithm.
export function costControl({ id, get, ...rest }) {
  const low = Math.min(0.01, get() || 0.01), high = Math.max(1000, get()), free = id === "abstain";
  return control({
    id,
    get,
    place: (v) => Math.round((STEPS * Math.log(Math.max(v, low) / low)) / Math.log(high / low)),
    at: (place) => round(low * (high / low) ** (place / STEPS)),
    allowed: free ? "give a number from 0 up" : "give a number above 0",
    read: (text) => typed(text, (v) => v < Infinity && (free ? v >= 0 : v > 0)),
    write: String,
    show: number,
    ...rest,
  });
}

// A share in percent. Small shares matter most, so the slider moves along their square root. Neither none nor
// all, unless the share is a limit (`open`); `sample` is what it is where none is set.
export function shareControl({ id, get, set, sample, open = false, hint, ...rest }) {
  const clean = (v) => (open ? round(v) : Math.max(0.001, Math.min(0.999, Number(v.toFixed(4))))),
    back = button({ class: "link", "data-action": `sample-${id}`, onclick: () => set(null) });
  const sayBack = () => {
    const isSample = get() === null;
    back.disabled = isSample;
    back.textContent = isSample ? "percent, as in the sample" : `percent; back to the sample’s ${number(100 * sample())}%`;
  };
  return control({
    id,
    get: () => get() ?? sample(),
    set,
    hint: sample ? back : hint,
    place: (v) => Math.round(STEPS * Math.sqrt(v)),
    at: (place) => clean((place / STEPS) ** 2),
    allowed: open ? "give percent from 0 to 100; 100 sets no limit" : "give percent above 0 and below 100",
    read: (text) => typed(text, (v) => (open ? v >= 0 && v <= 1 : v > 0 && v < 1), 100),
    write: (v) => String(Number((100 * v).toPrecision(4))),
    show: (v) => (open && v === 1 ? "no limit" : `${number(100 * v)}%`),
    also: sample && sayBack,
    ...rest,
  });
}

// A score: anywhere between the ends of the histogram by the slider, anywhere at all by the box.
// `text` writes it so that it may be copied.
export function scoreControl({ ends, text, ...rest }) {
  return control({
    place: (v) => Math.round(STEPS * Math.max(0, Math.min(1, (v - ends()[0]) / (ends()[1] - ends()[0])))),
    at: (place) => round(ends()[0] + (place / STEPS) * (ends()[1] - ends()[0])),
    allowed: "give a number, or -∞ or ∞ for a threshold beyond all scores",
    read: (words) => {
      if (/^-?(∞|inf|infinity)$/i.test(words)) return words.startsWith("-") ? -Infinity : Infinity;
      return typed(words, (v) => !Number.isNaN(v));
    },
    write: text,
    show: text,
    ...rest,
  });
}

export function spanControl({ low, high, ...rest }) {
  return control({
    range: [low, high, 0.01],
    place: (v) => v,
    at: (place) => place,
    allowed: `give a number from ${low} to ${high}`,
    read: (text) => typed(text, (v) => v >= low && v <= high),
    write: (v) => String(Number(v.toPrecision(12))),
    show: number,
    ...rest,
  });
}
