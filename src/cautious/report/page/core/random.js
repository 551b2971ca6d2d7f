// Chance with a fixed seed: the same cases show the same intervals every time.

// numpy's default_rng(0): the page divides cases as the library does, so both say the same of them. A
// step multiplies 128 bits (O'Neill's PCG64, XSL-RR), and each of its 64 bits serves as two numbers.
const PCG_MULTIPLIER = 0x2360ed051fc65da44385df649fccf645n,
  // State and increment.
  SEEDED = [35399562948360463058890781895381311971n, 87136372517582989555478159403783844777n],
  // The same of the generator that `tune` draws by for a promise: default_rng(1826701615).
  PROMISES = [260821685044726180785819478482400550976n, 198807772702741437593503822201298411019n],
  BITS_64 = (1n << 64n) - 1n,
  BITS_128 = (1n << 128n) - 1n;

export const promiseGenerator = () => libraryGenerator(PROMISES);

export function libraryGenerator(seeded = SEEDED) {
  let [state, increment] = seeded, kept = -1;
  const next = () => {
    if (kept >= 0) {
      const half = kept;
      kept = -1;
      return half;
    }
    state = (state * PCG_MULTIPLIER + increment) & BITS_128;
    const word = ((state >> 64n) ^ state) & BITS_64,
      turn = state >> 122n,
      bits = ((word >> turn) | (word << (64n - turn))) & BITS_64;
    kept = Number(bits >> 32n);
    return Number(bits & 0xffffffffn);
  };
  // A whole number below n, by Lemire's multiplication.
  const under = (n) => {
    const threshold = 2 ** 32 % n;
    let product = next() * n;
    while (product % 2 ** 32 < threshold) product = next() * n;
    return Math.floor(product / 2 ** 32);
  };
  return {
    under,
    share: () => next() / 2 ** 32,
    // So many of the numbers below n, as numpy's `choice` without replacement (Floyd's method).
    some(n, many) {
      const taken = new Set();
      for (let last = n - many; last < n; last++) {
        const one = under(last + 1);
        taken.add(taken.has(one) ? last : one);
      }
      return taken;
    },
    permuted(values) {
      const order = Array.from(values);
      for (let i = order.length - 1; i > 0; i--) {
        // As many bits as i has, until they are no more than i.
        const mask = 2 ** (32 - Math.clz32(i)) - 1;
        let j = next() & mask;
        while (j > i) j = next() & mask;
        [order[i], order[j]] = [order[j], order[i]];
      }
      return order;
    },
  };
}

// Exact by inversion while the mean is small, and a rounded normal where no eye could tell.
export function binomial(random, n, p) {
  if (n <= 0 || p <= 0) return 0;
  if (p >= 1) return n;
  if (p > 0.5) return n - binomial(random, n, 1 - p);
  if (n * p > 40) {
    const radius = Math.sqrt(-2 * Math.log(1 - random.share()));
    const normal = radius * Math.cos(2 * Math.PI * random.share());
    return Math.min(n, Math.max(0, Math.round(n * p + normal * Math.sqrt(n * p * (1 - p)))));
  }
  const odds = p / (1 - p);
  let chance = (1 - p) ** n, left = random.share(), k = 0;
  while (left > chance && k < n) {
    left -= chance;
    k++;
    chance *= (odds * (n - k + 1)) / k;
  }
  return k;
}
