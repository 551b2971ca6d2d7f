// Colours that survive colour blindness and a grey printer.

export const MODEL_COLOURS = [
  "#0072b2",
  "#d55e00",
  "#009e73",
  "#b45a9a",
  "#c98a00",
  "#3a9bd6",
  "#7a5c2e",
  "#6a5acd",
];
export const DASHES = ["", "7 3", "2 3", "9 3 2 3", "12 4", "5 2", "2 2", "8 2 2 2 2 2"];

export const modelColour = (i) => MODEL_COLOURS[i % MODEL_COLOURS.length];
export const dash = (i) => DASHES[i % DASHES.length];

const rgb = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
const between = (stops, t) => {
  const at = Math.max(0, Math.min(1, t)) * (stops.length - 1);
  const low = Math.min(Math.floor(at), stops.length - 2),
    share = at - low;
  return stops[low].map((c, i) => c + share * (stops[low + 1][i] - c));
};

// Dark for cheap to bright for expensive: light also rises in grey.
const SEQUENTIAL = ["#22304f", "#2b5078", "#2f7589", "#4d9a8c", "#8dbb82", "#d5d582", "#fbf3b9"].map(rgb);
const DIVERGING = ["#0a5c8f", "#4f9cc9", "#b5d5e6", "#f4f2ec", "#f3c7a2", "#dd8445", "#a8480a"].map(rgb);

export const sequential = (t) => between(SEQUENTIAL, t);
export const diverging = (t) => between(DIVERGING, (t + 1) / 2);
export const modelRgb = (i) => rgb(modelColour(i));
export const css = (c) => `rgb(${c.map(Math.round).join(",")})`;
