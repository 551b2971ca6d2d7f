// Chance with a fixed seed: the same cases show the same intervals every time.

export function generator(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

export const below = (random, n) => Math.floor(random() * n);

export function shuffled(random, values) {
  const order = Array.from(values);
  for (let i = order.length - 1; i > 0; i--) {
    const j = below(random, i + 1);
    [order[i], order[j]] = [order[j], order[i]];
  }
  return order;
}

// Exact by inversion while the mean is small, and a rounded normal where no eye could tell.
export function binomial(random, n, p) {
  if (n <= 0 || p <= 0) return 0;
  if (p >= 1) return n;
  if (p > 0.5) return n - binomial(random, n, 1 - p);
  if (n * p > 40) {
    const radius = Math.sqrt(-2 * Math.log(1 - random()));
    const normal = radius * Math.cos(2 * Math.PI * random());
    return Math.min(n, Math.max(0, Math.round(n * p + normal * Math.sqrt(n * p * (1 - p)))));
  }
  const odds = p / (1 - p);
  let chance = (1 - p) ** n,
    left = random(),
    k = 0;
  while (left > chance && k < n) {
    left -= chance;
    k++;
    chance *= (odds * (n - k + 1)) / k;
  }
  return k;
}
