// Decimal numbers straight from bytes, correctly rounded: without a string for each.
// Digits that fit a float exactly need one division. Of more digits the quotient is found with its
// error, twice as precisely as a float can hold; where even that leaves the last bit open, the answer
// is NaN, as for anything that is no plain decimal: the slow way decides.

export const QUOTE = 34;
const MINUS = 45,
  PLUS = 43,
  DOT = 46,
  ZERO = 48,
  NINE = 57,
  EXPONENT = 101; // or a capital
const POWERS = Array.from({ length: 23 }, (_, i) => Number(`1e${i}`)); // all exact
const MOST_MORE = 15;
const HALVES = 2 ** 27 + 1;

// The number in the field that starts at `at`; `isEnd` has a 1 for each byte that ends a field.
export function decimalAt(bytes, at, isEnd) {
  const length = bytes.length,
    isQuoted = bytes[at] === QUOTE;
  if (isQuoted) at++;
  const isNegative = bytes[at] === MINUS;
  if (isNegative) at++;
  let head = 0, // the first digits, and those that no longer fit
    tail = 0,
    more = 0,
    fraction = 0,
    digits = 0,
    dot = 0,
    code = 0;
  for (; at < length; at++) {
    code = bytes[at];
    if (code >= ZERO && code <= NINE) {
      if (head < 9e14) head = head * 10 + (code - ZERO);
      else {
        tail = tail * 10 + (code - ZERO);
        more++;
      }
      digits++;
      fraction += dot;
    } else if (code === DOT && !dot) dot = 1;
    else break;
  }
  if (at < length && (code | 32) === EXPONENT) {
    const sign = bytes[at + 1],
      first = sign === MINUS || sign === PLUS ? at + 2 : at + 1;
    let power = 0;
    for (at = first; at < length && at < first + 4; at++) {
      code = bytes[at];
      if (code < ZERO || code > NINE) break;
      power = power * 10 + (code - ZERO);
    }
    if (at === first) return NaN;
    fraction += sign === MINUS ? power : -power;
  }
  if (isQuoted && bytes[at++] !== QUOTE) return NaN;
  if (!digits || (at < length && !isEnd[bytes[at]])) return NaN;
  if (more > MOST_MORE || fraction < 0 || fraction >= POWERS.length) return NaN;
  const value = more ? quotient(head, POWERS[more], tail, POWERS[fraction]) : head / POWERS[fraction];
  return isNegative ? -value : value;
}

// (head · shift + tail) / divisor.
function quotient(head, shift, tail, divisor) {
  const product = head * shift,
    whole = product + tail,
    added = whole - product,
    rest = lost(head, shift, product) + (product - (whole - added) + (tail - added));
  const first = whole / divisor,
    back = first * divisor,
    second = (whole - back - lost(first, divisor, back) + rest) / divisor,
    doubt = first * 2 ** -100;
  return first + (second - doubt) === first + (second + doubt) ? first + second : NaN;
}

// What rounding took from a product (Dekker).
function lost(a, b, product) {
  const [x, y] = [a * HALVES, b * HALVES],
    a1 = x - (x - a),
    b1 = y - (y - b),
    a2 = a - a1,
    b2 = b - b1;
  return a1 * b1 - product + a1 * b2 + a2 * b1 + a2 * b2;
}
