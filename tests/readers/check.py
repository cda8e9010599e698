"""Reads every file of a run with the library that it is for, and compares what they say.

check.py RUN [TABLE]: the folder of a run, and the CSV corpus that it was trained on, when it has metadata.
"""

import gzip
import json
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
import pyLDAvis
import scipy.sparse
import scipy.spatial.distance
from gensim.corpora import Dictionary
from gensim.models import CoherenceModel
from safetensors import safe_open

# Words of topics.csv that coherence is measured on.
COHERENCE_WORDS = 10


class Run:
    """What several checks need."""

    def __init__(self, folder):
        self.folder = folder
        self.info = json.loads((folder / "run.json").read_text())
        self.sampled = self.info["settings"]["samples"] > 1
        self.vocab = (folder / "vocab.txt").read_text().split("\n")[:-1]
        self.state = self.read_state()

    def file(self, name):
        return self.folder / name

    def read_state(self):
        """The tokens of the last state: a row each, with document, word and topic."""
        with gzip.open(self.file("state.gz"), "rt", newline="\n") as lines:
            rows = [line.split() for line in lines if not line.startswith("#")]
        return np.array([(row[0], row[3], row[5]) for row in rows], dtype=np.int64)


def close(found, expected, tolerance, what):
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance, err_msg=what)


def check_model(run):
    """model.safetensors is the counts of state.gz; gives n, K* x V, and the concentrations."""
    with safe_open(run.file("model.safetensors"), framework="numpy") as model:
        psi = model.get_tensor("psi")
        parts = tuple(model.get_tensor(name) for name in ("n_data", "n_indices", "n_indptr"))
        concentrations = {name: float(model.metadata()[name]) for name in ("alpha", "beta", "gamma")}
    n = scipy.sparse.csr_matrix(parts, shape=(len(psi), len(run.vocab)), dtype=np.int64)
    _, words, topics = run.state.T
    counted = scipy.sparse.coo_matrix((np.ones(len(words), dtype=np.int64), (topics, words)), shape=n.shape)
    assert (n != counted.tocsr()).nnz == 0
    close(psi.sum(), 1, 1e-9, "psi")
    return n, psi, concentrations


def check_phi(run, n, concentrations):
    """phi.npz: rows sum to 1 with the floor, and are those of the model unless it is a mean; gives dense rows and the topics."""
    phi = scipy.sparse.load_npz(run.file("phi.npz"))
    extra = np.load(run.file("phi.npz"))
    assert phi.format == "csr" and phi.shape == n.shape and phi.has_canonical_format
    active = np.flatnonzero(extra["floor"])
    dense = np.repeat(extra["floor"][:, None], phi.shape[1], axis=1)
    stored = phi.tocoo()
    dense[stored.row, stored.col] = stored.data
    close(dense[active].sum(axis=1), 1, 1e-9, "rows of phi")
    assert ("sd" in extra) == run.sampled
    if run.sampled:
        assert extra["sd"].shape == phi.data.shape and (extra["sd"] >= 0).all() and extra["sd"].any()
    else:
        beta = concentrations["beta"]
        counts = n[active].toarray()
        expected = (counts + beta) / (counts.sum(axis=1, keepdims=True) + n.shape[1] * beta)
        close(dense[active], expected, 1e-12, "phi")
    return dense[active], active


def read_mallet_shares(run, k_star):
    """doc-topics.txt, dense or as pairs."""
    rows = [line.split("\t")[2:] for line in run.file("doc-topics.txt").read_text().splitlines()]
    shares = np.zeros((len(rows), k_star))
    largest = int(np.load(run.file("theta.npz"))["topics"].max())
    for d, row in enumerate(rows):
        values = np.array(row, dtype=float)
        if largest < 100:
            shares[d, : len(values)] = values
        else:
            shares[d, values[::2].astype(int)] = values[1::2]
    return shares


