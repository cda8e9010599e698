"""Sparse rows of the extension as matrices over the topics of an estimator."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp


def theta_matrix(theta: Any, topics: np.ndarray, sparse: bool) -> np.ndarray | sp.csr_array:
    """Documents' topics, a column for each of ``topics``, among which are all of ``theta``; dense rows have the prior's share of each
    topic of ``theta``, and add up to 1."""
    (indptr, indices, data), (active, alpha_psi), tokens = theta
    shape = (len(tokens), len(topics))
    if sparse:
        return sp.csr_array((data, np.searchsorted(topics, indices), indptr), shape=shape)
    dense = np.zeros(shape)
    dense[:, np.searchsorted(topics, active)] = alpha_psi / (alpha_psi.sum() + tokens[:, None])
    rows = np.repeat(np.arange(len(tokens)), np.diff(indptr))
    dense[rows, np.searchsorted(topics, indices)] = data
    return dense


def phi_matrix(phi: Any, words: int) -> np.ndarray:
    """Topics' words, a row for each topic; each adds up to 1."""
    (indptr, indices, data), floor = phi
    dense = np.repeat(floor[:, None], words, axis=1)
    dense[np.repeat(np.arange(len(floor)), np.diff(indptr)), indices] = data
    return dense


def first_words(phi: Any, topic: int, count: int) -> np.ndarray:
    """The numbers of the words with tokens in a topic, given by its row, that have most of it."""
    (indptr, indices, data), _ = phi
    row = slice(indptr[topic], indptr[topic + 1])
    return indices[row][np.argsort(-data[row], kind="stable")[:count]]
