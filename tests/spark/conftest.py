"""Tests on a real local Spark, which need Java and an environment of their own."""

import os
import shutil
import sys

import numpy as np
import pandas as pd
import pytest


@pytest.fixture(scope="session")
def spark():
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("Spark needs Java, and there is none")
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = (
        SparkSession.builder.master("local[2]")
        .appName("cautious")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.sql.shuffle.partitions", "4")
        .config("spark.sql.files.maxPartitionBytes", "64k")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


@pytest.fixture
def binary_log():
    rng = np.random.default_rng(0)
    score = rng.random(20_000)
    truth = (rng.random(len(score)) < score).astype(int)
    return pd.DataFrame({"y_true": truth, "score": score})


@pytest.fixture
def class_log():
    rng = np.random.default_rng(1)
    p = rng.dirichlet(np.ones(3), 6000)
    truth = (p.cumsum(axis=1) > rng.random((len(p), 1)) * 0.999).argmax(axis=1)
    frame = pd.DataFrame(p, columns=["p_0", "p_1", "p_2"])
    frame.insert(0, "y_true", truth)
    frame["weight"] = rng.random(len(p)) * 3
    frame["group"] = np.where(rng.random(len(p)) < 0.3, "north", "south")
    return frame
