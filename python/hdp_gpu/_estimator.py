"""The estimator, with what its parameters mean."""

from __future__ import annotations

from hdp_gpu._shown import Shown
from hdp_gpu._training import Training


class HDP(Shown, Training):
    """Hierarchical Dirichlet process topic model.

    The number of topics is learned. The sampler is that of Terenin, Magnusson and Jonsson (2020): sparse and parallel, on CPUs and GPUs,
    with the same result for the same seed everywhere. ``None`` stands for the default of ``preset``.

    Parameters
    ----------
    n_iter : int, default=1000
        Iterations of the sampler; with ``until="settled"`` the most of them.
    alpha : float, "learn" or "learn:SHAPE,RATE", default=None
        Concentration of documents' topics. By default learn; paper: 0.1.
    beta : float, "learn" or "learn:SHAPE,RATE", default=None
        Concentration of topics' words. By default 0.01; small: learn:2,20.
    gamma : float, "learn" or "learn:SHAPE,RATE", default=None
        Concentration of the global topic distribution. By default learn; paper: 1. With small learn:2,4.
    psi : {"dp", "sticks", "uniform"}, default=None
        How the global topic distribution is drawn; "uniform" is LDA. By default dp; paper: sticks.
    discount : float, default=None
        Discount of Pitman-Yor sticks. By default 0.
    max_topics : int or "auto", default=None
        Topics that can be represented. By default auto; paper: 1000.
    init : str, default=None
        How tokens get their first topics: ``auto``, ``one``, ``random:K``, ``documents:K``, ``sequential`` or ``run:DIR``. By
        default auto; paper: one. ``auto`` is documents:K with the K that the corpus bears.
    anneal : str, default=None
        A larger alpha at the beginning, for example ``10:200``. By default none.
    sampler : {"ppu", "direct"}, default=None
        How topics are sampled. By default ppu.
    phi : {"ppu", "dirichlet"}, default=None
        How topics' words are drawn. By default ppu; small: dirichlet.
    preset : {"auto", "default", "small", "paper"}, default="auto"
        Where settings start from; "auto" is "small" for corpora of fewer than 50,000 tokens, unless what that chooses is named, and
        "default" for others.
    chains : int, default=None
        Chains of the model, with the seeds that follow each other. By default 1, with ``until="settled"`` 4.
    until : {"iterations", "settled"}, default="iterations"
        When to stop: after all iterations, or as soon as the traces of all chains agree and are flat.
    samples : int, default=1
        States at the end that documents' topics and topics' words are a mean of.
    thin : int, default=5
        Iterations from one of these states to the next.
    finish : int, "auto" or None, default=None
        Sweeps of direct assignment on a copy of each of these states, which the results are then made of; the chain itself goes on as if
        there were none. By default auto; paper: 0. ``auto`` is as many as a run of this length can spare, up to 40, on up to 2 million
        tokens. Without ``out`` they are made when a result is first asked for, which then takes as long as some iterations.
    trace_every : int, default=10
        Iterations between rows of the trace.
    random_state : int, RandomState or None, default=1
        The seed.
    device : str, default="auto"
        ``auto``, ``cpu``, ``gpu``, ``hybrid``, or a device's number or a part of its name.
    n_jobs : int, default=None
        Threads, as joblib has it: 1 for ``None`` unless a ``joblib.parallel_config`` says more, -1 for all processors. The result
        does not depend on them.
    infer_burn_in : int, default=50
        Iterations on new documents before the first sample.
    infer_samples : int, default=20
        Samples that new documents' topics are a mean of.
    infer_thin : int, default=5
        Iterations from one of them to the next.
    sparse_output : bool, default=False
        Whether documents' topics are sparse: the topics with tokens of theirs, without what the prior gives to all others.
    out : path, default=None
        A folder for the run, as the command makes it, with checkpoints on the way; it must not exist.
    checkpoint_every : int or str, default="10m"
        How often a checkpoint is written with ``out``: iterations, or a time.
    progress : {"auto", True, False}, default="auto"
        Whether a bar is shown.
    callback : callable, default=None
        Gets a dict with ``chain``, ``iteration``, ``active_topics`` and ``log_likelihood`` every ``trace_every`` iterations, and stops the
        run by returning what is true. The trace also has a row for the state before the first iteration and for the last one.

    Attributes
    ----------
    topics_ : DataFrame
        The topics, largest first, with their tokens and first words.
    topic_ids_ : array of shape (n_topics,)
        The numbers of the topics, ascending; a topic keeps its number for the life of a run.
    components_ : array of shape (n_topics, n_words)
        The probabilities of words in topics.
    theta_ : array or sparse array of shape (n_documents, n_topics)
        The topics of the documents of training, as training has them.
    doc_topics_ : DataFrame
        The same as a table, a row for each topic with tokens of a document, with the documents' metadata.
    z_ : array of shape (n_tokens,)
        The topic of each token, document by document, in the last state.
    psi_ : array of shape (n_topics,)
        The global shares of the topics.
    alpha_, beta_, gamma_ : float
        The concentrations, as they were last.
    vocabulary_ : array of shape (n_words,)
        The words.
    trace_ : DataFrame
        The rows of trace.csv of all chains.
    verdict_ : dict
        Whether the traces have settled, and each of them with its R-hat; ``sentence`` says it in words.
    n_iter_ : int
        The iterations done, of the first chain.
    seed_ : int
        The seed.
    device_ : str
        The device that has sampled.
    interrupted_ : bool
        Whether the run was stopped before its end.
    n_features_in_ : int
        The words, as many as columns of counts.
    feature_names_in_ : array of shape (n_words,)
        The names of columns, when `fit` got a DataFrame.

    Examples
    --------
    >>> import numpy as np
    >>> from hdp_gpu import HDP
    >>> X = np.array([[3, 2, 0, 0], [2, 3, 0, 0], [0, 0, 3, 2], [0, 0, 2, 3]] * 5)
    >>> model = HDP(n_iter=100, init="random:10").fit(X)
    >>> model.transform(X).shape == (20, len(model.topic_ids_))
    True
    """
