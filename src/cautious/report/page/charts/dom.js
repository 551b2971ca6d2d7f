// Elements made from text, never from markup: whatever a label holds, it stays a label.

const SVG = "http://www.w3.org/2000/svg";

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  node.append(
    ...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false),
  );
  return node;
}

export const el = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
export const svg = (tag, attributes, ...children) =>
  fill(document.createElementNS(SVG, tag), attributes, children);

// A number with its full precision beside it.
export const value = (key, exact, shown, attributes) =>
  el("span", { "data-key": key, "data-value": exact, ...attributes }, shown);

export function choice(label, options, chosen, onChoose, attributes) {
  const select = el(
    "select",
    { onchange: () => onChoose(select.value), ...attributes },
    options.map(([key, text]) => el("option", { value: key, selected: key === chosen }, text)),
  );
  return el("label", { class: "choice" }, el("span", {}, label), select);
}

// Buttons of which one is pressed.
export function toggle(label, options, chosen, onChoose) {
  const buttons = options.map(([key, text]) =>
    el(
      "button",
      {
        type: "button",
        "aria-pressed": key === chosen,
        onclick: () => {
          buttons.forEach((button, i) => button.setAttribute("aria-pressed", options[i][0] === key));
          onChoose(key);
        },
      },
      text,
    ),
  );
  buttons.forEach((button, i) => button.setAttribute("aria-pressed", String(options[i][0] === chosen)));
  return el("div", { class: "toggle", role: "group", "aria-label": label }, buttons);
}

// What is wider than its place scrolls, by keys too.
export const scroller = (...children) =>
  el(
    "div",
    { class: "scroll", tabindex: 0, role: "group", "aria-label": "Table, scrolls sideways" },
    children,
  );

// A mark behind words stays with the last of them.
export function withMark(words, mark) {
  const at = words.lastIndexOf(" ") + 1;
  return [words.slice(0, at), el("span", { class: "kept" }, words.slice(at), mark)];
}

export function card(title, { about, tools, wide, key } = {}) {
  const body = el("div", { class: "card-body" });
  const heading = el("h2"),
    entitle = (words, mark) => heading.replaceChildren(...(mark ? withMark(words, mark) : [words]));
  entitle(title, about);
  const bar = el("div", { class: "tools" }, tools ?? []);
  const node = el(
    "section",
    { class: wide ? "card wide" : "card", "data-card": key },
    el("header", { class: "card-head" }, heading, bar),
    body,
  );
  return {
    node,
    body,
    key,
    tools: bar,
    entitle,
    show: (...children) => body.replaceChildren(...children.flat(Infinity).filter(Boolean)),
  };
}
