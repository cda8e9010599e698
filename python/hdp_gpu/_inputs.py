"""What users have, as the library takes it: counts, texts, names and columns of values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp

from hdp_gpu import _core

About = tuple[list[str] | None, list[tuple[str, list[str]]], list[tuple[str, str]], str | None]


def whole(X: Any) -> sp.csr_array:
    """A matrix of numbers as counts by rows. Integers are not copied.

    Raises
    ------
    ValueError
        When a number is a fraction, or too large to be a count.
    """
    matrix = X if sp.issparse(X) and X.format == "csr" else sp.csr_array(X)
    data = matrix.data
    if data.dtype.kind == "f":
        if not np.all(data == np.floor(data)):
            raise ValueError("X has fractions, and a model of counts needs counts: use CountVectorizer, not TfidfVectorizer")
        if data.size and data.max() > np.iinfo(np.int32).max:
            raise ValueError(f"X has the count {data.max()}, which is too large")
    if data.dtype not in (np.int32, np.int64):
        data = data.astype(np.int64 if data.dtype.kind in "iu" and data.dtype.itemsize > 2 else np.int32)
    return sp.csr_array((data, matrix.indices, matrix.indptr), shape=matrix.shape)


def corpus_of_counts(counts: sp.csr_array, vocab: Sequence[str] | None, about: About) -> _core.Corpus:
    """The corpus of a matrix of counts."""
    places = np.result_type(counts.indptr, counts.indices)
    arrays = (
        np.ascontiguousarray(counts.indptr, dtype=places),
        np.ascontiguousarray(counts.indices, dtype=places),
        np.ascontiguousarray(counts.data),
    )
    return _core.Corpus.from_counts(arrays, counts.shape[1], None if vocab is None else list(vocab), about)


def strings(values: Iterable[Any], what: str) -> list[str]:
    """Texts of a list, or of a column of pandas, Polars or Arrow.

    Raises
    ------
    TypeError
        When something else is among them, a missing value for example.
    """
    if isinstance(values, (str, bytes)):
        raise TypeError(f"{what}: a list of texts is needed, and this is one {type(values).__name__}")
    listed = values.to_pylist() if hasattr(values, "to_pylist") else list(values)
    for place, value in enumerate(listed):
        if not isinstance(value, str):
            raise TypeError(f"{what}: number {place} is no text but {value!r}")
    return [str(value) for value in listed]


def token_lists(docs: Iterable[Iterable[str]]) -> list[list[str]]:
    """Lists of words."""
    listed = docs.to_pylist() if hasattr(docs, "to_pylist") else docs
    return [strings(doc, f"document {d}") for d, doc in enumerate(listed)]


def are_texts(documents: Any) -> bool:
    """Whether documents are texts, in a list or a column, and not a matrix."""
    if not isinstance(documents, (list, tuple)) and not hasattr(documents, "to_pylist"):
        if sp.issparse(documents) or len(getattr(documents, "shape", ())) != 1:
            return False
    first = next(iter(documents), None)
    return isinstance(first, str) or (hasattr(first, "as_py") and isinstance(first.as_py(), str))


def listed(documents: Any) -> Any:
    """What can be gone through only once, or is neither a list nor a table, as a list."""
    is_table = any(hasattr(documents, name) for name in ("shape", "to_pylist", "__array__", "__dataframe__"))
    if is_table or isinstance(documents, (str, bytes, list, tuple, Mapping)) or not isinstance(documents, Iterable):
        return documents
    return list(documents)


def about(
    doc_ids: Iterable[Any] | None,
    metadata: Any,
    preparation: list[tuple[str, str]] | None = None,
    like: str | None = None,
) -> About:
    """What is said of documents, for the library."""
    names = None if doc_ids is None else [str(name) for name in doc_ids]
    return names, columns(metadata), preparation or [], like


def columns(metadata: Any) -> list[tuple[str, list[str]]]:
    """Columns of a table of values, one row per document, as texts; what is missing is an empty one."""
    if metadata is None:
        return []
    table = metadata.items() if isinstance(metadata, Mapping) else ((name, metadata[name]) for name in metadata.columns)
    return [(str(name), [value_text(value) for value in values]) for name, values in table]


def value_text(value: Any) -> str:
    """A value of metadata as a text."""
    return "" if pd.api.types.is_scalar(value) and pd.isna(value) else str(value)


def unique(names: Iterable[Any]) -> list[str]:
    """The names of features, which are how new documents find the words of a model.

    Raises
    ------
    ValueError
        When a name repeats another.
    """
    listed = [str(name) for name in names]
    if len(set(listed)) != len(listed):
        raise ValueError("feature_names: a name is given twice, and words are found by their names")
    return listed
