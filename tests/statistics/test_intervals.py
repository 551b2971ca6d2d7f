"""How often bootstrap intervals hold the truth."""

import numpy as np
import pytest
from scipy import stats
from tests.statistics.trials import runs

from cautious.curves import AbstentionCostSurface, AbstentionROC, ResponseCurve, RiskCoverageCurve
from cautious.curves._vacc import bin_volumes
from cautious.metrics import bootstrap_interval, cautious_report
from cautious.utility import crossover

SETS = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0], [0, 1, 1], [1, 1, 1]], dtype=bool)
CHANCE = np.array(  # of each set, given the truth
    [
        [0.45, 0.10, 0.05, 0.20, 0.10, 0.10],
        [0.10, 0.40, 0.10, 0.15, 0.15, 0.10],
        [0.05, 0.10, 0.45, 0.05, 0.15, 0.20],
    ]
)
SHARES = np.array([0.5, 0.3, 0.2])
# A score of 40 values and how likely an answer given with it is right: the truth has no error.
CONFIDENCE = np.linspace(0.34, 1, 40)
TRUTHS = np.repeat(np.arange(3), len(SETS))
EVERY_SET = np.tile(SETS, (3, 1))
EVERY_WEIGHT = (SHARES[:, None] * CHANCE).ravel()


def drawn(rng, n):
    """Truths, in fixed shares, and the numbers of their sets."""
    truth = np.repeat(np.arange(3), np.round(n * SHARES).astype(int))
    steps = CHANCE.cumsum(axis=1)[truth]
    return truth, np.minimum((rng.random(n)[:, None] > steps).sum(axis=1), len(SETS) - 1)


HOW = {"confidence_level": 0.9, "n_resamples": 300}
FEW = {"confidence_level": 0.9, "n_resamples": 60}
NINETY = {"promised": "90 %", "between": (0.87, 0.96)}


def holds(interval, truth):
    return bool(interval.low <= truth <= interval.high)


@pytest.mark.parametrize("trials", runs(15))
def test_every_number_of_the_report(trials, rng, ledger):
    truths = cautious_report(
        TRUTHS, EVERY_SET, classes=range(3), sample_weight=EVERY_WEIGHT, output_dict=True
    )["measures"]
    hits = {name: [] for name in truths}
    for _ in range(trials):
        y, which = drawn(rng, 400)
        given = {"classes": range(3), "random_state": rng, "output_dict": True}
        report = cautious_report(y, SETS[which], **given, **HOW)
        for name, (low, high) in report["intervals"].items():
            hits[name].append(low <= truths[name] + 1e-12 and truths[name] - 1e-12 <= high)
    assert len(hits) >= 12
    for name, found in hits.items():
        ledger.share(f"interval of {name}", "400 cases, class shares fixed", found, **NINETY)


RARE = {"false_negative": 10, "false_positive": 2, "abstain": 1}


