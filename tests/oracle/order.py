"""The order of releases."""


def order(version: str) -> tuple:
    """Sorts `1.9.0`, `1.9.0.post1`, `1.10.0` in this order."""
    release, _, post = version.partition(".post")
    parts = [int(part) for part in release.split(".")]
    return (*parts, *[0] * (4 - len(parts)), int(post or 0))
