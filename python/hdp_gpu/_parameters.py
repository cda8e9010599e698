"""The estimator's parameters, and what scikit-learn wants to know of them."""

from __future__ import annotations

from os import PathLike
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import validate_data

from hdp_gpu import _inputs, _settings
from hdp_gpu._watcher import Callback


class Parameters(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """The parameters of an estimator; `HDP` explains them."""

    def __init__(
        self,
        n_iter: int = 1000,
        *,
        alpha: float | str | None = None,
        beta: float | str | None = None,
        gamma: float | str | None = None,
        psi: str | None = None,
        discount: float | None = None,
        max_topics: int | str | None = None,
        init: str | None = None,
        anneal: str | None = None,
        sampler: str | None = None,
        phi: str | None = None,
        preset: str = "auto",
        chains: int | None = None,
        until: str = "iterations",
        samples: int = 1,
        thin: int = 5,
        finish: int | str | None = None,
        trace_every: int = 10,
        random_state: int | np.random.RandomState | None = 1,
        device: str = "auto",
        n_jobs: int | None = None,
        infer_burn_in: int = 50,
        infer_samples: int = 20,
        infer_thin: int = 5,
        sparse_output: bool = False,
        out: str | PathLike[str] | None = None,
        checkpoint_every: int | str = "10m",
        progress: bool | str = "auto",
        callback: Callback | None = None,
    ) -> None:
        self.n_iter = n_iter
        self.alpha = alpha
        self.beta = beta
        self.gamma = gamma
        self.psi = psi
        self.discount = discount
        self.max_topics = max_topics
        self.init = init
        self.anneal = anneal
        self.sampler = sampler
        self.phi = phi
        self.preset = preset
        self.chains = chains
        self.until = until
        self.samples = samples
        self.thin = thin
        self.finish = finish
        self.trace_every = trace_every
        self.random_state = random_state
        self.device = device
        self.n_jobs = n_jobs
        self.infer_burn_in = infer_burn_in
        self.infer_samples = infer_samples
        self.infer_thin = infer_thin
        self.sparse_output = sparse_output
        self.out = out
        self.checkpoint_every = checkpoint_every
        self.progress = progress
        self.callback = callback

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        tags.transformer_tags.preserves_dtype = []
        return tags

    def _counts(self, X: Any, *, reset: bool) -> sp.csr_array:
        """The counts in X, which is checked as estimators check."""
        X = validate_data(self, X, accept_sparse="csr", ensure_non_negative=True, reset=reset)
        return _inputs.whole(X)

    def _threads(self) -> int:
        return _settings.threads(self.n_jobs)
