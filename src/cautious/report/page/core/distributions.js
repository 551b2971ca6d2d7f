// Probabilities that intervals and promises are made of: normal, Student's t, beta and binomial, to
// about twelve digits.

// The confidence of all intervals and promises.
export const LEVEL = 0.95;

const LANCZOS = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
  12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
];

function logGamma(x) {
  if (x < 0.5) return Math.log(Math.PI / Math.sin(Math.PI * x)) - logGamma(1 - x);
  const y = x - 1, t = y + 7.5;
  let series = LANCZOS[0];
  for (let i = 1; i < 9; i++) series += LANCZOS[i] / (y + i);
  return 0.5 * Math.log(2 * Math.PI) + (y + 0.5) * Math.log(t) - t + Math.log(series);
}

// The regularised incomplete beta function, by Lentz's continued fraction.
function betaShare(x, a, b) {
  if (!(x > 0)) return 0;
  if (x >= 1) return 1;
  if (x > (a + 1) / (a + b + 2)) return 1 - betaShare(1 - x, b, a);
  const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x)) / a;
  const whole = (value) => (Math.abs(value) < 1e-300 ? 1e-300 : value);
  let c = 1, d = 1 / whole(1 - ((a + b) * x) / (a + 1)), fraction = d;
  for (let m = 1; m < 10_000; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / whole(1 + even * d);
    c = whole(1 + even / c);
    fraction *= d * c;
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / whole(1 + odd * d);
    c = whole(1 + odd / c);
    fraction *= d * c;
    if (Math.abs(d * c - 1) < 1e-15) break;
  }
  return front * fraction;
}

// P(Bin(n, p) <= k).
export const binomialShare = (k, n, p) => (k < 0 ? 0 : k >= n ? 1 : betaShare(1 - p, n - k, k + 1));

// Student's t: P(T <= t).
function studentShare(t, df) {
  const tail = betaShare(df / (df + t * t), df / 2, 0.5) / 2;
  return t < 0 ? tail : 1 - tail;
}

// The same few quantiles are asked for again and again.
const quantiles = new Map();

function quantileOf(key, share, below) {
  if (quantiles.size > 5000) quantiles.clear();
  if (!quantiles.has(key)) {
    let high = 1;
    while (below(high) < share && high < 1e300) high *= 2;
    for (let low = -high, middle = 0; middle > low && middle < high; middle = (low + high) / 2)
      if (below(middle) < share) low = middle;
      else high = middle;
    quantiles.set(key, high);
  }
  return quantiles.get(key);
}

export const normalQuantile = (share) => quantileOf(`${share}`, share, normalShare);
export const studentQuantile = (share, df) =>
  df > 0 ? quantileOf(`${share} ${df}`, share, (t) => studentShare(t, df)) : NaN;

// P(Z <= z).
export const normalShare = (z) => (z < 0 ? normalTail(-z) : 1 - normalTail(z));

// P(Z > z) for z >= 0: a series near zero, a continued fraction in the tail.
function normalTail(z) {
  const density = Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI);
  if (z < 3) {
    let term = z, series = z;
    for (let k = 1; k < 200 && term > 1e-17 * series; k++) {
      term *= (z * z) / (2 * k + 1);
      series += term;
    }
    return 0.5 - density * series;
  }
  let fraction = z;
  for (let k = 100; k > 0; k--) fraction = z + k / fraction;
  return density / fraction;
}

// Wilson's interval of a share seen in n cases; shares of nothing are not known.
export function wilson(share, n) {
  if (!(n > 0)) return { value: NaN, low: NaN, high: NaN };
  const z = normalQuantile((1 + LEVEL) / 2),
    scale = 1 + (z * z) / n,
    centre = (share + (z * z) / (2 * n)) / scale,
    half = (z * Math.sqrt((share * (1 - share)) / n + (z * z) / (4 * n * n))) / scale;
  return { value: share, low: Math.max(0, centre - half), high: Math.min(1, centre + half) };
}
