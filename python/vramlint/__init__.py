"""A linter for GPU-training configuration. The program itself is a binary beside Python's other scripts.

``watch()`` compares a training that runs with its estimate.
"""

from ._binary import find_binary
from ._watch import callback, watch

__all__ = ["callback", "find_binary", "watch"]
