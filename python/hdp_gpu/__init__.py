"""Hierarchical Dirichlet process topic models, as a scikit-learn estimator.

The number of topics is learned, and the same seed gives the same result on every device, with any number of threads, here and on
the command line (``hdp-gpu``, or ``python -m hdp_gpu``).

>>> from hdp_gpu import HDP
>>> model = HDP(n_iter=20).fit([[2, 1, 0, 0], [1, 2, 0, 0], [0, 0, 1, 2], [0, 0, 2, 1]])
>>> model.components_.shape[1]
4
"""

from typing import TYPE_CHECKING

from hdp_gpu._core import DeviceError, version

if TYPE_CHECKING:
    from hdp_gpu._estimator import HDP

__version__ = version()
__all__ = ["HDP", "DeviceError", "__version__"]


# Types are looked for in the names above, so that a misspelt one is found.
if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        # The command starts without scikit-learn and pandas.
        if name == "HDP":
            from hdp_gpu._estimator import HDP

            return HDP
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