def check_theta(run, active):
    """theta.npz: rows sum to 1 with the cells that are not stored, and are those of doc-topics.txt; gives dense rows of the active topics,
    and the matrix with a column for each topic up to the largest."""
    theta = scipy.sparse.load_npz(run.file("theta.npz"))
    extra = np.load(run.file("theta.npz"))
    documents, topics = theta.shape
    assert theta.has_canonical_format and documents == run.info["corpus"]["documents"]
    assert topics == len(active) and (extra["topics"] == active).all() and (extra["alpha_psi"] > 0).all()
    dense = extra["alpha_psi"] / (extra["prior"] + extra["tokens"])[:, None]
    stored = theta.tocoo()
    dense[stored.row, stored.col] = stored.data
    close(dense.sum(axis=1), 1, 1e-9, "rows of theta")
    close(dense, read_mallet_shares(run, max(active) + 1)[:, active], 1e-12, "theta")
    check_wide(run, active, dense)
    lengths = np.bincount(run.state[:, 0], minlength=documents)
    assert (extra["tokens"] == lengths).all()
    assert ("sd" in extra) == run.sampled
    if run.sampled:
        assert extra["sd"].shape == theta.data.shape and extra["sd"].any()
    wide = scipy.sparse.csr_matrix((theta.data, active[theta.indices], theta.indptr), shape=(documents, max(active) + 1))
    return dense, wide


def check_wide(run, active, dense):
    """doc-topics-wide.csv: the dense rows, a column for each topic."""
    rows = pd.read_csv(run.file("doc-topics-wide.csv"), keep_default_na=False)
    close(rows[[f"topic_{topic}" for topic in active]].to_numpy(), dense, 1e-12, "doc-topics-wide.csv")
    assert (rows["document"] == np.arange(1, len(dense) + 1)).all()


def check_doc_topics(run, theta, table):
    """doc-topics.csv: theta's stored cells, the rest in rows of topic -1, and the input's metadata."""
    rows = pd.read_csv(run.file("doc-topics.csv"), keep_default_na=False)
    close(rows.groupby("document")["share"].sum(), 1, 1e-9, "shares of documents")
    assert (rows["document"].unique() == np.arange(1, theta.shape[0] + 1)).all()
    assert ("sd" in rows) == run.sampled
    for _, document in rows.groupby("document"):
        assert document[document["topic"] >= 0]["share"].is_monotonic_decreasing
    stored = rows[rows["topic"] >= 0]
    shares = scipy.sparse.csr_matrix((stored["share"], (stored["document"] - 1, stored["topic"])), shape=theta.shape)
    close((shares - theta).data, 0, 1e-12, "doc-topics.csv and theta.npz")
    if table:
        check_metadata(rows, table)


def check_metadata(rows, table):
    """Columns of the corpus are there, those that have one of our names under another."""
    source = pd.read_csv(table, keep_default_na=False, dtype=str).drop(columns="text")
    documents = rows.groupby("document").first().astype(str)
    assert (documents["name"].to_numpy() == source["id"].to_numpy()).all()
    for name in source.columns.drop("id"):
        ours = f"meta_{name}" if name in ("topic", "share", "tokens") else name
        assert (documents[ours].to_numpy() == source[name].to_numpy()).all(), name


def check_topic_docs(run, theta):
    """topic-docs.csv: for each topic the documents with the largest shares."""
    rows = pd.read_csv(run.file("topic-docs.csv"), keep_default_na=False)
    by_topic = theta.tocsc()
    assert (rows["topic"].unique() == np.flatnonzero(np.diff(by_topic.indptr))).all()
    for topic, documents in rows.groupby("topic"):
        shares = by_topic[:, [topic]].tocoo()
        order = np.lexsort((shares.row, -documents_tokens(run)[shares.row], -shares.data))[:20]
        assert (documents["rank"].to_numpy() == np.arange(1, len(order) + 1)).all()
        assert (documents["document"].to_numpy() - 1 == shares.row[order]).all()
        close(documents["share"], shares.data[order], 1e-12, "shares of topic-docs.csv")


def documents_tokens(run):
    return np.load(run.file("theta.npz"))["tokens"]


