"""How often promises about graded answers are kept on real ones: half of each set, then the rest.

Run it as ``python tools/graded_trials.py FOLDER``, where FOLDER holds tables of answers of language
models and networks with confidences and grades. A set that is not there is left out. A rule is
promised on a random half of the answers, over and over. Printed is a table in Markdown; in each
cell: how much of the other half goes out; and how often the promise was overdrawn on all answers of
the set, from which the half was drawn, on the other half, and significantly on the other half, by
an exact test at 5 %. What a promise bounds is the first of these three. The other half is a sample
itself, which lies above a limit that is just kept every other time, and significantly one time in
twenty.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.stats import binomtest

from cautious.guarantees import certify
from cautious.predictions import majority_vote, read_predictions

LIMITS = (0.05, 0.1, 0.2)
LEVEL = 0.9


class Answers(NamedTuple):
    """Graded answers of one model with one kind of confidence."""

    source: str
    model: str
    kind: str
    right: np.ndarray
    confidence: np.ndarray


def mmlu(folder: Path) -> Iterator[Answers]:
    """Give eight language models, three kinds of confidence (LLM-Calibration-Study, MIT)."""
    frame = pd.read_csv(folder / "llm_mmlupro_8models_3confidences.csv")
    for model, rows in frame.groupby("model", sort=False):
        for kind in ("verbal", "linguistic", "token_prob"):
            right = (rows["answer"] == rows["truth"]).to_numpy()
            yield Answers("MMLU-Pro", str(model), kind, right, rows[kind].to_numpy(float))


def votes(folder: Path) -> Iterator[Answers]:
    """Give the majority of twenty language models (LLM-Calibration-Study, MIT)."""
    frame = pd.read_csv(folder / "llm_mmlupro_votes_20models.csv", keep_default_na=False)
    voted = majority_vote(frame.iloc[:, 3:].replace("", None))
    right = (voted["answer"].to_numpy() == frame["truth"].to_numpy()).astype(bool)
    for kind in ("share", "margin"):
        yield Answers("MMLU-Pro", "20 models", kind, right, voted[kind].to_numpy(float))


def sums(folder: Path) -> Iterator[Answers]:
    """Give the best of four systems; how many of the others agree (GSM8K, MIT)."""
    frame = pd.read_csv(folder / "llm_gsm8k_4systems.csv", dtype=str)
    answers = frame.filter(like="_answer")
    best = frame["175b_verification_answer"]
    agree = answers.eq(best, axis=0).mean(axis=1).to_numpy(float)
    right = (frame["175b_verification_correct"] == "1").to_numpy()
    yield Answers("GSM8K", "175b verification", "agreement", right, agree)


def questions(folder: Path) -> Iterator[Answers]:
    """Give answers, which are right where there is one (adversarial SQuAD 2, Apache-2.0)."""
    frame = pd.read_csv(folder / "llm_squad2_adversarial_xlnet.csv")
    right = (frame["unanswerable"] == 0).to_numpy()
    yield Answers("SQuAD 2", "XLNet", "null odds", right, -frame["null_odds"].to_numpy(float))


def agent(folder: Path) -> Iterator[Answers]:
    """Give one agent, four trials of each task (tau-bench, MIT)."""
    frame = pd.read_csv(folder / "agent_tau_airline_gpt4o.csv")
    right = (frame["success"] == 1).to_numpy()
    yield Answers("tau-bench", "gpt-4o", "few messages", right, -frame["messages"].to_numpy(float))


def networks(folder: Path) -> Iterator[Answers]:
    """Give networks on images (markus93/NN_calibration and hollance/reliability-diagrams)."""
    frame = pd.read_csv(folder / "nets_markus93_top1.csv")
    for model, rows in frame.groupby("network", sort=False):
        right = (rows["true_label"] == rows["pred_label"]).to_numpy()
        confidence = rows["confidence"].to_numpy(float)
        yield Answers("CIFAR, birds", str(model), "softmax", right, confidence)
    frame = pd.read_csv(folder / "nets_imagenet_8networks_top1.csv")
    for column in frame.filter(like="_conf"):
        model = column.removesuffix("_conf")
        right = (frame[model] == frame["truth"]).to_numpy()
        yield Answers("ImageNet", model, "softmax", right, frame[column].to_numpy(float))


def moderation(folder: Path) -> Iterator[Answers]:
    """Give a classifier of messages and its annotators (hate-speech-and-offensive-language)."""
    frame = pd.read_csv(folder / "moderation_davidson_annotators.csv")
    proba = frame[["p_hate", "p_offensive", "p_neither"]].to_numpy()
    right = proba.argmax(axis=1) == frame["majority"].to_numpy()
    yield Answers("moderation", "logistic regression", "probability", right, proba.max(axis=1))


SETS = (mmlu, votes, sums, questions, agent, networks, moderation)


def trial(answers: Answers, limit: float, halves: int, rng: np.random.Generator) -> list[float]:
    """Promise on one half: coverage, how often overdrawn on all, on the rest, significantly so."""
    n = len(answers.right)
    frame = pd.DataFrame({"right": answers.right, "confidence": answers.confidence})
    coverage, whole, other, clearly = [], 0, 0, 0
    for _ in range(halves):
        order = rng.permutation(n)
        mine, rest = order[: n // 2], order[n // 2 :]
        cases = read_predictions(frame.iloc[mine], correct="right").only
        found = certify(cases, max_error=limit, confidence_level=LEVEL)
        if found.rule is None:
            coverage.append(0.0)
            continue
        accepted, wrong = found.rule.accept(answers.confidence), ~answers.right
        coverage.append(float(accepted[rest].mean()))
        whole += wrong[accepted].sum() > limit * accepted.sum()
        k, m = int(wrong[rest][accepted[rest]].sum()), int(accepted[rest].sum())
        other += k > limit * m
        clearly += bool(m and binomtest(k, m, limit, alternative="greater").pvalue <= 0.05)
    return [float(np.mean(coverage)), whole / halves, other / halves, clearly / halves]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="where the tables of answers are")
    parser.add_argument("--halves", type=int, default=200, help="random halves of each set")
    given = parser.parse_args()
    if not given.folder.is_dir():
        parser.error(f"there is no folder {given.folder}; it should hold tables of graded answers.")
    rng = np.random.default_rng(20261119)
    print("| set | model | confidence | n | wrong |", end="")
    print("".join(f" ≤ {100 * limit:g} % |" for limit in LIMITS))
    print("| --- | --- | --- | --- | --- |" + " --- |" * len(LIMITS))
    found_at = []
    for each in SETS:
        try:
            found = list(each(given.folder))
        except FileNotFoundError as error:
            print(f"| {each.__name__} is left out: there is no {error.filename} |")
            continue
        for one in found:
            cells = [trial(one, limit, given.halves, rng) for limit in LIMITS]
            found_at += cells
            shown = " | ".join("{:.2f} / {:.3f} / {:.3f} / {:.3f}".format(*cell) for cell in cells)
            n, wrong = len(one.right), 1 - one.right.mean()
            print(f"| {one.source} | {one.model} | {one.kind} | {n:,} | {wrong:.3f} | {shown} |")
    given_out = np.array([cell for cell in found_at if cell[0] > 0])
    most, mean = (f(given_out[:, 1:], axis=0) for f in (np.max, np.mean))
    print(f"\nOf {len(given_out)} cells with a rule: at most", " / ".join(f"{x:.3f}" for x in most))
    print("on average", " / ".join(f"{x:.3f}" for x in mean))


if __name__ == "__main__":
    main()
