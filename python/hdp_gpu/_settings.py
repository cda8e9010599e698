"""What the estimator's parameters are to the library, and back from the record of a run."""

from __future__ import annotations

import os
from numbers import Number
from os import PathLike
from typing import Any

import joblib
import numpy as np
from sklearn.utils import check_random_state

# Parameters that say what is trained, by the names that the library's table of defaults has for them.
TRAINING = (
    "n_iter",
    "alpha",
    "beta",
    "gamma",
    "psi",
    "discount",
    "max_topics",
    "init",
    "anneal",
    "sampler",
    "phi",
    "preset",
    "chains",
    "until",
    "samples",
    "thin",
    "finish",
    "trace_every",
    "device",
)


# Settings of a preparation that may be given several times, and those that are true or false.
LISTS = ("extra_stopwords",)
FLAGS = ("keep_case", "transpose", "skip_bad")


def texts(settings: dict[str, Any]) -> list[tuple[str, str]]:
    """Settings as the library reads them; ``None`` is left out."""
    return [(name, text(name, value)) for name, value in settings.items() if value is not None]


def preparation(settings: dict[str, Any] | None, params: dict[str, Any] | None = None) -> list[tuple[str, str]]:
    """The settings of a preparation as the library reads them, with the preset of an estimator; ``None`` is left out, and some may
    have lists.

    Raises
    ------
    TypeError
        When a value is of a type that its setting does not take.
    """
    preset = (params or {}).get("preset")
    pairs: list[tuple[str, str]] = [] if preset is None else [("preset", text("preset", preset))]
    for name, value in (settings or {}).items():
        if name in FLAGS and not isinstance(value, (bool, np.bool_, type(None))):
            raise TypeError(f"`{name}`: {value!r} cannot be used; give True or False")
        values = value if name in LISTS and isinstance(value, (list, tuple)) else [value]
        pairs.extend((name, text(name, value)) for value in values if value is not None)
    return pairs


def text(name: str, value: Any) -> str:
    """The value of a setting as it is typed.

    Raises
    ------
    TypeError
        When it is no text, path or number but a list, for example.
    """
    if isinstance(value, PathLike):
        return os.fspath(value)
    if not isinstance(value, (str, Number, np.generic)):
        raise TypeError(f"`{name}`: {value!r} cannot be used; give one value")
    return str(value.item() if isinstance(value, np.generic) else value)


def asked(model: Any) -> dict[str, str | None]:
    """The parameters of an estimator that a run goes on with, as texts."""
    values = ((name, getattr(model, name)) for name in (*TRAINING, "out") if name != "device")
    return {name: None if value is None else text(name, value) for name, value in values}


def changed(model: Any, stored: Any) -> dict[str, Any]:
    """The parameters that were changed since the run that an estimator has: whether they may be, the library knows.

    Raises
    ------
    ValueError
        When a run cannot go on with them.
    """
    now = asked(model)
    changes = {name: getattr(model, name) for name in now if now[name] != stored.asked[name]}
    if "out" in changes:
        raise ValueError("`out`: a run goes on where it is; write it to another folder by `save`")
    for name, value in changes.items():
        if value is None:
            raise ValueError(f"`{name}`: it was {stored.asked[name]} in the run, and None is the default of a new one; give a value")
    # Other seeds than numbers were used up by the run.
    if isinstance(model.random_state, (int, np.integer)):
        changes["random_state"] = seed(model.random_state)
    return changes


def counted(name: str, value: Any, least: int) -> int:
    """A number of things.

    Raises
    ------
    ValueError
        When it is none, or less than ``least``, or more than are counted.
    """
    is_whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if not is_whole or not least <= value < 2**32:
        raise ValueError(f"`{name}`: {value!r} cannot be used; give a whole number from {least} on")
    return int(value)


def seed(random_state: Any) -> int:
    """The seed of a run: a number is taken as it is, anything else gives a number."""
    if isinstance(random_state, (int, np.integer)) and not isinstance(random_state, bool):
        return int(random_state)
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))


def threads(n_jobs: int | None) -> int:
    """The threads that joblib means by ``n_jobs``."""
    return int(joblib.effective_n_jobs(n_jobs))


def of_record(record: dict[str, Any]) -> dict[str, Any]:
    """The parameters with which the run of this run.json would be trained."""
    settings = record["settings"]
    learn = settings["learn"]
    max_topics = "auto" if settings["grow"] else settings["max_topics"]
    anneal = settings["anneal"]
    parameters = {name: settings[name] for name in ("beta", "psi", "discount", "init", "samples", "thin", "chains", "until")}
    parameters["finish"] = settings.get("finish", "0")
    parameters |= {name: concentration(settings[name], learn[name]) for name in ("alpha", "beta", "gamma")}
    return parameters | {
        "n_iter": settings["iterations"],
        "trace_every": settings["trace_every"],
        "max_topics": max_topics,
        "anneal": anneal and f"{anneal['factor']}:{anneal['iterations']}",
        "sampler": settings["sampler"],
        "phi": settings.get("phi"),
        "random_state": settings["seed"],
    }


def concentration(value: float, prior: dict[str, float] | None) -> float | str:
    """A concentration as it is typed."""
    return value if prior is None else f"learn:{prior['shape']},{prior['rate']}"