@pytest.mark.parametrize("wrong", [0.0, 0.005, 0.02, 0.1])
@pytest.mark.parametrize("n", [60, 100, 400])
@pytest.mark.parametrize("trials", runs(6))
def test_measures_of_models_that_hardly_err(trials, n, wrong, rng, ledger):
    # One case of ten is abstained on; a third is positive.
    y = (np.arange(n) < n // 3).astype(int)
    share = y.mean()
    truths = {
        "error": wrong,
        "selective_accuracy": 1 - wrong / 0.9,
        "u65": 1 - wrong - 0.35 * 0.1,
        "set_cost": 0.1 + wrong * (10 * share + 2 * (1 - share)),
    }
    hits = {name: [] for name in truths}
    for _ in range(trials):
        luck = rng.random(n)
        sets = np.eye(2, dtype=bool)[np.where(luck < wrong, 1 - y, y)]
        sets[luck >= 0.9] = True
        for name, truth in truths.items():
            params = {"costs": RARE, "pos_label": 1} if name == "set_cost" else {}
            interval = bootstrap_interval(
                y, sets, measure=name, n_resamples=200, random_state=rng, **params
            )
            assert 0 <= interval.low <= interval.estimate <= interval.high
            hits[name].append(interval.low - 1e-12 <= truth <= interval.high + 1e-12)
    for name, found in hits.items():
        where = f"{n} cases, wrong in {wrong:.1%}, a tenth abstained on"
        claim = {"promised": "≥ 95 %", "between": (0.93, 1.0)}
        ledger.share(f"interval of {name}", where, found, **claim)


@pytest.mark.parametrize("stratify", [True, False])
@pytest.mark.parametrize("trials", runs(60))
def test_stratifying_takes_class_shares_for_fixed(trials, stratify, rng, ledger):
    # One class is mostly answered and the other mostly not, so coverage follows the class shares.
    hits = []
    for _ in range(trials):
        y = (rng.random(300) < 0.5).astype(int)
        answered = rng.random(300) < np.where(y == 1, 0.9, 0.2)
        sets = np.where(answered[:, None], np.eye(2, dtype=bool)[y], True)
        given = {"measure": "coverage", "random_state": rng, "stratify": stratify}
        interval = bootstrap_interval(y, sets, **given, **HOW)
        hits.append(holds(interval, 0.55))
    where = f"300 cases, class shares random, stratify={stratify}"
    claim = {"promised": "no promise", "between": (0.6, 0.87)} if stratify else NINETY
    ledger.share("interval of coverage", where, hits, **claim)


@pytest.mark.parametrize("measure", ["aurc", "augrc"])
@pytest.mark.parametrize("trials", runs(25))
def test_areas_under_risk_coverage_curves(trials, measure, rng, ledger):
    p = np.column_stack([CONFIDENCE, 1 - CONFIDENCE])
    twice = np.concatenate([p, p])
    chance = np.concatenate([CONFIDENCE, 1 - CONFIDENCE])
    answer = np.repeat([0, 1], len(p))
    truth = bootstrap_interval(
        answer, twice, measure=measure, sample_weight=chance, n_resamples=1, random_state=0
    ).estimate
    hits = []
    for _ in range(trials):
        which = rng.integers(len(p), size=300)
        y = (rng.random(300) > CONFIDENCE[which]).astype(int)
        given = {"measure": measure, "random_state": rng, "stratify": False}
        interval = bootstrap_interval(y, p[which], **given, **HOW)
        hits.append(holds(interval, truth))
    ledger.share(f"interval of {measure}", "300 cases, stratify=False", hits, **NINETY)


@pytest.mark.parametrize("measure", ["u65", "coverage", "selective_accuracy"])
@pytest.mark.parametrize("trials", runs(25))
def test_paired_differences(trials, measure, rng, ledger):
    # The second classifier turns the first one's answers into the full set now and then.
    def both(which, hesitates):
        return np.where(hesitates[:, None], True, SETS[which])

    # Repetitions in a thousand cases: shares of one would be warned of.
    weight = 1000 * np.concatenate([0.75 * EVERY_WEIGHT, 0.25 * EVERY_WEIGHT])
    number = np.tile(np.arange(len(SETS)), 6)
    hesitates = np.repeat([False, True], 18)
    sides = np.tile(TRUTHS, 2), both(number, hesitates), SETS[number]
    once = {"measure": measure, "sample_weight": weight, "n_resamples": 1, "random_state": 0}
    truth = bootstrap_interval(*sides, **once).estimate
    hits = []
    for _ in range(trials):
        y, which = drawn(rng, 300)
        careful = both(which, rng.random(len(y)) < 0.25)
        given = {"measure": measure, "classes": range(3), "random_state": rng}
        interval = bootstrap_interval(y, careful, SETS[which], **given, **HOW)
        hits.append(holds(interval, truth))
    title, where = f"interval of a difference of {measure}", "300 cases, class shares fixed"
    ledger.share(title, where, hits, "90 %", (0.86, 0.93))


@pytest.mark.parametrize("trials", runs(40))
def test_crossover_of_risk_aversion(trials, rng, ledger):
    # The bold one has x = 1 or 0; the cautious one gives up some of both for ½.
    chance = np.array([0.70, 0.30]), np.array([0.45, 0.40, 0.15])
    truth = 0.5 + (chance[1] @ [1, 0.5, 0] - 0.70) / (4 * (0 - 0.40 * 0.25))
    hits = []
    for _ in range(trials):
        bold = rng.choice([1.0, 0.0], 400, p=chance[0])
        cautious = rng.choice([1.0, 0.5, 0.0], 400, p=chance[1])
        found = crossover(bold, cautious, random_state=rng, **HOW)
        hits.append(holds(found.k, truth))
    ledger.share("interval of the crossover", "400 cases", hits, "90 %", (0.86, 0.93))


def shifted_normals(distance, *, step=0.0, positives=0.5):
    """VACC of the score x, normal about 0 or about `distance`, rounded to multiples of `step`."""
    x = np.linspace(-8, 8 + distance, 200_001)
    pos = positives * stats.norm.pdf(x - distance) * (x[1] - x[0])
    neg = (1 - positives) * stats.norm.pdf(x) * (x[1] - x[0])
    if step:
        place = np.round(x / step).astype(int)
        pos, neg = (np.bincount(place - place.min(), part) for part in (pos, neg))
    seen = pos + neg > 1e-200
    return float(bin_volumes(pos[seen], neg[seen]).sum())


# Cases, share of positives, distance of the classes, step that scores are rounded to. With hardly
# an error among the cases the interval is a bound on events that were not seen, and holds the truth
# more often than it says, as every exact bound does.
VACC_SETTINGS = [
    *((60, 0.5, d, 0.0) for d in (1.0, 2.0, 3.0, 4.0, 5.0)),
    *((100, 0.2, d, 0.0) for d in (1.0, 2.0, 3.0, 4.0, 5.0)),
    *((400, 0.5, d, 0.0) for d in (1.0, 2.0, 3.0, 4.0, 5.0)),
    *((400, 0.1, d, 0.0) for d in (2.0, 4.0)),
    *((1000, 0.5, d, 0.0) for d in (1.0, 3.0, 5.0)),
    *((1000, 0.05, d, 0.0) for d in (1.0, 3.0, 4.0, 5.0)),
    *((2000, 0.01, d, 0.0) for d in (2.0, 4.0)),
    (300, 0.5, 1.0, 0.5),
    (300, 0.2, 3.0, 0.5),
]


@pytest.mark.parametrize(("n", "positives", "distance", "step"), VACC_SETTINGS)
@pytest.mark.parametrize("trials", runs(25))
def test_vacc(trials, n, positives, distance, step, rng, ledger):
    truth = shifted_normals(distance, step=step, positives=positives)
    y = np.arange(n) < round(n * positives)
    hits = []
    for _ in range(trials):
        score = distance * y + rng.normal(size=n)
        score = np.round(score / step) if step else score
        surface = AbstentionCostSurface.from_predictions(y, score)
        interval = surface.vacc_interval(random_state=rng, **FEW)
        assert interval.high > interval.low
        hits.append(holds(interval, truth))
    scores = f"scores rounded to {step}" if step else "continuous scores"
    where = f"{n} cases, {positives:.0%} positive, classes {distance:g} apart, {scores}"
    ledger.share("interval of VACC", where, hits, "90 %", (0.87, 0.97))


@pytest.mark.parametrize("trials", runs(15))
def test_vacc_of_skewed_scores(trials, rng, ledger):
    # Exponential within each class, the positives' mean 12 times that of the negatives.
    x = np.concatenate([np.linspace(0, 40, 400_001), np.linspace(40, 400, 100_001)[1:]])
    width = np.gradient(x)
    pos, neg = 0.3 * np.exp(-x / 12) / 12 * width, 0.7 * np.exp(-x) * width
    truth = float(bin_volumes(pos, neg).sum())
    y = np.arange(200) < 60
    hits = []
    for _ in range(trials):
        score = rng.exponential(np.where(y, 12.0, 1.0))
        surface = AbstentionCostSurface.from_predictions(y, score)
        interval = surface.vacc_interval(random_state=rng, **FEW)
        hits.append(holds(interval, truth))
    where = "200 cases, 30% positive, exponential scores"
    ledger.share("interval of VACC", where, hits, "90 %", (0.87, 0.97))


@pytest.mark.parametrize(
    ("n", "distances"), [(60, (1.0, 2.0)), (60, (2.0, 4.0)), (300, (1.0, 1.5)), (300, (3.0, 4.0))]
)
@pytest.mark.parametrize("trials", runs(12))
def test_difference_of_vacc(trials, n, distances, rng, ledger):
    truth = shifted_normals(distances[0]) - shifted_normals(distances[1])
    y = np.arange(n) % 2
    hits = []
    for _ in range(trials):
        scores = [d * y + rng.normal(size=n) for d in distances]
        found = AbstentionCostSurface.vacc_test(y, *scores, random_state=rng, **FEW)
        hits.append(holds(found.difference, truth))
    where = f"{n} cases, classes {distances[0]:g} and {distances[1]:g} apart"
    ledger.share("interval of a difference of VACC", where, hits, **NINETY)


# A confidence that is uniform between ½ and 1, and how often an answer given with it is right.
BANDED = {"cases": 200, "at": (0.05, 0.3, 0.6, 1.0)}


@pytest.mark.parametrize("risk", ["selective", "generalised"])
@pytest.mark.parametrize("trials", runs(40))
def test_bands_of_risk_coverage_curves(trials, risk, rng, ledger):
    hits = {share: [] for share in BANDED["at"]}
    for _ in range(trials):
        p = rng.random(BANDED["cases"])
        y = rng.random(len(p)) < p
        band = RiskCoverageCurve.from_predictions(y, p).band()
        for share, found in hits.items():
            row = band.iloc[int(np.argmin(np.abs(band["coverage"] - share)))]
            truth = (1 - row["threshold"]) / 2
            if risk == "generalised":
                truth *= 2 * (1 - row["threshold"])
            found.append(row[f"{risk}_risk_low"] <= truth <= row[f"{risk}_risk_high"])
    for share, found in hits.items():
        if risk == "selective" or share == 1:
            claim = {"promised": "≥ 95 %", "between": (0.95, 1.0)}
        else:  # a threshold that moves with the cases is none of them
            claim = {"promised": "95 %", "between": (0.93, 1.0)}
        where = f"{BANDED['cases']} cases, {share:.0%} answered"
        ledger.share(f"band of {risk} risk, one point", where, found, **claim)


@pytest.mark.parametrize("measure", ["accuracy", "error", "cost"])
@pytest.mark.parametrize("trials", runs(40))
def test_bands_of_response_curves(trials, measure, rng, ledger):
    costs = {"costs": [[0, 4], [4, 0], [1, 1]]} if measure == "cost" else {}
    hits = {share: [] for share in BANDED["at"]}
    for _ in range(trials):
        p = rng.random(BANDED["cases"])
        y = (rng.random(len(p)) < p).astype(int)
        curve = ResponseCurve.from_predictions(y, np.column_stack([1 - p, p]))
        band = curve.band(measure, **costs)
        for share, found in hits.items():
            row = band.iloc[int(np.argmin(np.abs(1 - band["abstention"] - share)))]
            least = (1 + row["window"]) / 2  # the confidence from which on answers are given
            answered, wrong = 2 * (1 - least), (1 - least) ** 2
            truth = {
                "accuracy": 1 - wrong / answered,
                "error": wrong,
                "cost": 4 * wrong + 1 - answered,
            }[measure]
            found.append(row["low"] <= truth <= row["high"])
    for share, found in hits.items():
        ledger.share(
            f"band of {measure} over abstention, one point",
            f"{BANDED['cases']} cases, {share:.0%} answered",
            found,
            "95 %",
            # So few mistakes are made by the surest tenth that a t interval cannot know of them.
            (0.5 if measure == "cost" and share < 0.1 else 0.93, 1.0),
        )


@pytest.mark.parametrize("digits", [12, 1], ids=["continuous", "tied"])
@pytest.mark.parametrize(("n", "window"), [(60, 0.0), (400, 0.0), (400, 0.5)])
@pytest.mark.parametrize("trials", runs(15))
def test_bands_of_roc_curves(trials, n, window, digits, rng, ledger):
    # A calibrated score p, uniform, and rounded for ties: of cases at p, a share p is positive. The
    # window keeps p from (1 + window) / 2 on and up to (1 - window) / 2.
    hits = []
    fine = np.linspace(0, 1, 2**16 + 1)[1::2]  # never at an end of rounding
    seen = np.round(fine, digits)
    kept = np.maximum(seen, 1 - seen) >= (1 + window) / 2
    places, code = np.unique(seen[kept], return_inverse=True)
    rates = {
        name: np.cumsum(np.bincount(code, share[kept])[::-1]) / share[kept].sum()
        for name, share in (("tpr", fine), ("fpr", 1 - fine))
    }
    for _ in range(trials):
        p = rng.choice(fine, n)
        y = (rng.random(n) < p).astype(int)
        score = np.round(p, digits)
        band = AbstentionROC.from_predictions(y, score, classes=(0, 1)).band(window)
        # At every possible threshold the band of the next score above it that was seen.
        at = np.searchsorted(-band["threshold"].to_numpy(), -places[::-1], side="right") - 1
        hits.append(
            all(
                (band[f"{name}_low"].to_numpy()[at] <= truth).all()
                and (truth <= band[f"{name}_high"].to_numpy()[at]).all()
                for name, truth in rates.items()
            )
        )
    kind = "continuous scores" if digits > 1 else "scores of one digit"
    where, claim = f"{n} cases, window {window:g}, {kind}", {"between": (0.95, 1.0)}
    ledger.share("band of the ROC curve holds all of it", where, hits, promised="≥ 95 %", **claim)