def check_word_topic_counts(run, n):
    """word-topic-counts.txt: a line a word, counts falling, and their sum is n."""
    counts = scipy.sparse.lil_matrix(n.shape, dtype=np.int64)
    lines = run.file("word-topic-counts.txt").read_text().splitlines()
    assert len(lines) == len(run.vocab)
    for v, line in enumerate(lines):
        number, word, *pairs = line.split(" ")
        assert int(number) == v and word == run.vocab[v]
        pairs = [tuple(map(int, pair.split(":"))) for pair in pairs]
        assert [count for _, count in pairs] == sorted((count for _, count in pairs), reverse=True)
        for topic, count in pairs:
            counts[topic, v] = count
    assert (counts.tocsr() != n).nnz == 0


def check_topics(run, n, psi):
    """topics.csv: sizes against the state, and coherence against gensim."""
    rows = pd.read_csv(run.file("topics.csv"), keep_default_na=False, na_values={"npmi": "", "umass": ""})
    tokens = np.asarray(n.sum(axis=1)).ravel()
    assert (np.sort(rows["topic"]) == np.flatnonzero(tokens)).all()
    assert rows["tokens"].is_monotonic_decreasing
    assert (rows["tokens"].to_numpy() == tokens[rows["topic"]]).all()
    close(rows["share"], tokens[rows["topic"]] / tokens.sum(), 1e-12, "shares of topics")
    close(rows["psi"], psi[rows["topic"]], 1e-12, "psi of topics.csv")
    documents = Counter(topic for _, topic in {(document, topic) for document, _, topic in run.state.tolist()})
    assert rows["documents"].tolist() == [documents[topic] for topic in rows["topic"]]
    check_coherence(run, rows)


def check_coherence(run, rows):
    """npmi and umass are gensim's c_npmi and u_mass, with windows as long as documents."""
    texts = {}
    for document, word, _ in run.state.tolist():
        texts.setdefault(document, []).append(run.vocab[word])
    texts = list(texts.values())
    dictionary = Dictionary(texts)
    tops = [words.split(" ")[:COHERENCE_WORDS] for words in rows["words"]]
    measured = np.array([len(top) > 1 for top in tops])
    assert (rows["npmi"].notna() == measured).all() and (rows["umass"].notna() == measured).all()
    # gensim passes over texts that have none of the words it is asked for; so it is asked for all words.
    words = list(dictionary.token2id)
    asked = [top for top in tops if len(top) > 1]
    asked += [words[at : at + COHERENCE_WORDS] for at in range(0, len(words), COHERENCE_WORDS)]
    for column, measure, settings in [
        ("npmi", "c_npmi", {"texts": texts, "window_size": 1 + max(map(len, texts))}),
        ("umass", "u_mass", {"corpus": [dictionary.doc2bow(text) for text in texts]}),
    ]:
        gensim = CoherenceModel(
            topics=asked, dictionary=dictionary, coherence=measure, topn=COHERENCE_WORDS, processes=1, **settings
        )
        expected = gensim.get_coherence_per_topic()[: measured.sum()]
        close(rows[column][measured], expected, 1e-6, column)


def read_ldavis(run):
    """ldavis.json as pyLDAvis's own type."""
    data = json.loads(run.file("ldavis.json").read_text())
    tables = (pd.DataFrame(data[name]) for name in ("mdsDat", "tinfo", "token.table"))
    rest = (data[name] for name in ("R", "lambda.step", "plot.opts", "topic.order"))
    return pyLDAvis.PreparedData(*tables, *rest), data


