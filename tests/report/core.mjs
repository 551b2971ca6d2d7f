// The page's arithmetic without a browser: {"body": "text of a function of given", "given": …} on the
// standard input, what the function returns on the standard output. All exports of the core, and of what
// reads files, are in scope as `core`; numbers that JSON does not know come as text.
import { readdirSync, readFileSync } from "node:fs";

const core = {};
for (const part of ["core", "files"]) {
  const folder = new URL(`../../src/cautious/report/page/${part}/`, import.meta.url);
  for (const file of readdirSync(folder).filter((name) => name.endsWith(".js")))
    Object.assign(core, await import(new URL(file, folder)));
}

const { body, given } = JSON.parse(readFileSync(0, "utf8"));
const plain = (key, value) =>
  ArrayBuffer.isView(value)
    ? Array.from(value)
    : typeof value === "number" && !Number.isFinite(value)
      ? String(value)
      : value;
const found = new Function("core", "given", body)(core, given);
process.stdout.write(JSON.stringify(found ?? null, plain));
