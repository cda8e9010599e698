"""Document completion: nats per word of the second halves of held-out documents, with the topics of the first halves.

The tokens of every document are shuffled and halved by a fixed seed. θ is folded in by STEPS steps of EM on the first half, with
the prior's weights as counts: r_wk ∝ φ_kw·θ_k, θ_k ∝ α_k + Σ_w r_wk, from θ ∝ α. The second half is scored by p(w) = Σ_k θ_k·φ_kw.
"""

import numpy as np

STEPS = 50
SEED = 1


def fold_in(words, phi, alpha):
    """θ of a document with these words."""
    columns = phi[:, words]
    theta = alpha / alpha.sum()
    for _ in range(STEPS):
        responsibilities = columns * theta[:, None]
        responsibilities /= responsibilities.sum(axis=0)
        theta = alpha + responsibilities.sum(axis=1)
        theta /= theta.sum()
    return theta


def completion(documents, phi, alpha):
    """The mean ln p(w) of the second halves; φ is topics × words, α the prior's weight of each topic."""
    rng = np.random.default_rng(SEED)
    log_p, tokens = 0.0, 0
    for words in documents:
        words = rng.permutation(words)
        first, second = np.split(words, [(len(words) + 1) // 2])
        log_p += np.log(fold_in(first, phi, alpha) @ phi[:, second]).sum()
        tokens += len(second)
    return log_p / tokens
