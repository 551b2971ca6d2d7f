// Further prediction files, dropped onto the page or chosen: read, guessed, and shown at once.
import { analyse } from "./analyse.js";
import { FileProblem, guessColumns } from "./columns.js";
import { parseCsv } from "./csv.js";
import { choice, el } from "./dom.js";
import { count, shorten } from "./format.js";
import { parseParquet } from "./parquet.js";

async function readTable(file) {
  const buffer = await file.arrayBuffer();
  if (!buffer.byteLength) throw new FileProblem("The file is empty.");
  const magic = new TextDecoder("latin1").decode(buffer.slice(0, 4));
  if (magic === "PAR1" || /\.parquet$/i.test(file.name)) return parseParquet(buffer);
  return parseCsv(new TextDecoder().decode(buffer));
}

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
      const table = await readTable(file);
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
        describe(place, name, table, columns, added, took, (change) => {
          positive = change.positive ?? positive;
          Object.assign(columns, change.columns);
          again(performance.now());
        });
        place.dataset.took = String(took);
      } catch (error) {
        refuse(
          place,
          name,
          error,
          chooser(table, columns, null, (change) => {
            Object.assign(columns, change.columns);
            again(performance.now());
          }),
        );
      }
    };
    again(start);
  }

  // Classes the page knows already keep their parts.
  function knownPositive(table, columns) {
    if (columns.truth === null || columns.proba.length === 1) return undefined;
    const labels = table.columns[columns.truth].labels().values;
    return app.problems.find(
      ({ kind, classes }) =>
        kind === "binary" && labels.length === 2 && classes.every((label) => labels.includes(label)),
    )?.classes[1];
  }

  function chooser(table, columns, problem, change) {
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
    const labels = problem?.kind === "binary" ? table.columns[columns.truth].labels().values : [];
    return el(
      "div",
      { class: "choices" },
      column("truth", "truth"),
      column("score", "score"),
      column("model", "model"),
      labels.length >= 2 && labels.length <= 50
        ? choice(
            "positive class",
            labels.map((label) => [label, shorten(label, 30)]),
            problem.classes[1],
            (positive) => change({ positive }),
            { "data-column": "positive" },
          )
        : null,
    );
  }

  function describe(place, name, table, columns, problem, took, change) {
    const kind =
      problem.kind === "binary" ? "scores of two classes" : `answers over ${problem.classes.length} classes`;
    place.className = "notice";
    place.replaceChildren(
      el(
        "div",
        {},
        el("strong", {}, shorten(name, 60)),
        `: ${count(table.rows)} rows read and analysed in ${Math.round(took)} ms as ${kind}. Columns were guessed by name:`,
        chooser(table, columns, problem, change),
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
