// Elements made from text, never from markup: whatever a label holds, it stays a label.

const SVG = "http://www.w3.org/2000/svg";

export function setAll(node, attributes) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  return node;
}

function fill(node, attributes, children) {
  setAll(node, attributes).append(
    ...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false),
  );
  return node;
}

export const el = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
export const svg = (tag, attributes, ...children) =>
  fill(document.createElementNS(SVG, tag), attributes, children);

export const block = (kind, ...children) => el("div", { class: kind }, children);
export const paragraph = (kind, ...children) => el("p", { class: kind }, children);
export const small = (...children) => el("small", {}, children);
export const strong = (...children) => el("strong", {}, children);
export const button = (attributes, ...children) => el("button", { type: "button", ...attributes }, children);

// A number with its full precision beside it.
export const value = (key, exact, shown) => el("span", { "data-key": key, "data-value": exact }, shown);

export function choice(label, options, chosen, onChoose, attributes) {
  const select = el(
    "select",
    { onchange: () => onChoose(select.value), ...attributes },
    options.map(([key, text]) => el("option", { value: key, selected: key === chosen }, text)),
  );
  return el("label", { class: "choice" }, el("span", {}, label), select);
}

export function toggle(label, options, chosen, onChoose) {
  const press = (key) =>
    buttons.forEach((each, i) => each.setAttribute("aria-pressed", String(options[i][0] === key)));
  const choose = (key) => {
    press(key);
    onChoose(key);
  };
  const buttons = options.map(([key, text]) => button({ onclick: () => choose(key) }, text));
  press(chosen);
  return el("div", { class: "toggle", role: "group", "aria-label": label }, buttons);
}

// What is wider than its place scrolls, by keys too.
export const scroller = (...children) =>
  el("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": "Table, scrolls sideways" }, children);

// A table whose first column heads its rows.
export const gridTable = (kind, caption, heads, lines, foot = null) =>
  el(
    "table",
    { class: kind },
    el("caption", {}, caption),
    el("thead", {}, el("tr", {}, el("td"), heads)),
    el("tbody", {}, lines),
    foot,
  );

// Entries are [kind, words], or [kind, words, colour].
export const swatchLegend = (entries) =>
  el("ul", { class: "legend" }, entries.map(([kind, words, colour = ""]) => {
    const mark = el("i", { class: `swatch ${kind}` });
    mark.style.background = colour;
    return el("li", {}, mark, words);
  }));

export function card(title, { about, tools, wide, key } = {}) {
  const body = block("card-body"), heading = el("h2"), bar = block("tools", tools ?? []);
  // A mark behind words stays with the last of them.
  const entitle = (words, mark) => {
    heading.dataset.words = words;
    const at = mark ? words.lastIndexOf(" ") + 1 : words.length;
    heading.replaceChildren(
      words.slice(0, at),
      ...(mark ? [el("span", { class: "kept" }, words.slice(at), mark)] : []),
    );
  };
  entitle(title, about);
  const node = el(
    "section",
    { class: wide ? "card wide" : "card", "data-card": key },
    el("header", { class: "card-head" }, heading, bar),
    body,
  );
  const show = (...children) => body.replaceChildren(...children.flat(Infinity).filter(Boolean));
  return { node, body, key, tools: bar, entitle, show };
}

// The pointer is followed wherever it goes until it is let go: each move may redraw what was pressed.
export function drag(move) {
  const stop = () => {
    removeEventListener("pointermove", move);
    removeEventListener("pointerup", stop);
    removeEventListener("pointercancel", stop);
  };
  addEventListener("pointermove", move);
  addEventListener("pointerup", stop);
  addEventListener("pointercancel", stop);
}
