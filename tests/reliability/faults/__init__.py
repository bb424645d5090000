"""Faults by group: each module has a function `faults(bench)` that yields rows of a name, whether it passed, and what came."""
