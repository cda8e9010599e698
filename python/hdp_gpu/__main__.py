"""The command, ``hdp-gpu`` or ``python -m hdp_gpu``: the program itself, which the extension carries."""

import sys

from hdp_gpu import _core


def main() -> int:
    """Runs the command line of this process."""
    return _core.main(["hdp-gpu", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
