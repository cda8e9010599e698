"""Training: from counts, texts and files, on with a run, and runs in folders."""

from __future__ import annotations

import math
from collections.abc import Iterable
from contextlib import nullcontext
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sklearn.utils.validation import check_is_fitted

from hdp_gpu import _core, _inputs, _settings
from hdp_gpu._ctrl_c import CtrlC
from hdp_gpu._documents import Documents
from hdp_gpu._stored import Stored, scratch
from hdp_gpu._watcher import Watcher

if TYPE_CHECKING:
    from typing_extensions import Self


# Chains of a run until they have settled, unless it is said.
SETTLED_CHAINS = 4


class Training(Documents):
    """Ways to train an estimator, and to keep what came of it."""

    def fit(
        self,
        X: Any,
        y: object = None,
        *,
        feature_names: Iterable[str] | None = None,
        doc_ids: Iterable[Any] | None = None,
        metadata: Any = None,
    ) -> Self:
        """Trains on counts.

        When Ctrl-C is pressed the run ends after its iteration, is kept as it is, and KeyboardInterrupt is raised; `continue_fit` goes
        on with it. Ctrl-C is looked for between iterations, not within one, nor while results are written to ``out`` or made.

        Parameters
        ----------
        X : sparse matrix, array or DataFrame of shape (n_documents, n_words)
            How often each document has each word.
        y : object
            Not used.
        feature_names : iterable of str, optional
            The words; a DataFrame brings its own, and otherwise they are numbered.
        doc_ids : iterable, optional
            The documents' names.
        metadata : DataFrame or mapping of columns, optional
            What else is known of the documents.

        Returns
        -------
        HDP
            The estimator itself.

        Raises
        ------
        ValueError
            When X has fractions or names are given twice, or a parameter cannot be used.
        FileExistsError
            When ``out`` is there already: a second `fit` needs another one.
        DeviceError
            When the device fails and the CPU cannot do its work.
        KeyboardInterrupt
            When Ctrl-C was pressed; the model is kept as it was then.

        Examples
        --------
        >>> from hdp_gpu import HDP
        >>> model = HDP(n_iter=20).fit([[3, 2, 0, 0], [0, 0, 3, 2]] * 10, feature_names=["ash", "birch", "bread", "cheese"])
        >>> model.components_.shape[1], model.n_iter_
        (4, 20)
        """
        counts = self._counts(X, reset=True)
        names = feature_names if feature_names is not None else getattr(self, "feature_names_in_", None)
        vocab = None if names is None else _inputs.unique(names)
        return self._begin(_inputs.corpus_of_counts(counts, vocab, _inputs.about(doc_ids, metadata)))

    def fit_transform(self, X: Any, y: object = None, **fit_params: Any) -> Any:
        """Trains on counts and finds the topics of the same documents, as `transform` does.

        Parameters
        ----------
        X : sparse matrix, array or DataFrame of shape (n_documents, n_words)
            How often each document has each word.
        y : object
            Not used.
        **fit_params : object
            As for `fit`.

        Returns
        -------
        array or sparse array of shape (n_documents, n_topics)
            The documents' topics.

        Raises
        ------
        ValueError
            As `fit`.

        Examples
        --------
        >>> from hdp_gpu import HDP
        >>> HDP(n_iter=20).fit_transform([[3, 2, 0, 0], [0, 0, 3, 2]] * 10).shape[0]
        20
        """
        return self.fit(X, y, **fit_params).transform(X)

    def continue_fit(self, n_iter: int | None = None) -> Self:
        """Goes on with training, to the state that a longer run would have come to.

        Parameters that were changed meanwhile are heeded as far as a run can go on with them: ``n_iter``, ``until``, more ``chains``,
        ``samples``, ``thin``, ``finish``, and those that do not change the result, such as ``device``.

        Parameters
        ----------
        n_iter : int, optional
            Iterations to add; by default those that are left of a run that was stopped.

        Returns
        -------
        HDP
            The estimator itself.

        Raises
        ------
        ValueError
            When a parameter was changed with which a run cannot go on, or a parameter cannot be used.
        DeviceError
            When the device fails and the CPU cannot do its work.
        KeyboardInterrupt
            When Ctrl-C was pressed; the model is kept as it was then.

        Examples
        --------
        >>> from hdp_gpu import HDP
        >>> model = HDP(n_iter=20).fit([[3, 2, 0, 0], [0, 0, 3, 2]] * 10)
        >>> model.continue_fit(10).n_iter_
        30
        """
        check_is_fitted(self)
        stored = self._stored
        settings = {"n_iter": stored.record["settings"]["iterations"], "device": self.device} | _settings.changed(self, stored)
        if n_iter is not None:
            settings["n_iter"] = self.n_iter_ + n_iter
        with nullcontext(stored.home) if stored.home is not None else stored.opened() as folder:
            return self._train(stored.corpus, folder, stored.home, _settings.texts(settings), resume=True)

    @classmethod
    def from_texts(
        cls,
        texts: Iterable[str],
        *,
        doc_ids: Iterable[Any] | None = None,
        metadata: Any = None,
        preparation: dict[str, Any] | None = None,
        **params: Any,
    ) -> Self:
        """Trains on texts, which are prepared as by the command.

        Parameters
        ----------
        texts : iterable of str
            The documents: a list, or a column of pandas, Polars or Arrow.
        doc_ids : iterable, optional
            Their names.
        metadata : DataFrame or mapping of columns, optional
            What else is known of them.
        preparation : dict, optional
            Which words are kept: ``language``, ``token_pattern``, ``keep_case``, ``stopwords``, ``extra_stopwords``, ``min_count``,
            ``max_doc_share``, ``min_doc_length``, ``min_word_length``, ``bigrams``, ``stem``, as the flags of the command.
        **params : object
            Parameters of the estimator.

        Returns
        -------
        HDP
            A trained estimator.

        Raises
        ------
        ValueError
            When no words are left, or a parameter cannot be used.
        TypeError
            When something among the texts is no text, or there is no such setting of a preparation.
        DeviceError
            When the device fails and the CPU cannot do its work.
        KeyboardInterrupt
            When Ctrl-C was pressed; what came of it is lost but for ``out``.

        Examples
        --------
        >>> from hdp_gpu import HDP
        >>> texts = ["ash birch cedar", "bread cheese olives"] * 10
        >>> HDP.from_texts(texts, preparation={"min_doc_length": 0}, n_iter=20).vocabulary_.tolist()
        ['ash', 'birch', 'bread', 'cedar', 'cheese', 'olives']
        """
        about = _inputs.about(doc_ids, metadata, _settings.preparation(preparation, params))
        return cls(**params)._begin_prepared(_core.Corpus.from_texts(_inputs.strings(texts, "texts"), about))

    @classmethod
    def from_tokens(
        cls,
        docs: Iterable[Iterable[str]],
        *,
        doc_ids: Iterable[Any] | None = None,
        metadata: Any = None,
        preparation: dict[str, Any] | None = None,
        **params: Any,
    ) -> Self:
        """Trains on documents that are lists of words.

        Parameters
        ----------
        docs : iterable of iterables of str
            The documents.
        doc_ids : iterable, optional
            Their names.
        metadata : DataFrame or mapping of columns, optional
            What else is known of them.
        preparation : dict, optional
            As for `from_texts`, but for ``token_pattern``.
        **params : object
            Parameters of the estimator.

        Returns
        -------
        HDP
            A trained estimator.

        Raises
        ------
        ValueError
            When no words are left, or a parameter cannot be used.
        TypeError
            When something in the documents is no text, or there is no such setting of a preparation.
        DeviceError
            When the device fails and the CPU cannot do its work.
        KeyboardInterrupt
            When Ctrl-C was pressed; what came of it is lost but for ``out``.

        Examples
        --------
        >>> from hdp_gpu import HDP
        >>> docs = [["ash", "birch", "cedar"], ["bread", "cheese", "olives"]] * 10
        >>> HDP.from_tokens(docs, preparation={"min_doc_length": 0}, n_iter=20).vocabulary_.tolist()
        ['ash', 'birch', 'bread', 'cedar', 'cheese', 'olives']
        """
        about = _inputs.about(doc_ids, metadata, _settings.preparation(preparation, params))
        return cls(**params)._begin_prepared(_core.Corpus.from_tokens(_inputs.token_lists(docs), about))

    @classmethod
    def from_file(
        cls, path: str | PathLike[str], *, preparation: dict[str, Any] | None = None, **params: Any
    ) -> Self:
        """Trains on a file in any format that the command reads, or on ``sample``, a corpus inside the program.

        Parameters
        ----------
        path : path
            The file, or a folder of texts.
        preparation : dict, optional
            As for `from_texts`, and ``format``, ``vocab``, ``transpose``, ``index_base``, ``encoding``, ``text_column``, ``id_column``,
            ``delimiter``, ``skip_bad``, as the flags of the command.
        **params : object
            Parameters of the estimator.

        Returns
        -------
        HDP
            A trained estimator.

        Raises
        ------
        ValueError
            When the file cannot be used, or a parameter cannot be used.
        OSError
            When it cannot be read.
        TypeError
            When there is no such setting of a preparation.
        DeviceError
            When the device fails and the CPU cannot do its work.
        KeyboardInterrupt
            When Ctrl-C was pressed; what came of it is lost but for ``out``.

        Examples
        --------
        >>> from hdp_gpu import HDP
        >>> model = HDP.from_file("sample", n_iter=20)
        >>> model.n_iter_
        20
        """
        with Watcher(params.get("progress", "auto")) as watcher:
            corpus = _core.Corpus.from_file(Path(path), _settings.preparation(preparation, params), None, watcher)
        return cls(**params)._begin_prepared(corpus)

    @classmethod
    def load(cls, run: str | PathLike[str], **params: Any) -> Self:
        """Reads a run that the command, `save` or a training with ``out`` has left. Its folder is not written to again.

        The documents are read from the run's results. A run that ended before it wrote them, by a loss of power for example, is gone on
        with by the command and ``--resume``; so is one that holds documents out.

        Parameters
        ----------
        run : path
            The run's folder.
        **params : object
            Parameters of the estimator that a run does not have, such as ``n_jobs``.

        Returns
        -------
        HDP
            A trained estimator.

        Raises
        ------
        ValueError
            When this is no run, or one that cannot be read.
        OSError
            When a file of it cannot be read.

        Examples
        --------
        >>> import tempfile
        >>> from pathlib import Path
        >>> from hdp_gpu import HDP
        >>> model = HDP(n_iter=20).fit([[3, 2, 0, 0], [0, 0, 3, 2]] * 10)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     model.save(Path(folder) / "run")
        ...     loaded = HDP.load(Path(folder) / "run", n_jobs=2)
        >>> loaded.n_iter_, loaded.topics_.equals(model.topics_)
        (20, True)
        """
        corpus = _core.Corpus.of_run(Path(run))
        stored = Stored.read(Path(run), corpus)
        of_run = _settings.of_record(stored.record)
        stored.asked = _settings.asked(cls(**of_run))
        return cls(**(of_run | params))._keep(stored)

    def save(self, run: str | PathLike[str]) -> None:
        """Writes the run to a new folder, with all results: the command shows it, infers from it and goes on with it.

        Parameters
        ----------
        run : path
            The folder, which must not exist or be empty.

        Raises
        ------
        FileExistsError
            When something is there.

        Examples
        --------
        >>> import tempfile
        >>> from pathlib import Path
        >>> from hdp_gpu import HDP
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     HDP(n_iter=20).fit([[3, 2, 0, 0], [0, 0, 3, 2]] * 10).save(Path(folder) / "run")
        ...     (Path(folder) / "run" / "run.json").exists()
        True
        """
        check_is_fitted(self)
        folder = _free(Path(run))
        trained = self._trained()
        self._stored.write(folder)
        trained.write_results(folder, self._threads())

    def _begin_prepared(self, corpus: _core.Corpus) -> Self:
        """Trains on a corpus whose words are its own."""
        with Watcher(False) as watcher:
            for warning in corpus.warnings:
                watcher.warn(warning)
        self.n_features_in_ = len(corpus.vocab)
        return self._begin(corpus)

    def _begin(self, corpus: _core.Corpus) -> Self:
        """Trains from the beginning."""
        settings = {name: getattr(self, name) for name in _settings.TRAINING}
        settings["random_state"] = _settings.seed(self.random_state)
        home = None if self.out is None else _free(Path(self.out))
        with nullcontext(home) if home is not None else scratch() as folder:
            return self._train(corpus, folder, home, _settings.texts(settings), resume=False)

    def _train(
        self, corpus: _core.Corpus, folder: Path, home: Path | None, settings: list[tuple[str, str]], *, resume: bool
    ) -> Self:
        """Trains in a folder and keeps what came of it, also when something was raised on the way."""
        total = _total(dict(settings), self._stored.record["settings"] if resume else None)
        with CtrlC() as ctrl_c:
            with Watcher(self.progress, total, self.callback, ctrl_c.look) as watcher:
                raised = _core.train(
                    corpus,
                    folder,
                    settings,
                    resume=resume,
                    results=home is not None,
                    every=_settings.text("checkpoint_every", self.checkpoint_every),
                    command=self._command(resume),
                    threads=self._threads(),
                    watcher=watcher,
                )
            self._keep(Stored.read(folder, corpus, home))
            self._stored.asked = _settings.asked(self)
            if raised is not None:
                raise raised
        return self

    def _keep(self, stored: Stored) -> Self:
        """Has this run be the estimator's."""
        self.n_features_in_ = len(stored.corpus.vocab)
        self._stored = stored
        return self

    def _command(self, resume: bool) -> str:
        """What was typed, as far as it says what is trained."""
        parameters = {name: value for name, value in self.get_params(deep=False).items() if name != "callback"}
        # Made anew and not cloned: a clone has copies of all values, and not every object can be copied.
        shown = type(self)(**parameters)
        return " ".join(f"{shown!r}.{'continue_fit()' if resume else 'fit(X)'}".split())


def _free(folder: Path) -> Path:
    """A folder that does not exist, or is empty."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise FileExistsError(f"{folder} exists and is left as it is; give another path")
    return folder


def _total(settings: dict[str, str], run: dict[str, Any] | None) -> int:
    """The iterations of all chains with these settings, beside those of a run that goes on; 0 when there is no saying."""
    run = run or {"chains": 1, "until": "iterations"}
    settles = settings.get("until", run["until"]) == "settled"
    chains = SETTLED_CHAINS if settles and run["chains"] == 1 else run["chains"]
    counts = settings.get("n_iter") or dict(_core.defaults("default"))["n_iter"], settings.get("chains", str(chains))
    return math.prod(map(int, counts)) if all(count.isdigit() for count in counts) else 0
