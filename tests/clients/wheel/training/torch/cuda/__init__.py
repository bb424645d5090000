import os


def is_available():
    return "WITHOUT_GPU" not in os.environ


def max_memory_allocated():
    return 11 << 30


def max_memory_reserved():
    return 12 << 30
