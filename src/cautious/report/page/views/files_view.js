// Further prediction files, dropped onto the page or chosen: read, guessed, and shown at once.
import { choice, el } from "../charts/dom.js";
import { count, shorten } from "../charts/format.js";
import { analyse } from "../files/analyse.js";
import { FileProblem, guessColumns } from "../files/columns.js";
import { plainLabel, PositiveUnknown } from "../files/labels.js";
import { readTable } from "../files/table.js";

export function filesView(app) {
  const notices = document.getElementById("notices");
  const input = el("input", {
    type: "file",
    multiple: true,
    accept: ".csv,.tsv,.txt,.parquet",
    class: "hidden",
    id: "file-input",
    onchange: async () => {
      await take(input.files);
      input.value = "";
    },
  });
  const node = el("label", { class: "file" }, "Add predictions", input);
  const take = async (files) => {
    for (const file of files) await addFile(file);
  };

  async function addFile(file) {
    const start = performance.now(),
      place = el("div", { class: "notice", "data-notice": "file" });
    notices.replaceChildren(place);
    try {
      const table = await readTable(await file.arrayBuffer(), file.name);
      const columns = guessColumns(table.names);
      open(place, file.name, table, columns, start);
    } catch (error) {
      refuse(place, file.name, error);
    }
  }

  // Analyse with the guess, and again whenever the reader corrects it.
  function open(place, name, table, columns, start) {
    const model = shorten(name.replace(/\.[^.]+$/, ""), 60);
    let positive,
      added = null;
    const again = (begin) => {
      try {
        const found = analyse(table, columns, model, positive ?? knownPositive(table, columns));
        if (added) app.remove(added);
        added = { ...found, models: [...found.models] };
        app.add(found);
        const took = performance.now() - begin;
        describe(place, name, table, columns, added, took, correct);
        place.dataset.took = String(took);
      } catch (error) {
        const asked = error instanceof PositiveUnknown ? error.labels : [];
        refuse(place, name, error, chooser(table, columns, asked, null, correct));
      }
    };
    const correct = (change) => {
      // A positive class belongs to the truths among which it was chosen.
      positive = change.columns && "truth" in change.columns ? undefined : (change.positive ?? positive);
      Object.assign(columns, change.columns);
      const key = document.activeElement.dataset.column;
      again(performance.now());
      place.querySelector(`[data-column="${key}"]`)?.focus();
    };
    again(start);
  }

  // Classes the page knows already keep their parts.
  function knownPositive(table, columns) {
    if (columns.truth === null || columns.proba.length === 1) return undefined;
    const labels = table.columns[columns.truth].labels().values;
    const meant = (wanted) => labels.find((label) => plainLabel(label) === plainLabel(wanted));
    const known = app.problems.find(
      ({ kind, classes }) =>
        kind === "binary" && labels.length === 2 && classes.every((label) => meant(label) !== undefined),
    );
    return known && meant(known.classes[1]);
  }

  // `labels` are those among which the positive class can be chosen.
  function chooser(table, columns, labels, positive, change) {
    const names = [["", "none"], ...table.names.map((name) => [name, shorten(name, 30)])];
    const column = (label, key) =>
      choice(
        label,
        names,
        columns[key] ?? "",
        (name) => {
          const chosen = { [key]: name === "" ? null : name };
          change({
            columns:
              key === "score" && name !== "" ? { ...chosen, proba: [], sets: null, members: [] } : chosen,
          });
        },
        { "data-column": key },
      );
    const classes = labels.map((label) => [label, shorten(label, 30)]);
    return el(
      "div",
      { class: "choices" },
      column("truth", "truth"),
      column("score", "score"),
      column("model", "model"),
      labels.length >= 2 && labels.length <= 50
        ? choice(
            "positive class",
            positive === null ? [["", "choose …"], ...classes] : classes,
            positive ?? "",
            (chosen) => change({ positive: chosen === "" ? undefined : chosen }),
            { "data-column": "positive" },
          )
        : null,
    );
  }

  function describe(place, name, table, columns, problem, took, change) {
    const kind =
      problem.kind === "binary" ? "scores of two classes" : `answers over ${problem.classes.length} classes`;
    const binary = problem.kind === "binary",
      labels = binary ? table.columns[columns.truth].labels().values : [];
    place.className = "notice";
    place.replaceChildren(
      el(
        "div",
        {},
        el("strong", {}, shorten(name, 60)),
        `: ${count(table.rows)} rows read and analysed in ${Math.round(took)} ms as ${kind}. Columns were guessed by name:`,
        chooser(table, columns, labels, binary ? problem.classes[1] : null, change),
      ),
      close(place),
    );
  }

  function refuse(place, name, error, choices = null) {
    if (!(error instanceof FileProblem)) console.warn(error);
    const words = error instanceof FileProblem ? error.message : `It could not be read (${error.message}).`;
    place.className = "notice error";
    place.replaceChildren(
      el("div", {}, el("strong", {}, shorten(name, 60)), `: ${words}`, choices),
      close(place),
    );
  }

  const close = (place) =>
    el("button", { type: "button", "aria-label": "Close this message", onclick: () => place.remove() }, "×");

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
  return { node };
}
