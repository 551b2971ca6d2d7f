// What can be carried off the page: the rule, the table, the pictures, the sentence, the link.
import { button, el } from "../charts/dom.js";
import { pictureOf, pngOf } from "../charts/picture.js";
import { plainText } from "./stage.js";

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
function ruleFile({ kind, classes, model, version, costs, ...fields }) {
  const rule = { schema: SCHEMA, kind, classes };
  if (classes.length === 2) rule.pos_label = classes[1];
  for (const [name, value] of Object.entries(fields))
    rule[name] = Array.isArray(value) ? value.map(finite) : finite(value);
  if (costs) rule.costs = costs.form ? costs : { form: "answers", values: costs };
  return `${JSON.stringify({ ...rule, model, version }, null, 2)}\n`;
}

// Text that a spreadsheet would take for a formula is made plain text.
function csvFile(rows) {
  const cell = (content) => {
    const text =
      typeof content === "string" && /^[=+\-@\t\r]/.test(content) ? `'${content}` : String(content ?? "");
    return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return `${rows.map((row) => row.map(cell).join(",")).join("\r\n")}\r\n`;
}

const saveText = (name, ending, text, type = "text/plain") =>
  save(fileName(name, ending), text, `${type};charset=utf-8`);

// Copying needs leave of the browser, which a file from a disk may not get: then the words are selected.
async function copy(text, pressed) {
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
    pressed.focus();
  }
  say(pressed, done ? "Copied" : "Could not copy");
}

function say(pressed, words) {
  pressed.dataset.words ??= pressed.textContent;
  pressed.textContent = words;
  setTimeout(() => (pressed.textContent = pressed.dataset.words), 1500);
}

const action = (key, words, onclick) =>
  button({ class: "small", "data-take": key, onclick: ({ target }) => onclick(target) }, words);

// Buttons for the card of advice, and for the cards with charts: `rule` and `rows` are functions, the rule maybe
// of none, as `none` says; `settings` gives a line with the date, the cases and the settings.
export function addTakeAway(cards, pictured, { app, settings, rule, rows, none }) {
  const { body, tools } = cards.advice,
    sentence = () => plainText(body.querySelectorAll(".lead, .banner, .evidence")).replace(/\s+/g, " ");
  tools.append(
    action("sentence", "Copy sentence", (pressed) => copy(sentence(), pressed)),
    action("rule", "Rule (JSON)", (pressed) => {
      const found = rule();
      if (found) saveText(app.title, "json", ruleFile({ ...found, version: app.version }), "application/json");
      else say(pressed, none);
    }),
    action("table", "Table (CSV)", () => saveText(app.title, "csv", csvFile(rows()), "text/csv")),
    action("link", "Copy link", (pressed) => copy(location.href, pressed)),
  );
  for (const each of Object.values(cards)) if (pictured(each.key)) each.tools.append(pictureTools(each, settings));
}

function pictureTools(card, about) {
  const heading = () => card.node.querySelector("h2").dataset.words;
  const draw = () => pictureOf(card.node, heading(), about());
  const tools = el(
    "span",
    { class: "pictures" },
    action("svg", "SVG", () => saveText(heading(), "svg", draw(), "image/svg+xml")),
    action("png", "PNG", async () => save(fileName(heading(), "png"), await pngOf(draw()), "image/png")),
  );
  for (const each of tools.children)
    each.setAttribute("aria-label", `Save “${heading()}” as ${each.textContent}`);
  return tools;
}
