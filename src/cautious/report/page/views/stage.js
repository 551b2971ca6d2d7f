// Which cards are drawn when: those in sight at once, the others when the hand rests.
import { block, el } from "../charts/dom.js";

const REST = 120;

export function stageOf(cards) {
  let known = new Map(), jobs = new Map(), timer = 0, speaking = 0;
  const seen = new Set();
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
  const look = (entries) => {
    for (const { target, isIntersecting } of entries) {
      seen[isIntersecting ? "add" : "delete"](target);
      if (isIntersecting) run(target);
    }
  };
  const watcher = new IntersectionObserver(look, { rootMargin: "80px" });
  Object.values(cards).forEach(({ node }) => watcher.observe(node));
  // What the advice says is spoken when the hand rests.
  const live = el("p", { class: "hidden", role: "status", "aria-live": "polite", "data-key": "live" });
  return {
    live,
    // `drawings` are functions of the context by card, in the order in which a reader misses them; the first card
    // is always in sight of the reader's mind, and some may be folded away.
    draw(context, drawings, folded = []) {
      const shown = Object.keys(drawings).filter((key) => cards[key] && !folded.includes(cards[key]));
      clearTimeout(timer);
      known = new Map(shown.map((key) => [cards[key].node, () => drawings[key](context)]));
      jobs = new Map(known);
      [...known.keys()].forEach((node, i) => (i === 0 || seen.has(node)) && run(node));
      settled();
      timer = setTimeout(rest, REST);
      clearTimeout(speaking);
      speaking = setTimeout(() => (live.textContent = plainText(cards.advice.body.querySelectorAll("p"))), 600);
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
      clearTimeout(speaking);
      watcher.disconnect();
      jobs.clear();
    },
  };
}

export const plainText = (nodes) => Array.from(nodes, (node) => node.textContent).join(" ");

// Whoever works by keyboard stays where they are when the card they are in is drawn anew.
function keepFocus(home, draw) {
  const controls = () => [...home.querySelectorAll("button, select, svg[tabindex], svg [tabindex]")],
    active = document.activeElement,
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
    block("cards", cards.map((each) => each.node)),
  );
  return { node, isOpen: () => node.open };
}
