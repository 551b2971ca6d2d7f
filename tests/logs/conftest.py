import numpy as np
import pandas as pd
import pytest


def binary_log(n, seed=0, *, decimals=None, labels=(0, 1)):
    rng = np.random.default_rng(seed)
    score = rng.random(n)
    truth = rng.random(n) < score
    if decimals is not None:
        score = score.round(decimals)
    return pd.DataFrame({"y_true": np.array(labels)[truth.astype(int)], "score": score})


def class_log(n, n_classes=4, seed=0):
    rng = np.random.default_rng(seed)
    p = rng.dirichlet(np.ones(n_classes), n).round(2)
    p[:, 0] += 1 - p.sum(axis=1)
    p = np.abs(p)
    p /= p.sum(axis=1, keepdims=True)
    truth = (p.cumsum(axis=1) > rng.random((n, 1)) * 0.999).argmax(axis=1)
    names = np.array([f"c{k}" for k in range(n_classes)])
    frame = pd.DataFrame(p, columns=[f"p_{name}" for name in names])
    frame.insert(0, "y_true", names[truth])
    frame["weight"] = rng.random(n) * 3
    frame["group"] = np.where(rng.random(n) < 0.3, "north", "south")
    frame["model"] = np.where(rng.random(n) < 0.5, "old", "new")
    return frame


@pytest.fixture
def make_binary_log():
    return binary_log


@pytest.fixture
def make_class_log():
    return class_log
