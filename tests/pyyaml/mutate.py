"""Small damages to YAML texts."""

import random

INSERTS = ["\t", ":", ": ", "- ", "\n", '"', "'", "[", "]", "{", "}", ",", "#", " #", "&a ", "*a", "!!str ", "?", "|\n", ">\n", "  ", "---\n", "中", "\r\n"]
COUNT = 6000


def mutants(texts, seed):
    """COUNT changed texts: something inserted, deleted or cut off at a random place."""
    rng = random.Random(seed)
    for _ in range(COUNT):
        text = rng.choice(texts)
        at = rng.randint(0, len(text))
        kind = rng.randrange(4)
        if kind == 0:
            yield text[:at]
        elif kind == 1:
            yield text[:at] + text[at + rng.randint(1, 3):]
        else:
            yield text[:at] + rng.choice(INSERTS) + text[at:]
