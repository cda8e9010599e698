"""The model as the clusters of BERTopic, without a model of embeddings: documents go in as their counts."""

import numpy as np
from bertopic import BERTopic
from bertopic.backend import BaseEmbedder
from bertopic.dimensionality import BaseDimensionalityReduction
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.feature_extraction.text import CountVectorizer

from hdp_gpu import HDP


class Counts(BaseEmbedder):
    """Documents as counts of words."""

    def __init__(self, vectorizer):
        super().__init__()
        self.vectorizer = vectorizer

    def embed(self, documents, verbose=False):
        return self.vectorizer.transform(documents).toarray().astype(float)


class LargestTopic(ClusterMixin, BaseEstimator):
    """A document's cluster is its largest topic."""

    def fit(self, X, y=None):
        self.model_ = HDP(100, device="cpu").fit(X)
        self.labels_ = self.predict(X)
        return self

    def predict(self, X):
        return self.model_.transform(X).argmax(axis=1)


texts = ["ash birch cedar fir oak", "bread cheese olives salt wine"] * 40
vectorizer = CountVectorizer().fit(texts)
bertopic = BERTopic(
    embedding_model=Counts(vectorizer),
    umap_model=BaseDimensionalityReduction(),
    hdbscan_model=LargestTopic(),
    calculate_probabilities=False,
)
found, _ = bertopic.fit_transform(texts)
found = np.array(found)
assert (found[0::2] == found[0]).all() and (found[1::2] == found[1]).all() and found[0] != found[1], found
assert {"ash", "birch"} <= {word for word, _ in bertopic.get_topic(found[0])}
print("BERTopic: two themes, two topics")
