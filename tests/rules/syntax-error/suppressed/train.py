import torch


def train(:  # vramlint: ignore[syntax-error]
    pass
