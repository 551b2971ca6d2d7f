// Which cards are drawn when: those in sight at once, the others when the hand rests.
import { el } from "../charts/dom.js";

const REST = 120;

export function stageOf() {
  let known = new Map(),
    jobs = new Map(),
    timer = 0;
  const seen = new Set();
  const watcher = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        if (isIntersecting) {
          seen.add(target);
          run(target);
        } else seen.delete(target);
      }
    },
    { rootMargin: "80px" },
  );
  const run = (node) => {
    const job = jobs.get(node);
    if (!job) return;
    jobs.delete(node);
    keepFocus(node, job);
    settled();
  };
  const settled = () => {
    document.documentElement.dataset.settled = String(jobs.size === 0);
  };
  // One card after the other, so that a new move never waits for more than one.
  const rest = () => {
    const next = jobs.keys().next();
    if (next.done) return;
    run(next.value);
    timer = setTimeout(rest, 0);
  };
  return {
    watch: (cards) => cards.forEach(({ node }) => watcher.observe(node)),
    // `drawings` are [card, function]; the first is always in sight of the reader's mind.
    draw(drawings) {
      clearTimeout(timer);
      known = new Map(drawings.map(([card, job]) => [card.node, job]));
      jobs = new Map(known);
      drawings.forEach(([{ node }], i) => {
        if (i === 0 || seen.has(node)) run(node);
      });
      settled();
      timer = setTimeout(rest, REST);
    },
    // Draw a single card once more: something it shows has been found meanwhile.
    again({ node }) {
      jobs.set(node, known.get(node));
      if (seen.has(node)) run(node);
      else timer = setTimeout(rest, REST);
    },
    finish() {
      clearTimeout(timer);
      for (const node of [...jobs.keys()]) run(node);
    },
    // Another view takes the place of these cards: nothing is drawn on them any more.
    leave() {
      clearTimeout(timer);
      watcher.disconnect();
      jobs.clear();
    },
  };
}

// Whoever works by keyboard stays where they are when the card they are in is drawn anew.
function keepFocus(home, draw) {
  const controls = () => [...home.querySelectorAll("button, select, svg[tabindex], svg [tabindex]")];
  const active = document.activeElement,
    place = home.contains(active) ? controls().indexOf(active) : -1;
  draw();
  if (place >= 0 && !active.isConnected) controls()[place]?.focus({ preventScroll: true });
}

// A fold whose cards are drawn only while it is open.
export function fold(title, words, cards, onOpen) {
  const node = el(
    "details",
    { class: "fold", "data-fold": "experts", ontoggle: () => node.open && onOpen() },
    el("summary", {}, el("span", { class: "fold-title" }, title), el("span", { class: "fold-words" }, words)),
    el(
      "div",
      { class: "cards" },
      cards.map(({ node: n }) => n),
    ),
  );
  return { node, isOpen: () => node.open };
}
