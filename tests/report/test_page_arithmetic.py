"""The page's own arithmetic against the library's, on many small cases at once."""

from __future__ import annotations

import numpy as np
import pytest
from tests.report.core import ask_core

from cautious._messages import page_rules
from cautious.curves import AbstentionCostSurface, Staircase
from cautious.report._page_data import summarise_scores


def cases(n=120):
    rng = np.random.default_rng(7)
    for _ in range(n):
        size = int(rng.integers(2, 30))
        scores = np.sort(rng.choice(np.round(rng.normal(size=60), 2), size))
        scores = np.unique(scores if len(scores) % 2 else np.round(1 / (1 + np.exp(scores)), 3))
        counts = rng.integers(0, 4, size=(2, len(scores)))
        counts[0, 0] += 1
        counts[1, -1] += 1
        yield scores, counts[0].astype(float), counts[1].astype(float)


def test_summaries_and_windows():
    stairs = [Staircase(*case) for case in cases()]
    rng = np.random.default_rng(8)
    costs = rng.choice([0.1, 0.25, 0.5, 1, 2, 3, 7], size=(len(stairs), 3)).tolist()
    priors = rng.choice([None, 0.2, 0.5], size=len(stairs)).tolist()
    given = [
        [s.scores.tolist(), s.positives.tolist(), s.negatives.tolist(), c, prior]
        for s, c, prior in zip(stairs, costs, priors, strict=True)
    ]
    found = ask_core(
        """return given.map(([scores, positives, negatives, c, prior]) => {
            const model = core.summariseStaircase({ scores, positives, negatives });
            const [false_negative, false_positive, abstain] = c;
            const costs = core.costsOf({ false_negative, false_positive, abstain });
            const window = core.bestWindow(core.makeSurface(model, prior), costs);
            return { model, window };
        });""",
        given,
    )
    for staircase, c, prior, page_says in zip(stairs, costs, priors, found, strict=True):
        summary = summarise_scores(staircase)
        model, window = page_says["model"], page_says["window"]
        for key in ("positives", "negatives", "lower"):
            assert model[key] == summary[key].tolist()
        assert summary["upper"] is None or model["upper"] == summary["upper"].tolist()
        assert model["histogram"]["positives"] == summary["histogram"]["positives"].tolist()
        assert (model["risk"] is None) == (summary["risk"] is None)
        if summary["risk"] is not None:
            assert model["risk"]["aurc"] == pytest.approx(summary["risk"]["aurc"], abs=1e-12)
            assert model["risk"]["augrc"] == pytest.approx(summary["risk"]["augrc"], abs=1e-12)
            assert model["risk"]["covered"] == pytest.approx(summary["risk"]["covered"].tolist())
            for one, two in zip(model["calibration"], summary["calibration"], strict=True):
                assert one == pytest.approx(two, abs=1e-12)
        priors_given = None if prior is None else (1 - prior, prior)
        best = AbstentionCostSurface(staircase, priors=priors_given).for_costs(
            {"false_negative": c[0], "false_positive": c[1], "abstain": c[2]}
        )
        assert window["cost"] == pytest.approx(best.cost, abs=1e-12)
        assert (float(window["lower"]), float(window["upper"])) == (best.lower, best.upper)


def test_reversed_scores_are_told_from_chance():
    """The page and the library draw the line at the same files, ties and all."""
    rng, stairs = np.random.default_rng(9), [Staircase([1, 2], [1, 0], [0, 1])]
    for shift in np.linspace(0, 1.2, 40):
        y = np.arange(160) % 4 == 0
        stairs.append(Staircase.from_predictions(y, (rng.normal(size=160) - shift * y).round(1)))
    given = [[s.scores.tolist(), s.positives.tolist(), s.negatives.tolist()] for s in stairs]
    found = ask_core(
        """return given.map(([scores, positives, negatives]) =>
            core.summariseStaircase({ scores, positives, negatives }).reversed);""",
        given,
    )
    assert found == [summarise_scores(one)["reversed"] for one in stairs]
    assert 5 < sum(found) < 36


def test_response_curve_is_the_lower_envelope():
    """At every abstention cost the optimal window lies on the curve."""
    scores, pos, neg = max(cases(), key=lambda case: len(case[0]))
    surface = AbstentionCostSurface(Staircase(scores, pos, neg))
    points = ask_core(
        """const [scores, positives, negatives] = given;
        const model = core.summariseStaircase({ scores, positives, negatives });
        return core.responseCurve(core.makeSurface(model, null), { fn: 2, fp: 1 })
            .map(p => [p.abstention, p.error]);""",
        [scores.tolist(), pos.tolist(), neg.tolist()],
    )
    for abstain in np.linspace(0.01, 0.66, 25):
        best = surface.for_costs({"false_negative": 2, "false_positive": 1, "abstain": abstain})
        gaps = [abs(a - best.abstention) + abs(e - best.error) for a, e in points]
        assert min(gaps) < 1e-12


def test_numbers_in_csv_are_read_to_the_last_bit():
    rng = np.random.default_rng(10)
    values = [*rng.random(300).tolist(), *(rng.normal(size=100) * 1e-7).tolist(), 1e22, 123456789.0]
    text = "y_true,score\n" + "\n".join(f"{i % 2},{v!r}" for i, v in enumerate(values))
    found = ask_core(
        """core.useRules(given[0]);
        return core.parseCsv(given[1]).cells().numbers(1).values;""",
        [page_rules(), text],
    )
    assert found == values
