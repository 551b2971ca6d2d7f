// Colours that survive colour blindness and a grey printer.

const MODEL_COLOURS = [
  "#0072b2", "#d55e00", "#009e73", "#b45a9a", "#b57c00", "#3a9bd6", "#7a5c2e", "#6a5acd", "#5b6770",
];
const DASHES = ["", "7 3", "2 3", "9 3 2 3", "14 4", "5 2", "2 2 6 2", "10 2 2 2 2 2"];
// Paths round (0, 0), about as large as a disc of radius 1.
const MARKERS = [
  "M-1 0a1 1 0 1 0 2 0a1 1 0 1 0 -2 0z",
  "M-.9 -.9h1.8v1.8h-1.8z",
  "M0 -1.15l1.1 1.9h-2.2z",
  "M0 -1.3l1.1 1.3l-1.1 1.3l-1.1 -1.3z",
  "M0 1.15l1.1 -1.9h-2.2z",
  "M-.4 -1.2h.8v.8h.8v.8h-.8v.8h-.8v-.8h-.8v-.8h.8z",
  "M-1.3 -.5h2.6v1h-2.6z",
];

// Nine colours, eight dashes and seven markers: no two of the first 504 models look alike, and of the
// first 56 none in grey either.
export const modelColour = (i) => MODEL_COLOURS[i % MODEL_COLOURS.length];
export const dash = (i) => DASHES[i % DASHES.length];
export const marker = (i) => MARKERS[i % MARKERS.length];

const rgb = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
const between = (stops, t) => {
  const at = Math.max(0, Math.min(1, t)) * (stops.length - 1),
    low = Math.min(Math.floor(at), stops.length - 2);
  return stops[low].map((c, i) => c + (at - low) * (stops[low + 1][i] - c));
};

// Dark for cheap to bright for expensive: light also rises in grey.
const SEQUENTIAL = ["#22304f", "#2b5078", "#2f7589", "#4d9a8c", "#8dbb82", "#d5d582", "#fbf3b9"].map(rgb);
const DIVERGING = ["#0a5c8f", "#4f9cc9", "#b5d5e6", "#f4f2ec", "#f3c7a2", "#dd8445", "#a8480a"].map(rgb);

export const sequential = (t) => between(SEQUENTIAL, t);
export const diverging = (t) => between(DIVERGING, (t + 1) / 2);
export const modelRgb = (i) => rgb(modelColour(i));
export const css = (c) => `rgb(${c.map(Math.round).join(",")})`;
