"""What other libraries make of a run."""

import warnings

import numpy as np
import pandas as pd
import pytest
from conftest import WORDS

from hdp_gpu import HDP

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import arviz


@pytest.fixture(scope="module")
def model(X):
    years = {"year": [1990 + d % 5 for d in range(80)]}
    return HDP(205, chains=3, init="documents:10", trace_every=2, device="cpu", n_jobs=2).fit(
        X, feature_names=WORDS, doc_ids=[f"doc {d}" for d in range(80)], metadata=years
    )


def test_pyldavis_shows_it(model, tmp_path):
    import pyLDAvis

    prepared = model.to_pyldavis()
    assert len(prepared.topic_coordinates) == len(model.topic_ids_)
    pyLDAvis.save_html(prepared, str(tmp_path / "page.html"))
    assert "ldavis" in (tmp_path / "page.html").read_text()


def test_arviz_has_the_verdict_s_r_hat(model):
    data = model.to_arviz()
    verdict = model.verdict_
    assert data.posterior.sizes["chain"] == 3 and verdict["since"] > 0
    names = {"log_likelihood": data.sample_stats.lp, **{name: data.posterior[name] for name in ("active_topics", "alpha", "beta", "gamma")}}
    assert {trace["trace"] for trace in verdict["traces"]} == set(names)
    for trace in verdict["traces"]:
        theirs = float(arviz.rhat(names[trace["trace"]], method="rank").to_array().squeeze())
        assert abs(theirs - trace["r_hat"]) < 1e-10, trace
    rows = data.warmup_posterior.sizes["draw"] + data.posterior.sizes["draw"]
    assert rows == 103, "every second iteration from 0 to 204; 205 is off the grid"


def test_arviz_has_a_run_that_is_too_short_for_a_verdict(X):
    model = HDP(20, device="cpu").fit(X)
    data = model.to_arviz()
    assert model.verdict_["since"] is None
    assert data.posterior.sizes["draw"] == 3 and list(data.sample_stats.lp.to_numpy()[0]) == list(model.trace_.log_likelihood)


def test_the_report_and_the_notebook_s_view(model, tmp_path):
    model.report(tmp_path / "report.html")
    assert "<html" in (tmp_path / "report.html").read_text()
    view = model._repr_mimebundle_()["text/html"]
    assert model._repr_html_().count("<polyline") == 6
    assert model.verdict_["sentence"].split(":")[0] in view and view.count("<polyline") == 6
    assert "<table>" in view and model.topics_.words[0].split()[0] in view
    assert "<polyline" not in HDP()._repr_mimebundle_()["text/html"]


def test_words_cannot_write_html(X):
    words = ["<script>alert(1)</script>", *WORDS[1:]]
    view = HDP(5).fit(X, feature_names=words)._repr_mimebundle_()["text/html"]
    assert "<script>alert" not in view


def test_plots(model):
    import matplotlib

    matplotlib.use("agg")
    assert len(model.plot_trace().lines) == 3
    axes = model.plot_topics_over("year", topics=3)
    assert len(axes.lines) == 3 and list(axes.lines[0].get_xdata()) == [1990, 1991, 1992, 1993, 1994]
    with pytest.raises(ValueError, match="no metadata called 'month'"):
        model.plot_topics_over("month")


def test_metadata_has_columns_beside_those_of_documents(X):
    metadata = {"topic": range(80), "year": [pd.NA, None, np.nan, pd.NaT, *range(76)], "name": ["x"] * 80, "meta_name": ["y"] * 80}
    table = HDP(5, device="cpu").fit(X, metadata=metadata).doc_topics_
    assert list(table.columns) == ["document", "name", "meta_topic", "year", "meta_name", "meta_meta_name", "topic", "share"]
    assert set(table.meta_name) == {"x"} and set(table.meta_meta_name) == {"y"} and (table.meta_topic == table.document.astype(str)).all()
    assert set(table.year[table.document < 4]) == {""} and "0" in set(table.year[table.document == 4])


def test_documents_keep_their_names_and_metadata(model):
    table = model.doc_topics_
    assert list(table.columns) == ["document", "name", "year", "topic", "share"]
    assert table.name[0] == "doc 0" and np.allclose(table.groupby("document").share.sum(), 1, atol=0.2)
