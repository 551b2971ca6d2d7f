// A chart as a file of its own: styles written into it, its title, legend and settings drawn with it.
import { setAll, svg } from "./dom.js";

const COPIED = [
  "fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray", "stroke-linecap",
  "stroke-linejoin", "opacity", "font-size", "font-weight", "font-style", "paint-order", "vector-effect",
];
const DROPPED = ["class", "tabindex", "role", "aria-valuenow", "aria-valuetext", "aria-valuemin", "aria-valuemax"];
const FONT = "system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif";

// Style sheets do not travel: what they said is written at each element.
function withStyles(node) {
  const copy = node.cloneNode(true), pairs = [[node, copy]];
  while (pairs.length) {
    const [from, to] = pairs.pop(), style = getComputedStyle(from);
    for (const name of COPIED) {
      const value = style.getPropertyValue(name);
      if (value && value !== "normal") to.setAttribute(name, value);
    }
    for (const name of DROPPED) to.removeAttribute(name);
    for (let i = 0; i < from.children.length; i++) pairs.push([from.children[i], to.children[i]]);
  }
  return copy;
}

const legendOf = (card) =>
  [...card.querySelectorAll(".legend li")].map((item) => {
    const drawn = item.querySelector("svg"),
      patch = item.querySelector(".swatch"),
      fill = patch ? getComputedStyle(patch).backgroundColor : "none";
    return [drawn ? withStyles(drawn) : svg("rect", { width: 11, height: 11, rx: 3, fill }), item.textContent];
  });

// Words in lines of so many units.
function wrapped(text, width, size) {
  const most = Math.floor(width / (0.54 * size)), lines = [""];
  for (const word of text.split(/\s+/))
    if (lines.at(-1) && lines.at(-1).length + word.length >= most) lines.push(word);
    else lines.push(`${lines.pop()} ${word}`.trim());
  return lines;
}

// A picture with its title, its legend, the words of its card, and the settings in the last lines.
export function pictureOf(card, title, about) {
  const chart = card.querySelector("svg.chart"),
    { color: ink, backgroundColor: fill } = getComputedStyle(card),
    { color: muted } = getComputedStyle(document.querySelector(".bottom")),
    { width, height } = chart.viewBox.baseVal,
    top = 34,
    words = (x, y, size, colour, text, weight = "400") =>
      svg("text", { x, y, fill: colour, "font-size": size, "font-weight": weight }, text),
    body = withStyles(chart);
  body.querySelectorAll("[aria-hidden=true]").forEach((node) => node.remove());
  const picture = svg(
    "svg",
    { xmlns: "http://www.w3.org/2000/svg", "font-family": FONT },
    svg("rect", { width: "100%", height: "100%", fill }),
    words(12, 22, 15, ink, title, "600"),
    svg("g", { transform: `translate(12 ${top})` }, ...body.childNodes),
  );
  let x = 12, y = top + height + 16;
  for (const [mark, text] of legendOf(card)) {
    const room = 44 + text.length * 7;
    if (x > 12 && x + room > width) {
      x = 12;
      y += 18;
    }
    setAll(mark, { x, y: mark.tagName === "svg" ? y - 10 : y - 9 });
    picture.append(mark, words(x + 36, y, 12, muted, text));
    x += room;
  }
  if (x > 12) y += 20;
  const caption = [...card.querySelectorAll(".lead, .card-body > .note")].map((node) => node.textContent).join(" ");
  for (const [text, size] of [[caption, 12], [about, 10.5]])
    for (const line of wrapped(text, width, size)) {
      picture.append(words(12, y, size, size > 11 ? ink : muted, line));
      y += 1.45 * size;
    }
  setAll(picture, { width: width + 24, height: y + 12, viewBox: `0 0 ${width + 24} ${y + 12}` });
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
