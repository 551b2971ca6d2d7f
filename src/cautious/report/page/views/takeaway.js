// What can be carried off the page: the rule, the table, the pictures, the sentence, the link.
import { el } from "../charts/dom.js";
import { pictureOf, pngOf } from "../charts/picture.js";

const SCHEMA = "cautious.rule/1";

function save(name, content, type) {
  const url = URL.createObjectURL(new Blob([content], { type }));
  el("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

// A name that every file system takes.
function fileName(text, ending) {
  const plain = text.normalize("NFKD").replace(/[^\w]+/g, "-");
  return `${plain.replace(/^-+|-+$/g, "").slice(0, 60) || "report"}.${ending}`;
}

const finite = (x) => (x === Infinity ? "Infinity" : x === -Infinity ? "-Infinity" : x);

// The file that cautious.decision.Rule.from_json reads.
export function ruleFile({ kind, classes, model, version, costs, ...fields }) {
  const rule = { schema: SCHEMA, kind, classes };
  if (classes.length === 2) rule.pos_label = classes[1];
  for (const [name, value] of Object.entries(fields))
    rule[name] = Array.isArray(value) ? value.map(finite) : finite(value);
  if (costs) rule.costs = costs.form ? costs : { form: "answers", values: costs };
  return `${JSON.stringify({ ...rule, model, version }, null, 2)}\n`;
}

// The price of each answer at each truth, and of none: rows of the library's cost table.
export const windowCosts = ({ fn, fp, abstain }) => [
  [0, fn],
  [fp, 0],
  [abstain, abstain],
];

// Text that a spreadsheet would take for a formula is made plain text.
export function csvFile(rows) {
  const cell = (content) => {
    const text =
      typeof content === "string" && /^[=+\-@\t\r]/.test(content) ? `'${content}` : String(content ?? "");
    return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return `${rows.map((row) => row.map(cell).join(",")).join("\r\n")}\r\n`;
}

export const saveText = (name, ending, text, type = "text/plain") =>
  save(fileName(name, ending), text, `${type};charset=utf-8`);

// Copying needs leave of the browser, which a file from a disk may not get: then the words are selected.
async function copy(text, button) {
  const field = el("textarea", { class: "hidden", "aria-hidden": "true" });
  field.value = text;
  let done = true;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    document.body.append(field);
    field.select();
    done = document.execCommand("copy");
    field.remove();
    button.focus();
  }
  say(button, done ? "Copied" : "Could not copy");
}

// A button that answers for a moment.
function say(button, words) {
  button.dataset.words ??= button.textContent;
  button.textContent = words;
  setTimeout(() => {
    button.textContent = button.dataset.words;
  }, 1500);
}

const action = (key, words, onclick) =>
  el(
    "button",
    { type: "button", class: "small", "data-take": key, onclick: ({ target }) => onclick(target) },
    words,
  );

// Buttons for a card of words: `sentence`, `rule` and `table` are functions that give texts, the rule
// maybe none, as `none` says.
export function takeAway({ title, sentence, rule, table, none }) {
  return [
    action("sentence", "Copy sentence", (button) => copy(sentence(), button)),
    action("rule", "Rule (JSON)", (button) => {
      const text = rule();
      if (text) saveText(title(), "json", text, "application/json");
      else say(button, none);
    }),
    action("table", "Table (CSV)", () => saveText(title(), "csv", table(), "text/csv")),
    action("link", "Copy link", (button) => copy(location.href, button)),
  ];
}

// Buttons for a card with a chart; `about` gives a line with the date, the cases and the settings.
export function pictureTools(card, about) {
  const heading = () => card.node.querySelector("h2").firstChild.textContent;
  const draw = () => pictureOf(card.node, heading(), about());
  const tools = el(
    "span",
    { class: "pictures" },
    action("svg", "SVG", () => saveText(heading(), "svg", draw(), "image/svg+xml")),
    action("png", "PNG", async () => save(fileName(heading(), "png"), await pngOf(draw()), "image/png")),
  );
  for (const button of tools.children)
    button.setAttribute("aria-label", `Save “${heading()}” as ${button.textContent}`);
  return tools;
}
