"""How a trained estimator is shown: in notebooks, as a report, by other libraries."""

from __future__ import annotations

import json
import tempfile
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from hdp_gpu import _html, _plots
from hdp_gpu._fitted import Fitted

if TYPE_CHECKING:
    import arviz
    import matplotlib.axes
    import pyLDAvis

# Columns of the trace that are parameters of the model.
PARAMETERS = ("active_topics", "alpha", "beta", "gamma")


class Shown(Fitted):
    """Ways to look at a trained estimator."""

    def report(self, path: str | PathLike[str]) -> None:
        """Writes the report: one HTML file that needs nothing else.

        Parameters
        ----------
        path : path
            The file.

        Raises
        ------
        OSError
            When it cannot be written.

        Examples
        --------
        >>> import tempfile
        >>> from pathlib import Path
        >>> from hdp_gpu import HDP
        >>> X = [[3, 2, 0, 0], [2, 3, 0, 0], [0, 0, 3, 2], [0, 0, 2, 3]] * 5
        >>> model = HDP(n_iter=100, init="random:10").fit(X)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     model.report(Path(folder) / "report.html")
        ...     (Path(folder) / "report.html").read_text().startswith("<!doctype html>")
        True
        """
        self._trained().report(Path(path), self._threads())

    def to_pyldavis(self) -> pyLDAvis.PreparedData:
        """What pyLDAvis shows, as its ``prepare`` makes it, but without dense matrices.

        Returns
        -------
        pyLDAvis.PreparedData
            For ``pyLDAvis.display`` or ``pyLDAvis.save_html``.

        Raises
        ------
        ValueError
            When there are more than 2,000 topics.

        Examples
        --------
        >>> from hdp_gpu import HDP
        >>> X = [[3, 2, 0, 0], [2, 3, 0, 0], [0, 0, 3, 2], [0, 0, 2, 3]] * 5
        >>> model = HDP(n_iter=100, init="random:10").fit(X)
        >>> len(model.to_pyldavis().topic_coordinates) == len(model.topic_ids_)
        True
        """
        import pyLDAvis

        run = self._trained()
        with tempfile.TemporaryDirectory(prefix="hdp-gpu-") as made:
            folder = Path(made)
            run.write_ldavis(folder, self._threads())
            path = folder / "ldavis.json"
            if not path.exists():
                raise ValueError("there are too many topics for pyLDAvis: more than 2,000")
            data = json.loads(path.read_text())
        tables = (pd.DataFrame(data[name]) for name in ("mdsDat", "tinfo", "token.table"))
        return pyLDAvis.PreparedData(*tables, *(data[name] for name in ("R", "lambda.step", "plot.opts", "topic.order")))

    def to_arviz(self) -> arviz.InferenceData:
        """The traces of all chains: the rows that `verdict_` looks at as the posterior, those before as its warm-up. The
        log-likelihood is ``lp`` among the sample statistics.

        Returns
        -------
        arviz.InferenceData
            For ArviZ.

        Raises
        ------
        NotFittedError
            When the estimator has not been trained.

        Examples
        --------
        >>> from hdp_gpu import HDP
        >>> X = [[3, 2, 0, 0], [2, 3, 0, 0], [0, 0, 3, 2], [0, 0, 2, 3]] * 5
        >>> model = HDP(n_iter=100, init="random:10").fit(X)
        >>> model.to_arviz().sample_stats.lp.sizes["chain"]
        1
        """
        import arviz

        trace, since = self._grid(), self.verdict_["since"]
        parts = {}
        for prefix, rows in (("", trace[trace.iteration >= (since or 0)]), ("warmup_", trace[trace.iteration < (since or 0)])):
            by_chain = {
                name: rows.pivot(index="chain", columns="iteration", values=name).to_numpy(float)
                for name in (*PARAMETERS, "log_likelihood")
            }
            parts[f"{prefix}sample_stats"] = {"lp": by_chain.pop("log_likelihood")}
            parts[f"{prefix}posterior"] = by_chain
        return arviz.from_dict(**parts, save_warmup=True)

    def plot_trace(self, ax: matplotlib.axes.Axes | None = None) -> matplotlib.axes.Axes:
        """Draws the log-likelihood of all chains.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where; by default in a figure of its own.

        Returns
        -------
        matplotlib.axes.Axes
            Where it was drawn.

        Raises
        ------
        NotFittedError
            When the estimator has not been trained.

        Examples
        --------
        >>> from hdp_gpu import HDP
        >>> model = HDP(n_iter=20).fit([[3, 2, 0, 0], [0, 0, 3, 2]] * 10)
        >>> model.plot_trace().get_xlabel()
        'iteration'
        """
        return _plots.trace(self.trace_, ax)

    def plot_topics_over(self, column: str, ax: matplotlib.axes.Axes | None = None, topics: int = 8) -> matplotlib.axes.Axes:
        """Draws the mean shares of the largest topics over the values of a column of the metadata.

        Parameters
        ----------
        column : str
            The column.
        ax : matplotlib.axes.Axes, optional
            Where; by default in a figure of its own.
        topics : int, default=8
            How many topics.

        Returns
        -------
        matplotlib.axes.Axes
            Where it was drawn.

        Raises
        ------
        ValueError
            When the documents have no such metadata.

        Examples
        --------
        >>> from hdp_gpu import HDP
        >>> years = {"year": [1990, 2000] * 10}
        >>> model = HDP(n_iter=20).fit([[3, 2, 0, 0], [0, 0, 3, 2]] * 10, metadata=years)
        >>> model.plot_topics_over("year", topics=1).lines[0].get_xdata().tolist()
        [1990, 2000]
        """
        return _plots.topics_over(self.doc_topics_, self.topics_.head(topics), column, ax)

    def _grid(self) -> pd.DataFrame:
        """The rows of the trace that all chains have, without a last one that is off the grid, up to where the verdict looks."""
        trace, every = self.trace_, self._kept().record["settings"]["trace_every"]
        return trace[(trace.iteration % every == 0) & (trace.iteration <= self.verdict_["iteration"])]

    # scikit-learn shows an estimator in these two ways, which have had no method in common before 1.7.

    def _repr_html_inner(self) -> str:
        return str(super()._repr_html_inner()) + self._summary()

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        bundle: dict[str, str] = super()._repr_mimebundle_(**kwargs)
        return {kind: shown + (self._summary() if kind == "text/html" else "") for kind, shown in bundle.items()}

    def _summary(self) -> str:
        return _html.summary(self) if self.__sklearn_is_fitted__() else ""
