"""What a trained estimator knows: its attributes."""

from __future__ import annotations

import csv
import itertools
import json
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from hdp_gpu import _core
from hdp_gpu._matrices import first_words, phi_matrix, theta_matrix
from hdp_gpu._parameters import Parameters
from hdp_gpu._stored import Stored

# Words that a topic is shown with.
SHOWN_WORDS = 10


class Fitted(Parameters):
    """Attributes of a trained estimator. They are made when they are first asked for, and large ones are kept."""

    # All that training has left. It is replaced as a whole, so that an estimator never has a half of one run and a half of another.
    _stored: Stored

    @property
    def topic_ids_(self) -> np.ndarray:
        """The numbers of the topics that have tokens, ascending; a topic has one number in all files. With ``samples`` they are those of
        all samples and of the last state."""
        return self._trained().topics

    @property
    def _n_features_out(self) -> int:
        return len(self.topic_ids_)

    @property
    def components_(self) -> np.ndarray:
        """The probabilities of words in topics, a row for each topic."""
        run, stored = self._trained(), self._stored
        return stored.made("components", lambda: phi_matrix(run.phi(self._threads()), len(stored.corpus.vocab)))

    @property
    def theta_(self) -> np.ndarray | sp.csr_array:
        """The topics of the documents of training, as training has them."""
        run, sparse = self._trained(), self.sparse_output
        return self._stored.made(("theta", sparse), lambda: theta_matrix(run.theta(self._threads()), run.topics, sparse))

    @property
    def z_(self) -> np.ndarray:
        """The topic of each token, document by document, in the last state."""
        return self._trained().z

    @property
    def psi_(self) -> np.ndarray:
        """The global shares of the topics."""
        run = self._trained()
        return run.psi[run.topics]

    @property
    def vocabulary_(self) -> np.ndarray:
        """The words."""
        return np.array(self._kept().corpus.vocab, dtype=object)

    @property
    def alpha_(self) -> float:
        """The concentration of documents' topics, as it was last."""
        return self._trained().concentrations[0]

    @property
    def beta_(self) -> float:
        """The concentration of topics' words, as it was last."""
        return self._trained().concentrations[1]

    @property
    def gamma_(self) -> float:
        """The concentration of the global shares, as it was last."""
        return self._trained().concentrations[2]

    @property
    def n_iter_(self) -> int:
        """The iterations done, of the first chain."""
        return int(self._kept().record["iterations_done"])

    @property
    def seed_(self) -> int:
        """The seed."""
        return int(self._kept().record["settings"]["seed"])

    @property
    def device_(self) -> str:
        """The device that has sampled."""
        return str(self._kept().record["device"])

    @property
    def interrupted_(self) -> bool:
        """Whether the run was stopped before its end."""
        return not self._kept().is_whole

    @property
    def trace_(self) -> pd.DataFrame:
        """The rows of trace.csv of all chains."""
        stored = self._kept()
        return stored.made("trace", lambda: self._read_trace(stored.files)).copy()

    def _read_trace(self, files: dict[str, bytes]) -> pd.DataFrame:
        tables = []
        for chain in range(1, 1 + sum(name.endswith("trace.csv") for name in files)):
            name = "trace.csv" if chain == 1 else f"chains/{chain}/trace.csv"
            header, *rows = csv.reader(files[name].decode().splitlines())
            table = pd.DataFrame([[number(text) for text in row] for row in rows], columns=header)
            table.insert(0, "chain", chain)
            tables.append(table)
        return pd.concat(tables, ignore_index=True)

    @property
    def topics_(self) -> pd.DataFrame:
        """The topics, largest first, with their tokens and first words."""
        run = self._trained()
        return self._stored.made("topics", lambda: self._list_topics(run)).copy()

    def _list_topics(self, run: _core.Run) -> pd.DataFrame:
        topics, tokens = run.topics, run.topic_tokens[run.topics]
        order = np.lexsort((topics, -tokens))
        phi, vocabulary = run.phi(self._threads()), self.vocabulary_
        first = [vocabulary[first_words(phi, at, SHOWN_WORDS)] for at in order]
        return pd.DataFrame(
            {
                "topic": topics[order],
                "tokens": tokens[order],
                "share": tokens[order] / max(tokens.sum(), 1),
                "words": [" ".join(words) for words in first],
            }
        )

    @property
    def doc_topics_(self) -> pd.DataFrame:
        """The topics of the documents of training that have tokens of theirs, a row for each, with the documents' metadata. A column of
        these that is called as one of the others, ``topic`` for example, has ``meta_`` before its name."""
        run, corpus = self._trained(), self._stored.corpus
        (indptr, topics, shares), _, tokens = run.theta(self._threads())
        documents = np.repeat(np.arange(len(tokens)), np.diff(indptr))
        metadata = dict(zip(metadata_names(corpus), (values for _, values in corpus.metadata), strict=True))
        of_documents = {"document": np.arange(len(tokens)), "name": corpus.doc_names, **metadata}
        table = pd.DataFrame(of_documents).iloc[documents].reset_index(drop=True)
        return table.assign(topic=topics, share=shares)

    @property
    def verdict_(self) -> dict[str, Any]:
        """Whether the traces have settled, and each of them with its R-hat; ``sentence`` says it in words."""
        found, sentence = self._stored.made("verdict", self._trained().verdict)
        return {**json.loads(found), "sentence": sentence}

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_stored")

    def _kept(self) -> Stored:
        check_is_fitted(self)
        return self._stored

    def _trained(self) -> _core.Run:
        return self._kept().run(self._threads())


def number(text: str) -> float:
    """The number that is written so, to the last digit, as not every version of pandas reads it."""
    return int(text) if text.isdigit() else float(text)


def metadata_names(corpus: _core.Corpus) -> list[str]:
    """What the columns of a corpus' metadata are called beside the others of doc-topics.csv, which renames them in the same way."""
    taken, names = {"document", "name", "tokens", "topic", "share", "sd"}, []
    for name, _ in corpus.metadata:
        tries = itertools.chain([name, f"meta_{name}"], (f"meta_{name}_{number}" for number in itertools.count(2)))
        names.append(next(free for free in tries if free not in taken))
        taken.add(names[-1])
    return names
