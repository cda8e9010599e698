"""What a user may write, with its types: mypy --strict reads it, and it runs."""

from pathlib import Path
from typing import Any

import numpy as np
from hdp_gpu import HDP, DeviceError


def watch(row: dict[str, Any]) -> bool:
    return bool(row["iteration"] >= 20)


X = np.array([[2, 1, 0, 0], [1, 2, 0, 0], [0, 0, 1, 2], [0, 0, 2, 1]])
try:
    model: HDP = HDP(30, alpha="learn", beta=0.01, device="cpu", callback=watch).fit(X, feature_names=["a", "b", "c", "d"])
except DeviceError as error:
    raise SystemExit(str(error)) from error
largest: str = model.topics_.words[0]
topics: int = model.components_.shape[0]
score: float = model.score(X)
again: HDP = model.continue_fit(5)
path: Path = Path("report.html")
again.report(path)
