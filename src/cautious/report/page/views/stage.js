// Which cards are drawn when: those in sight at once, the others when the hand rests.
import { el } from "../charts/dom.js";

const REST = 120;

export function stageOf() {
  let jobs = new Map(),
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
    job();
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
      jobs = new Map(drawings.map(([card, job]) => [card.node, job]));
      drawings.forEach(([{ node }], i) => {
        if (i === 0 || seen.has(node)) run(node);
      });
      settled();
      timer = setTimeout(rest, REST);
    },
  };
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
