// The parser of written prediction sets, rule by rule that of cautious.sets.parse_set.
import { SPACE, isLonger, limit, quoted, refusal, strip, withoutSpaces, words } from "./rules.js";

const PART = new RegExp(
  `[${SPACE}]*(?:"((?:[^"\\\\]|\\\\.)*)"[${SPACE}]*|'((?:[^'\\\\]|\\\\.)*)'[${SPACE}]*|([^,'"${SPACE}][^,]*)?)(,|$)`,
  "suy",
);
const ESCAPED = { n: "\n", t: "\t", r: "\r" };

// {labels, repeated}: the labels as they are written, each once; null for all classes. `known` holds
// the texts of known classes.
export function parseSet(written, known) {
  if (known.has(written)) return { labels: [written], repeated: false };
  let text = strip(written);
  if (known.has(text)) return { labels: [text], repeated: false };
  if (words("empty_set").includes(withoutSpaces(text))) return { labels: [], repeated: false };
  if (words("abstain").includes(text.toLowerCase())) return { labels: null, repeated: false };
  if (words("brackets").includes(text.at(0) + text.at(-1))) {
    const { members, isQuoted } = inside(text.slice(1, -1), text);
    if (members.length > 1 || isQuoted || known.has(members[0])) return ofMembers(members, text);
    [text] = members;
  }
  if (text.includes("|")) return ofMembers(text.split("|").map(strip), text);
  const marks = words("other_marks").replace(/[\\\]^-]/g, "\\$&");
  const parts = text.split(new RegExp(`[${marks}${SPACE}]+`, "u")).filter(Boolean);
  if (parts.length > 1 || (parts.length && parts[0] !== text))
    throw refusal("set marks", { value: quoted(written), better: quoted(parts.join("|")) });
  return ofMembers([text], written);
}

function inside(text, whole) {
  if (text.includes("|") && !/[,'"]/.test(text)) return { members: [strip(text)], isQuoted: false };
  const members = [];
  let isQuoted = false;
  for (let at = 0, mark = ","; mark; ) {
    PART.lastIndex = at;
    const found = PART.exec(text);
    if (!found) throw refusal("set quotation", { value: quoted(whole) });
    const between = found[1] ?? found[2];
    isQuoted = between !== undefined;
    members.push(isQuoted ? unescaped(between) : strip(found[3] ?? ""));
    mark = found[4];
    at = PART.lastIndex;
    if (mark && whole.startsWith("(") && !strip(text.slice(at))) break; // a tuple of one: ('a',)
  }
  return { members, isQuoted };
}

const unescaped = (text) =>
  text.replace(/\\(u[0-9a-fA-F]{4}|.)/gsu, (_, mark) =>
    mark.length > 1 ? String.fromCharCode(parseInt(mark.slice(1), 16)) : (ESCAPED[mark] ?? mark),
  );

function ofMembers(members, written) {
  if (members.length > limit("set")) throw refusal("set long", { value: quoted(written), beyond: "set" });
  for (const member of members) {
    if (!strip(member)) throw refusal("set label missing", { value: quoted(written) });
    if (isLonger(member, limit("label"))) throw refusal("long label", { value: quoted(member), beyond: "label" });
  }
  const labels = [...new Set(members)];
  return { labels, repeated: labels.length < members.length };
}
