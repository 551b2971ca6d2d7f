// Further prediction files, dropped onto the page or chosen: read, guessed, and shown at once.
import { block, button, choice, el, paragraph, strong } from "../charts/dom.js";
import { count, shorten } from "../core/format.js";
import { problemsOf } from "../core/problems.js";
import { perCentNotes } from "../files/cells.js";
import { guessColumns } from "../files/columns.js";
import { readTable } from "../files/csv.js";
import { readPredictions } from "../files/predictions.js";
import { Refusal } from "../files/rules.js";

const ENCODINGS = [
  ["", "choose …"],
  ["windows-1252", "Latin-1, Windows"],
  ["iso-8859-15", "Latin-9"],
  ["iso-8859-2", "Central European"],
  ["windows-1251", "Cyrillic"],
  ["shift_jis", "Japanese"],
  ["gb18030", "Chinese"],
];
const EMPTY = [["error", "are a mistake"], ["abstain", "abstain"], ["wrong", "are wrong"]];
const UNLABELLED = [["", "are a mistake"], ["drop", "are left out"]];

export function filesView(app) {
  const notices = document.getElementById("notices");
  const input = el("input", {
    type: "file", multiple: true, accept: ".csv,.tsv,.txt", class: "hidden", id: "file-input",
    onchange: async () => {
      await take(input.files);
      input.value = "";
    },
  });
  const take = async (files) => {
    for (const file of files) await addFile(file);
  };

  async function addFile(file) {
    const place = el("div", { class: "notice", "data-notice": "file" });
    notices.replaceChildren(place);
    const read = async (encoding) => {
      const start = performance.now();
      try {
        open(place, file.name, await readTable(await file.arrayBuffer(), encoding), start);
      } catch (error) {
        const choices = choice("encoding", ENCODINGS, "", read, { "data-column": "encoding" });
        refuse(place, file.name, error, error.key === "not text" ? choices : null);
      }
    };
    await read(null);
  }

  // Analyse with what is guessed, and again whenever the reader of the page corrects it.
  function open(place, name, table, start) {
    const model = name.replace(/\.gz$/i, "").replace(/(?<=.)\.[^.]+$/, ""), said = {};
    let added = [];
    const again = (begin) => {
      try {
        const found = readAsKnown(table, model, said), problems = problemsOf(found.models);
        app.remove(added);
        added = problems.flatMap(({ models }) => models);
        app.add(problems);
        const took = performance.now() - begin,
          [{ score, classes }] = found.models,
          asked = score ? { labels: found.truths, positive: classes[1] } : {};
        describe(place, name, found, problems, took, chooser(table, found.columns, said, asked, correct));
        place.dataset.took = String(took);
      } catch (error) {
        const asked = { key: error.key, labels: error.values?.labels };
        refuse(place, name, error, chooser(table, guess(table, said), said, asked, correct));
      }
    };
    const correct = (change) => {
      // A positive class belongs to the truths among which it was chosen.
      if ("truth" in change) delete said.pos_label;
      Object.assign(said, change);
      const key = document.activeElement.dataset.column;
      again(performance.now());
      place.querySelector(`[data-column="${key}"]`)?.focus();
    };
    again(start);
  }

  // Classes the page knows already keep their parts.
  function readAsKnown(table, model, said) {
    const isPair = (labels) => ({ kind, classes }) =>
      kind === "binary" && labels.length === 2 && classes.every((label) => labels.includes(label));
    const known = (labels) => app.problems.find(isPair(labels))?.classes[1];
    try {
      const found = readPredictions(table, model, said),
        positive = found.columns.proba.length === 1 ? undefined : known(found.truths),
        [{ score, classes }] = found.models,
        turned = said.pos_label === undefined && positive !== undefined && score && classes[1] !== positive;
      return turned ? readPredictions(table, model, { ...said, pos_label: positive }) : found;
    } catch (error) {
      const positive = error.key === "positive not said" ? known(error.values.labels) : undefined;
      if (positive === undefined) throw error;
      return readPredictions(table, model, { ...said, pos_label: positive });
    }
  }

  function guess(table, said) {
    try {
      return guessColumns(table.names, said);
    } catch {
      return { truth: said.truth ?? null, scores: [], model: said.model ?? null };
    }
  }

  // `key` is that of a refusal, `labels` are those among which the positive class can be chosen.
  function chooser(table, columns, said, { key, labels = [], positive = "" }, change) {
    const names = [["", "none"], ...table.names.map((name) => [name, shorten(name, 30)])],
      asked = (label, name, options, chosen, onChoose) =>
        choice(label, options, chosen, onChoose, { "data-column": name }),
      column = (label, name, chosen) =>
        asked(label, name, names, chosen ?? "", (one) => change({ [name]: one === "" ? null : one })),
      classes = labels.map((label) => [label, shorten(label, 30)]),
      open = positive === "" ? [["", "choose …"], ...classes] : classes,
      chosen = (one) => change({ pos_label: one === "" ? undefined : one }),
      dropped = said.drop_missing ? "drop" : "",
      drop = (one) => change({ drop_missing: one === "drop" });
    return block(
      "choices",
      column("truth", "truth", columns.truth),
      column("score", "score", columns.scores[0]),
      column("model", "model", columns.model),
      column("group", "groups", columns.groups),
      column("weight", "weight", columns.weight),
      labels.length >= 2 && labels.length <= 50 ? asked("positive class", "positive", open, positive, chosen) : null,
      columns.sets || columns.members?.length
        ? asked("empty sets", "empty", EMPTY, said.empty ?? "error", (empty) => change({ empty }))
        : null,
      key === "missing truth" || said.drop_missing
        ? asked("rows without truth", "drop_missing", UNLABELLED, dropped, drop)
        : null,
    );
  }

  function describe(place, name, { rows, notes, models }, problems, took, choices) {
    const kinds = problems.map(({ kind, classes }) =>
      kind === "binary" ? "scores of two classes" : `answers over ${classes.length} classes`,
    );
    fill(
      place, "notice", name,
      `: ${count(rows)} rows read and analysed in ${Math.round(took)} ms as ${kinds.join(" and ")}. `,
      [...notes, ...perCentNotes(models)].map((words) => paragraph("note", `Note: ${words}.`)),
      "Columns were guessed by name:",
      choices,
    );
  }

  function refuse(place, name, error, choices = null) {
    if (!(error instanceof Refusal)) console.warn(error);
    const words = error instanceof Refusal ? error.message : `It could not be read (${error.message}).`;
    fill(place, "notice error", name, `: ${words}`, choices);
  }

  function fill(place, kind, name, ...words) {
    place.className = kind;
    place.replaceChildren(
      el("div", {}, strong(shorten(name, 60)), words),
      button({ "aria-label": "Close this message", onclick: () => place.remove() }, "×"),
    );
  }

  let depth = 0;
  const hover = (change) => {
    depth += change;
    document.body.classList.toggle("dropping", depth > 0);
  };
  addEventListener("dragenter", (event) => {
    event.preventDefault();
    hover(1);
  });
  addEventListener("dragleave", () => hover(-1));
  addEventListener("dragover", (event) => event.preventDefault());
  addEventListener("drop", (event) => {
    event.preventDefault();
    hover(-depth);
    take(event.dataTransfer.files);
  });
  return el("label", { class: "file" }, "Add predictions", input);
}
