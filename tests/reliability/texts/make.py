"""What generators are made of."""


def repeat(piece: str, head: str = "", tail: str = "", close: str = ""):
    """`head`, then `piece` again and again with `{i}` counted up, then `close` as often, then `tail`."""
    fixed = len(head) + len(tail)
    numbered = "{i}" in piece

    def text(size: int) -> str:
        count, length, pieces = 0, fixed, []
        while length < size:
            one = piece.replace("{i}", str(count)) if numbered else piece
            pieces.append(one)
            length += len(one) + len(close)
            count += 1
        return head + "".join(pieces) + close * count + tail

    return text


def at(path: str, generator, **others):
    """The text of `generator` at another path than that of its language; others are files that stand beside it."""
    return lambda size: {path: generator(size), **others}


def both(first, second):
    """Half of the size each: what one half declares, the other uses."""
    return lambda size: first(size // 2) + second(size // 2)


def table(rows):
    """A dictionary of generators: a value that is a list holds the arguments of `repeat`."""
    return {name: repeat(*row) if isinstance(row, (list, tuple)) else repeat(row) if isinstance(row, str) else row for name, row in rows.items()}
