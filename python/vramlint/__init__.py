"""A linter for GPU-training configuration. The program itself is a binary beside Python's other scripts."""

from ._binary import find_binary

__all__ = ["find_binary"]
