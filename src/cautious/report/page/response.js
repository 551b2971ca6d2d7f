// The response of a model to being allowed more and more silence: the bins dearest to answer are
// given up first, which is the order in which optimal windows open as abstaining gets cheaper.

export function responseCurve(surface, { fn, fp }) {
  const { pos, neg } = surface;
  const order = Array.from(pos.keys());
  const dear = pos.map((p, e) => Math.min(fn * p, fp * neg[e]) / (p + neg[e]));
  order.sort((a, b) => dear[a] - dear[b]);
  // From all silent (abstention 1) to all answered, so that small numbers are added first.
  let answered = 0,
    error = 0,
    cost = 0;
  const points = [{ abstention: 1, error: 0, selective: NaN, cost: 0 }];
  for (const e of order) {
    const negative = fn * pos[e] < fp * neg[e];
    answered += pos[e] + neg[e];
    error += negative ? pos[e] : neg[e];
    cost += negative ? fn * pos[e] : fp * neg[e];
    points.push({ abstention: 1 - answered, error, selective: error / answered, cost });
  }
  // Answering a random part of the surest bin errs as often as answering all of it.
  points[0].selective = points[1].selective;
  return points;
}
