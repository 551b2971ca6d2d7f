// The page's arithmetic without a browser. Each line of the standard input is a request,
// {"body": "text of a function of given", "given": …}, and is answered by a line on the standard output,
// {"found": what the function returns} or {"error": words}. All exports of the core, and of what reads
// files, are in scope as `core`; numbers that JSON does not know come as text.
import { readdirSync } from "node:fs";
import { createInterface } from "node:readline";

const core = {};
for (const part of ["core", "files"]) {
  const folder = new URL(`../../src/cautious/report/page/${part}/`, import.meta.url);
  for (const file of readdirSync(folder).filter((name) => name.endsWith(".js")))
    Object.assign(core, await import(new URL(file, folder)));
}
core.useLimits(JSON.parse(process.argv[2]));

const plain = (key, value) =>
  ArrayBuffer.isView(value)
    ? Array.from(value)
    : typeof value === "number" && !Number.isFinite(value)
      ? String(value)
      : value;

for await (const line of createInterface({ input: process.stdin })) {
  const { body, given } = JSON.parse(line);
  let answer;
  try {
    answer = { found: new Function("core", "given", body)(core, given) ?? null };
  } catch (error) {
    answer = { error: String(error.stack) };
  }
  process.stdout.write(`${JSON.stringify(answer, plain)}\n`);
}
