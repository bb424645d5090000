from . import cuda, optim  # noqa: F401