def check_ldavis(run, phi, theta, active):
    """ldavis.json: pyLDAvis shows it, and makes the same from phi and theta."""
    ours, data = read_ldavis(run)
    # The viewer gets our text as it is, with the key that only we write.
    ours_as_written = type("AsWritten", (pyLDAvis.PreparedData,), {"to_json": lambda _: json.dumps(data)})(*ours)
    html = pyLDAvis.prepared_data_to_html(ours_as_written)
    assert '"topics": [' in html and "new LDAvis" in html
    theirs = pyLDAvis.prepare(
        phi, theta, documents_tokens(run), run.vocab, np.ones(len(run.vocab)), n_jobs=1
    )
    assert ours.R == theirs.R and ours.lambda_step == theirs.lambda_step and ours.plot_opts == theirs.plot_opts
    assert list(ours.topic_order) == list(theirs.topic_order)
    assert data["topics"] == [active[place - 1] for place in ours.topic_order]
    for column in ("topics", "cluster", "Freq"):
        close(ours.topic_coordinates[column], theirs.topic_coordinates[column], 1e-6, column)
    check_map(ours.topic_coordinates, theirs.topic_coordinates, phi[np.array(ours.topic_order) - 1])
    check_terms(ours, theirs)


def check_map(ours, theirs, phi):
    """Coordinates agree up to their sign. An eigenvector moves by the error of the matrix over the gap to the next eigenvalue,
    and the error of a divergence is a few roundings of sums over all words."""
    if len(phi) < 3:
        close(ours["y"], 0, 0, "one dimension")
        return
    distances = scipy.spatial.distance.squareform(scipy.spatial.distance.pdist(phi, metric=pyLDAvis._prepare._jensen_shannon))
    centre = np.eye(len(phi)) - 1 / len(phi)
    eigenvalues = np.linalg.eigvalsh(-centre @ distances**2 @ centre / 2)[::-1]
    gap = np.min(-np.diff(eigenvalues[:3]))
    tolerance = 1e-13 * len(phi) / gap
    assert tolerance < 1e-6, f"eigenvalues too close to compare: {eigenvalues[:3]}"
    for axis in ("x", "y"):
        found, expected = ours[axis].to_numpy(), theirs[axis].to_numpy()
        close(found, np.sign(found @ expected) * expected, tolerance, axis)


def check_terms(ours, theirs):
    """The bar charts have the same terms with the same numbers, and so has the table of their tokens."""
    ours_terms, theirs_terms = (data.topic_info.set_index(["Category", "Term"]) for data in (ours, theirs))
    assert set(ours_terms.index) == set(theirs_terms.index)
    assert not ours_terms.index.has_duplicates
    for column in ("Freq", "Total", "logprob", "loglift"):
        expected = theirs_terms[column].loc[ours_terms.index]
        close(ours_terms[column], expected.astype(float), 1e-6, column)
    ours_tokens, theirs_tokens = (data.token_table.set_index(["Term", "Topic"])["Freq"] for data in (ours, theirs))
    assert list(ours_tokens.index) == list(theirs_tokens.index)
    close(ours_tokens, theirs_tokens, 1e-6, "token.table")


def check_parquet(run):
    """The Parquet files, when there are any, are the CSV files."""
    for path in sorted(run.folder.glob("*.parquet")):
        columns = pd.read_parquet(path)
        texts = {name: str for name in columns if columns[name].dtype.kind not in "if"}
        rows = pd.read_csv(path.with_suffix(".csv"), dtype=texts, keep_default_na=False, na_values=numbers_missing(columns))
        pd.testing.assert_frame_equal(columns, rows, check_exact=True, check_dtype=False)
        print(f"  {path.name}: {len(columns)} rows")


def numbers_missing(columns):
    return {name: "" for name in columns if columns[name].dtype.kind == "f"}


def main():
    run = Run(Path(sys.argv[1]))
    table = sys.argv[2] if len(sys.argv) > 2 else None
    n, psi, concentrations = check_model(run)
    phi, active = check_phi(run, n, concentrations)
    dense_theta, theta = check_theta(run, active)
    check_doc_topics(run, theta, table)
    check_topic_docs(run, theta)
    check_word_topic_counts(run, n)
    check_topics(run, n, psi)
    check_ldavis(run, phi, dense_theta, active)
    check_parquet(run)
    print(f"{run.folder.name}: {len(active)} topics, {theta.shape[0]} documents: every file reads as it should")


if __name__ == "__main__":
    main()
