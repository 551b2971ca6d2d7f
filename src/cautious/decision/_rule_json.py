"""Decision rules as JSON that is safe to read.

With a rule its file keeps bins of the scores that it was chosen on. Without them nobody could tell
later that the scores have changed.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from copy import copy
from numbers import Integral, Real
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from cautious._files import parsed_json, read_bounded, write_whole
from cautious._input_limits import JSON
from cautious._typing import Floats
from cautious.costs._forms import costs_from_data, costs_to_data
from cautious.errors import InputError, check_kind, shown
from cautious.utility._forms import read_utility

if TYPE_CHECKING:
    from cautious.decision.rule import Rule

RULE_SCHEMA = "cautious.rule/1"
"""What a file of this kind says it is."""

# Tenths to twentieths of the cases tell shapes apart; fewer cases than this per bin tell nothing.
_MOST_BINS, _LEAST_CASES = 20, 5
COMPARED: dict[str, tuple[str, ...]] = {
    "window": ("lower", "upper"),
    "acceptance": ("threshold",),
    "confidence": ("threshold",),
    "class_thresholds": ("thresholds",),
    "utility": ("worth",),
    "set_costs": (),
}
"""What a rule of each kind has, besides costs."""
ROLES = ("truth", "score", "proba", "sets", "groups", "id", "weight", "costs", "answerable")
"""What the columns may hold that a rule was tuned with."""
DETAILS = frozenset(("costs", "model", "certificate", "data", "columns"))
"""What may be said of a rule of any kind."""
_CHECKED: dict[str, tuple[type, str]] = {
    "model": (str, "text"),
    **dict.fromkeys(("certificate", "data", "columns"), (Mapping, "an object")),
    "version": (str, "text"),
}
_ABOUT = ["schema", "kind", "classes", "pos_label", "costs", *_CHECKED]


def score_bins(
    scores: Floats, counts: npt.ArrayLike | None, positives: npt.ArrayLike | None = None
) -> dict[str, list[float]]:
    """Put the scores that a rule was chosen on into bins, for ``Rule.data["scores"]``."""
    is_whole = counts is None or not (np.asarray(counts) % 1).any()
    order: Any = slice(None)
    if (scores[1:] < scores[:-1]).any():  # those of a staircase rise
        order = np.argsort(scores)
    ordered = scores[order]
    reached = (
        np.arange(1, len(scores) + 1) if counts is None else np.cumsum(np.asarray(counts)[order])
    )
    n = int(reached[-1]) if len(reached) else 0
    if n < 2 * _LEAST_CASES or not is_whole:
        return {}
    n_bins = min(_MOST_BINS, n // _LEAST_CASES)
    ends = np.arange(1, n_bins) * n // n_bins  # cases up to the end of each bin but the last one
    edges = np.unique(ordered[np.searchsorted(reached, ends)])
    edges = edges[(edges < ordered[np.searchsorted(reached, n)]) & np.isfinite(edges)]
    last = np.append(np.searchsorted(ordered, edges, side="right") - 1, len(ordered) - 1)
    bins, sums = {"edges": edges.tolist()}, {"counts": reached}
    if positives is not None:
        sums["positives"] = np.cumsum(np.asarray(positives)[order])
    for name, cumulated in sums.items():
        bins[name] = np.diff(cumulated[last], prepend=0).astype(np.int64).tolist()
    return bins


def rule_data(rule: Rule, *, strict: bool = True) -> dict[str, Any]:
    """Give a rule as plain data: text, numbers, lists and dicts."""
    data: dict[str, Any] = {"schema": RULE_SCHEMA, "kind": rule.kind}
    data["classes"] = list(rule.classes)
    for label in rule.classes if strict else ():
        if not isinstance(label, bool | str | int | float) or label in (np.inf, -np.inf):
            raise ValueError(
                f"the class {shown(label)} is a {type(label).__name__}; a rule is written with "
                "classes that are text, numbers or booleans."
            )
    if rule.pos_label is not None:
        data["pos_label"] = data["classes"][1]
    if rule.worth is not None:
        data["utility"] = _utility_name(rule) if strict else rule.worth
    for name in ("lower", "upper", "threshold", "thresholds", "costs", *_CHECKED):
        value = getattr(rule, name)
        if value is not None:
            data[name] = costs_to_data(value) if name == "costs" else _plain(value, name)
    return data


def rules_to_json(rules: Mapping[str, Rule], path: str | os.PathLike[str] | None = None) -> str:
    """Write several rules, one per model, as JSON."""
    check_kind(rules, Mapping, "rules", "rules by the names of their models")
    if not rules:
        raise ValueError("rules is empty; give the rule of at least one model.")
    models = {}
    for name, rule in rules.items():
        if not hasattr(rule, "kind"):
            raise TypeError(f"rules[{shown(name)}] is a {type(rule).__name__}; give a Rule.")
        data = rule_data(rule)
        del data["schema"]
        models[str(name)] = data | {"model": str(name)}
    return write_data({"schema": RULE_SCHEMA, "models": models}, path)


def rules_from_json(source: str | os.PathLike[str]) -> dict[str, Rule]:
    """Read the rules of several models, or of one: what tuning or :meth:`Rule.to_json` wrote.

    The source is JSON text (it starts with ``{``), or the path of a file. The rules come by the
    names of their models; a single rule without a model is called ``""``.

    Examples
    --------
    >>> from cautious.decision import Rule
    >>> rules_from_json(Rule.window(0.2, 0.8, classes=["no", "yes"]).to_json())[""].lower
    0.2
    """
    data, name = _load(source)
    with _refused_at(name):
        models = data.get("models")
        if "models" not in data:
            rule = _rule_of(data)
            return {rule.model or "": rule}
        _refuse_unknown(data, ["schema", "models"])
        if not isinstance(models, dict) or not models:
            raise ValueError(f"models is {shown(models)}; expected one rule per model.")
    rules = {}
    for model, each in models.items():
        with _refused_at(f"{name}, model {model!r}"):
            if not isinstance(each, dict):
                raise ValueError(f"the rule is {shown(each)}, not an object.")
            if each.get("model", model) != model:
                raise ValueError(f"the rule says it is of {shown(each['model'])}.")
            rules[model] = _rule_of({"schema": RULE_SCHEMA} | each)
    return rules


def _rule_of(data: dict[str, Any]) -> Rule:
    """Make a rule of plain data; every key is known and every value checked."""
    from cautious.decision.rule import Rule

    kind = data.get("kind")
    if kind not in COMPARED:
        raise ValueError(f"kind is {shown(kind)}; expected one of {', '.join(COMPARED)}.")
    compared = ["utility" if key == "worth" else key for key in COMPARED[kind]]
    _refuse_unknown(data, [*_ABOUT, *compared])
    for key in ("classes", *compared):
        if key not in data:
            raise ValueError(f"{key} is missing; a rule of kind {shown(kind)} needs it.")
    classes = data["classes"]
    if not (isinstance(classes, list) and {*map(type, classes)} <= {str, int, float, bool}):
        raise ValueError(f"classes is {shown(classes)}; expected a list of labels.")
    about = {key: data[key] for key in _CHECKED if data.get(key) is not None}
    for key, field in zip(compared, COMPARED[kind], strict=True):
        about[field] = _read_compared(data[key], key)
    if data.get("costs") is not None:
        about["costs"] = costs_from_data(data["costs"], classes)
    rule, positive = Rule(kind, tuple(classes), **about), data.get("pos_label")
    own = rule.pos_label
    if positive is not None and (positive, type(positive)) != (own, type(own)):
        raise ValueError(
            f"pos_label is {shown(positive)}, but of two classes the second is the positive one, "
            f"and classes is {shown(classes)}."
        )
    return rule


def _read_compared(value: Any, key: str) -> Any:
    """Read a threshold, thresholds or the name of a utility."""
    if key == "utility":
        if not isinstance(value, str):
            raise ValueError(f"utility is {shown(value)}; expected a name.")
        return read_utility(value)
    if key == "thresholds":
        if not isinstance(value, list):
            raise ValueError(f"thresholds is {shown(value)}; expected a list.")
        return tuple(_read_number(threshold, key) for threshold in value)
    return _read_number(value, key)


def exchange_details(rule: Rule, **details: Any) -> Rule:
    """Copy a rule with other details, whose values are checked already."""
    unknown = sorted(details.keys() - DETAILS)
    if unknown:
        raise TypeError(f"{shown(unknown[0])} is none of {', '.join(sorted(DETAILS))}.")
    other = copy(rule)
    vars(other).pop("_prices", None)  # they follow from the costs
    vars(other).update(details)
    return other


def check_details(about: Mapping[str, Any]) -> None:
    """Check the promise, the data and the columns that a rule is said to have."""
    for name, (kind, expected) in _CHECKED.items():
        value = about.get(name)
        if value is not None and not isinstance(value, kind):
            raise TypeError(f"{name} is {shown(value)}; expected {expected}.")
    n, digest = ((about.get("data") or {}).get(name) for name in ("n", "digest"))
    if n is not None and (isinstance(n, bool) or not isinstance(n, Integral) or n < 0):
        raise ValueError(f"data's n is {shown(n)}; expected a number of cases.")
    if not isinstance(digest, str | None):
        raise TypeError(f"data's digest is {shown(digest)}; expected text.")
    limits = (about.get("certificate") or {}).get("limits", {})
    if not isinstance(limits, Mapping):
        raise TypeError(f"certificate's limits are {shown(limits)}; give numbers by their names.")
    for name, limit in limits.items():
        if isinstance(limit, bool) or not isinstance(limit, Real):
            raise TypeError(f"certificate's limit {shown(name)} is {shown(limit)}, no number.")
    for role, name in (about.get("columns") or {}).items():
        if role not in ROLES:
            raise ValueError(f"columns has the key {shown(role)}; the keys are {', '.join(ROLES)}.")
        names = list(name) if role == "proba" and isinstance(name, list | tuple) else [name]
        if role == "costs" and isinstance(name, Mapping):
            names = [*name, *name.values()]
        if not all(isinstance(each, str) for each in names):
            raise TypeError(f"columns[{shown(role)}] is {shown(name)}; give the name of a column.")


def _load(source: str | os.PathLike[str]) -> tuple[dict[str, Any], str]:
    """Read JSON strictly: of bounded size, without repeated keys and without NaN."""
    if isinstance(source, str) and source.lstrip()[:1] in ("{", "["):
        text, name = source, "the rule"
    elif isinstance(source, str | os.PathLike):
        name = str(Path(source))
        try:
            text = read_bounded(source, 4 * JSON).decode("utf-8-sig")
        except FileNotFoundError:
            raise FileNotFoundError(
                f"there is no file {shown(name)}; `cautious tune -o` writes rules."
            ) from None
        except UnicodeDecodeError as error:
            raise rule_error(f"{name} is not UTF-8 text: {error}.") from None
        except ValueError as error:
            raise rule_error(f"{name} is no file of a rule: {error}.") from None
    else:
        raise TypeError(f"source is a {type(source).__name__}; give JSON text or a path.")
    try:
        data = parsed_json(text)
    except ValueError as error:
        why = f" ({error})" if text.lstrip().startswith("{") else ""  # otherwise no JSON at all
        raise rule_error(
            f"{name} cannot be read as a rule; `cautious tune -o` writes one{why}."
        ) from None
    if not isinstance(data, dict):
        raise rule_error(f"{name} is {shown(data)}; expected an object with a schema.")
    if data.get("schema") != RULE_SCHEMA:
        raise rule_error(
            f"{name}: schema is {shown(data['schema']) if 'schema' in data else 'missing'}; this "
            f"release reads {shown(RULE_SCHEMA)}."
        )
    return data, name


def _refuse_unknown(data: Mapping[str, Any], known: list[str]) -> None:
    for key in data:
        if key not in known:
            raise ValueError(f"{shown(key)} is unknown; the keys are {', '.join(known)}.")


def write_data(data: dict[str, Any], path: str | os.PathLike[str] | None) -> str:
    text = json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    if path is not None:
        write_whole(path, text)
    return text


def _utility_name(rule: Rule) -> str:
    assert rule.worth is not None
    with suppress(ValueError):
        if read_utility(rule.worth.name) == rule.worth:
            return rule.worth.name
    raise ValueError(
        f"the utility {shown(rule.worth)} has no name that can be read back; write rules with "
        "named utilities, such as 'u65', 'F1', 'logarithmic' or 'exponential(2)'."
    )


def _read_number(value: Any, name: str) -> float:
    if value in ("Infinity", "-Infinity"):
        return float(value)
    with suppress(OverflowError):
        if isinstance(value, int | float) and not isinstance(value, bool):
            return float(value)
    raise ValueError(f'{name} is {shown(value)}; expected a number or "Infinity".')


def _plain(value: Any, name: str) -> Any:
    """Turn numpy's numbers and arrays into JSON's, and refuse what JSON cannot hold."""
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, Mapping):
        return {str(key): _plain(each, name) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each, name) for each in value]
    if isinstance(value, float) and not np.isfinite(value):
        return None if np.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if value is None or isinstance(value, str | bool | int | float):
        return value
    raise TypeError(f"{name} holds a {type(value).__name__}, which JSON cannot hold.")


@contextmanager
def _refused_at(name: str) -> Iterator[None]:
    """Say of what is refused in which rule it stands."""
    try:
        yield
    except (TypeError, ValueError) as error:
        raise rule_error(f"{name}: {error}") from None


def rule_error(text: str) -> InputError:
    """Make an error of text that may hold anything, braces included."""
    return InputError("{text}", text=text)
