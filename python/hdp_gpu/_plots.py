"""Plots with matplotlib, which the extra ``plots`` brings."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

if TYPE_CHECKING:
    import matplotlib.axes


def trace(rows: pd.DataFrame, ax: matplotlib.axes.Axes | None) -> matplotlib.axes.Axes:
    """The log-likelihood of all chains."""
    ax = axes(ax)
    for chain, of_chain in rows.groupby("chain"):
        ax.plot(of_chain.iteration, of_chain.log_likelihood, label=f"chain {chain}")
    ax.set_xlabel("iteration")
    ax.set_ylabel("log-likelihood")
    ax.legend()
    return ax


def topics_over(
    doc_topics: pd.DataFrame, topics: pd.DataFrame, column: str, ax: matplotlib.axes.Axes | None
) -> matplotlib.axes.Axes:
    """The mean shares of topics over the values of a column."""
    if column not in doc_topics or column in ("document", "name", "topic", "share"):
        raise ValueError(f"the documents have no metadata called {column!r}")
    values = pd.to_numeric(doc_topics[column], errors="coerce")
    table = doc_topics.assign(value=doc_topics[column] if values.isna().any() else values)
    documents = table.groupby("value").document.nunique()
    ax = axes(ax)
    for topic in topics.itertuples():
        shares = table[table.topic == topic.topic].groupby("value").share.sum().reindex(documents.index, fill_value=0.0)
        ax.plot(documents.index, shares / documents, label=f"{topic.topic}: {' '.join(topic.words.split()[:3])}")
    ax.set_xlabel(column)
    ax.set_ylabel("mean share")
    ax.legend(fontsize="small")
    return ax


def axes(ax: matplotlib.axes.Axes | None) -> matplotlib.axes.Axes:
    """Where to draw: there, or in a figure of its own."""
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.subplots()[1]
