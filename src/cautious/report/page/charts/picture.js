// A chart as a file of its own: styles written into it, its title, legend and settings drawn with it.
import { svg } from "./dom.js";

const COPIED = [
  "fill",
  "fill-opacity",
  "stroke",
  "stroke-width",
  "stroke-opacity",
  "stroke-dasharray",
  "stroke-linecap",
  "stroke-linejoin",
  "opacity",
  "font-size",
  "font-weight",
  "font-style",
  "paint-order",
  "vector-effect",
];
const FONT = "system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif";

// Style sheets do not travel: what they said is written at each element.
function withStyles(node) {
  const copy = node.cloneNode(true);
  const pairs = [[node, copy]];
  while (pairs.length) {
    const [from, to] = pairs.pop(),
      style = getComputedStyle(from);
    for (const name of COPIED) {
      const value = style.getPropertyValue(name);
      if (value && value !== "normal") to.setAttribute(name, value);
    }
    for (const name of [
      "class",
      "tabindex",
      "role",
      "aria-valuenow",
      "aria-valuetext",
      "aria-valuemin",
      "aria-valuemax",
    ])
      to.removeAttribute(name);
    for (let i = 0; i < from.children.length; i++) pairs.push([from.children[i], to.children[i]]);
  }
  return copy;
}

// The keys of the legends of a card, as [sign, words].
const legendOf = (card) =>
  [...card.querySelectorAll(".legend li")].map((item) => {
    const drawn = item.querySelector("svg"),
      patch = item.querySelector(".swatch");
    const mark = drawn
      ? withStyles(drawn)
      : svg("rect", {
          width: 11,
          height: 11,
          rx: 3,
          fill: patch ? getComputedStyle(patch).backgroundColor : "none",
        });
    return [mark, item.textContent];
  });

export function pictureOf(card, title, about) {
  const chart = card.querySelector("svg.chart"),
    root = getComputedStyle(document.documentElement),
    ink = root.getPropertyValue("--ink"),
    muted = root.getPropertyValue("--muted");
  const { width, height } = chart.viewBox.baseVal,
    top = 34,
    words = (x, y, size, fill, text, weight = "400") =>
      svg("text", { x, y, fill, "font-size": size, "font-weight": weight }, text);
  const body = withStyles(chart);
  body.querySelectorAll("[aria-hidden=true]").forEach((node) => node.remove());
  const inside = svg("g", { transform: `translate(12 ${top})` }, ...body.childNodes);
  const picture = svg("svg", { xmlns: "http://www.w3.org/2000/svg", "font-family": FONT });
  picture.append(svg("rect", { width: "100%", height: "100%", fill: root.getPropertyValue("--card") }));
  picture.append(words(12, 22, 15, ink, title, "600"), inside);
  let x = 12,
    y = top + height + 16;
  for (const [mark, text] of legendOf(card)) {
    const room = 44 + text.length * 7;
    if (x > 12 && x + room > width) {
      x = 12;
      y += 18;
    }
    mark.setAttribute("x", x);
    mark.setAttribute("y", mark.tagName === "svg" ? y - 10 : y - 9);
    picture.append(mark, words(x + 36, y, 12, muted, text));
    x += room;
  }
  if (x > 12) y += 20;
  picture.append(words(12, y, 10.5, muted, about));
  const all = { width: width + 24, height: y + 12 };
  Object.entries({ ...all, viewBox: `0 0 ${all.width} ${all.height}` }).forEach(([name, value]) =>
    picture.setAttribute(name, value),
  );
  return new XMLSerializer().serializeToString(picture);
}

// Twice as fine as the screen.
export async function pngOf(source) {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(source)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = 2 * image.naturalWidth;
  canvas.height = 2 * image.naturalHeight;
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((done) => canvas.toBlob(done, "image/png"));
}
