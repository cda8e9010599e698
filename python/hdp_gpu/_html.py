"""A trained estimator in a notebook: its topics, its traces and the verdict on them."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from hdp_gpu._fitted import Fitted

# Topics of the table, and the size of a sparkline.
TOPICS = 20
WIDTH, HEIGHT = 160, 28


def summary(model: Fitted) -> str:
    """The HTML of a trained estimator."""
    topics = model.topics_
    rows = "".join(
        f"<tr><td>{row.topic}</td><td>{row.tokens}</td><td style='text-align:left'>{escape(row.words)}</td></tr>"
        for row in topics.head(TOPICS).itertuples()
    )
    more = f"<p>… and {len(topics) - TOPICS} more in <code>topics_</code></p>" if len(topics) > TOPICS else ""
    return (
        f"<div><p>{len(topics)} topics after {model.n_iter_} iterations on {escape(model.device_)}. "
        f"{escape(model.verdict_['sentence'])}</p>"
        f"<p>log-likelihood {lines(model, 'log_likelihood')} topics {lines(model, 'active_topics')}</p>"
        f"<table><tr><th>topic</th><th>tokens</th><th style='text-align:left'>words</th></tr>{rows}</table>{more}</div>"
    )


def lines(model: Fitted, column: str) -> str:
    """A sparkline with the trace of each chain."""
    trace = model.trace_
    low, high = trace[column].min(), trace[column].max()
    last = max(trace.iteration.max(), 1)
    paths = "".join(
        f"<polyline fill='none' stroke='currentColor' stroke-opacity='0.6' points='{points(chain, column, low, high, last)}'/>"
        for _, chain in trace.groupby("chain")
    )
    return f"<svg width='{WIDTH}' height='{HEIGHT}' role='img' aria-label='{column}'>{paths}</svg>"


def points(chain, column: str, low: float, high: float, last: int) -> str:  # type: ignore[no-untyped-def]
    """The places of a chain's rows in a sparkline."""
    x = chain.iteration.to_numpy() / last * WIDTH
    y = HEIGHT - 2 - (chain[column].to_numpy() - low) / max(high - low, np.finfo(float).tiny) * (HEIGHT - 4)
    return " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, y, strict=True))
