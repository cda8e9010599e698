"""What a trained estimator says of documents: topics and scores."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp

from hdp_gpu import _core, _inputs, _settings
from hdp_gpu._fitted import Fitted
from hdp_gpu._matrices import theta_matrix
from hdp_gpu._watcher import Watcher

Matrix: TypeAlias = np.ndarray | sp.csr_array


class Documents(Fitted):
    """Topics and scores of documents."""

    def transform(self, X: Any) -> Any:
        """Finds the topics of documents, each for itself. The same documents always have the same topics: ``random_state`` is the seed of
        training alone.

        Parameters
        ----------
        X : sparse matrix, array or DataFrame of shape (n_documents, n_words)
            How often each document has each word.

        Returns
        -------
        array or sparse array of shape (n_documents, n_topics)
            The documents' topics, in the order of `topic_ids_`.

        Raises
        ------
        ValueError
            When X has other columns than those of training, or fractions, or a parameter cannot be used.
        DeviceError
            When the device fails and the CPU cannot do its work.

        Examples
        --------
        >>> from hdp_gpu import HDP
        >>> X = [[3, 2, 0, 0], [2, 3, 0, 0], [0, 0, 3, 2], [0, 0, 2, 3]] * 5
        >>> model = HDP(n_iter=100, init="random:10").fit(X)
        >>> model.transform([[5, 4, 0, 0], [0, 0, 4, 5]]).sum(axis=1).round(6).tolist()
        [1.0, 1.0]
        """
        return self._infer(self._corpus_of(X))

    def infer_texts(self, texts: Iterable[str]) -> Matrix:
        """Finds the topics of texts, prepared as those of training.

        Parameters
        ----------
        texts : iterable of str
            The documents.

        Returns
        -------
        array or sparse array of shape (n_documents, n_topics)
            The documents' topics, in the order of `topic_ids_`.

        Raises
        ------
        TypeError
            When something among them is no text.

        Warns
        -----
        UserWarning
            When the model knows none of the words.

        Examples
        --------
        >>> from hdp_gpu import HDP
        >>> texts = ["ash birch cedar", "bread cheese olives"] * 10
        >>> model = HDP.from_texts(texts, preparation={"min_doc_length": 0}, n_iter=20)
        >>> model.infer_texts(["A birch and an ash."]).sum().round(6).tolist()
        1.0
        """
        return self._infer(self._corpus_of(_inputs.strings(texts, "texts")))

    def infer_tokens(self, docs: Iterable[Iterable[str]]) -> Matrix:
        """Finds the topics of documents that are lists of words, prepared as those of training.

        Parameters
        ----------
        docs : iterable of iterables of str
            The documents.

        Returns
        -------
        array or sparse array of shape (n_documents, n_topics)
            The documents' topics, in the order of `topic_ids_`.

        Raises
        ------
        TypeError
            When something in them is no text.

        Warns
        -----
        UserWarning
            When the model knows none of the words.

        Examples
        --------
        >>> from hdp_gpu import HDP
        >>> docs = [["New York", "Boston"], ["bread", "olive oil"]] * 10
        >>> model = HDP.from_tokens(docs, preparation={"min_doc_length": 0}, n_iter=20)
        >>> model.infer_tokens([["Boston", "New York"]]).sum().round(6).tolist()
        1.0
        """
        about = _inputs.about(None, None, like=self._kept().corpus.preparation)
        return self._infer(_core.Corpus.from_tokens(_inputs.token_lists(docs), about))

    def score(self, X: Any, y: object = None) -> float:
        """The log-probability of documents by document completion: of a half of each one's words given the other half.

        Parameters
        ----------
        X : sparse matrix, array or DataFrame of shape (n_documents, n_words), or iterable of str
            Documents that the model has not been trained on.
        y : object
            Not used.

        Returns
        -------
        float
            Nats per word; higher is better.

        Raises
        ------
        ValueError
            When no document has two words that the model knows.

        Examples
        --------
        >>> from hdp_gpu import HDP
        >>> X = [[3, 2, 0, 0], [2, 3, 0, 0], [0, 0, 3, 2], [0, 0, 2, 3]] * 5
        >>> model = HDP(n_iter=100, init="random:10").fit(X)
        >>> model.score([[5, 4, 0, 0]]) > model.score([[5, 0, 4, 0]])
        True
        """
        score = self._completion(self._corpus_of(X))
        if score is None:
            raise ValueError("X has no document with two words that the model knows")
        return float(score["per_word"])

    def evaluate(
        self, X: Any = None, *, reference: Any = None, words: int = 10, window: int | None = None, particles: int = 10
    ) -> dict[str, Any]:
        """Coherence, exclusivity and diversity of the topics, and scores of documents, as ``hdp-gpu evaluate`` has them.

        Parameters
        ----------
        X : matrix or iterable of str, optional
            Documents to score that the model has not been trained on.
        reference : matrix or iterable of str, optional
            Documents in which words are looked for together; by default those of training.
        words : int, default=10
            Words of each topic that are looked at.
        window : int, optional
            Tokens of the windows of NPMI; by default whole documents.
        particles : int, default=10
            Particles of the left-to-right estimate of X; 0 leaves it out.

        Returns
        -------
        dict
            What was measured, by its name.

        Raises
        ------
        ValueError
            When a number is none, or documents cannot be used.

        Examples
        --------
        >>> from hdp_gpu import HDP
        >>> X = [[3, 2, 0, 0], [2, 3, 0, 0], [0, 0, 3, 2], [0, 0, 2, 3]] * 5
        >>> found = HDP(n_iter=100, init="random:10").fit(X).evaluate([[5, 4, 0, 0]], words=2)
        >>> found["completion"]["per_word"] < 0
        True
        """
        words, particles = _settings.counted("words", words, 1), _settings.counted("particles", particles, 0)
        window = None if window is None else _settings.counted("window", window, 1)
        corpus = self._kept().corpus if reference is None else self._corpus_of(reference)
        held_out = None if X is None else self._corpus_of(X)
        with Watcher(self.progress) as watcher:
            found: dict[str, Any] = json.loads(_core.measures(self._trained(), corpus, words, window, self._threads(), watcher))
        if held_out is not None:
            found["completion"] = self._completion(held_out)
            if particles:
                with Watcher(self.progress) as watcher:
                    estimate = _core.score_left_to_right(self._trained(), held_out, particles, 1, self._threads(), watcher)
                found["left_to_right"] = json.loads(estimate)
        return found

    def _corpus_of(self, documents: Any) -> _core.Corpus:
        """New documents: counts, or texts that are prepared as those of training."""
        trained = self._kept().corpus
        about = _inputs.about(None, None, like=trained.preparation)
        documents = _inputs.listed(documents)
        if _inputs.are_texts(documents):
            return _core.Corpus.from_texts(_inputs.strings(documents, "texts"), about)
        return _inputs.corpus_of_counts(self._counts(documents, reset=False), trained.vocab, about)

    def _infer(self, corpus: _core.Corpus) -> Matrix:
        """The topics of documents."""
        least = {"infer_burn_in": 0, "infer_samples": 1, "infer_thin": 1}
        burn_in, samples, thin = (_settings.counted(name, getattr(self, name), low) for name, low in least.items())
        sampling = (burn_in, samples, thin, 1)
        with Watcher(self.progress) as watcher:
            theta, unknown = _core.infer_topics(self._trained(), corpus, sampling, self.device, self._threads(), watcher)
            if any(unknown) and not theta[2].any():
                watcher.warn("the model knows none of these words, so every document has the prior's topics")
        return theta_matrix(theta, self.topic_ids_, self.sparse_output)

    def _completion(self, corpus: _core.Corpus) -> dict[str, Any] | None:
        """The score of documents, and how sure it is."""
        with Watcher(self.progress) as watcher:
            score: dict[str, Any] | None = json.loads(
                _core.score(self._trained(), corpus, None, self.device, self._threads(), watcher)
            )
        return score
