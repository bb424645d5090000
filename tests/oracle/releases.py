"""Which releases of which library are looked at, and their archives, fetched once with pip into a cache folder."""

import concurrent.futures
import pathlib
import re
import subprocess
import sys

from order import order

CACHE = pathlib.Path(__file__).resolve().parents[2] / "target" / "oracle" / "archives"

# Library -> first release looked at.
FIRST = {
    "transformers": "4.36.0",
    "trl": "0.7.0",
    "peft": "0.6.0",
    "accelerate": "0.20.0",
    "deepspeed": "0.9.0",
    "llamafactory": "0.7.1",
    "axolotl": "0.5.0",
    "ms-swift": "3.0.0",
    "torchtune": "0.1.0",
    "openrlhf": "0.4.0",
    "unsloth": "2026.8.19",
}

# DeepSpeed has no wheels. pip runs the setup of a source archive: setuptools<80, wheel, packaging, ninja (and torch for some) must be there.
SOURCES = ("--no-binary", ":all:", "--no-build-isolation")

# Release -> library -> why it is left out.
LEFT_OUT = {
    ("transformers", "4.57.5"): "yanked",
    ("deepspeed", "0.11.0"): "its source archive does not build",
}


def released(library: str) -> list[str]:
    """The releases of `library` from the first one looked at, oldest first, as pip lists them."""
    out = subprocess.run([sys.executable, "-m", "pip", "index", "versions", library], capture_output=True, text=True, check=True).stdout
    versions = re.search(r"Available versions: (.*)", out)[1].split(", ")
    first = order(FIRST[library])
    return sorted((v for v in versions if order(v) >= first and (library, v) not in LEFT_OUT), key=order)


def archive(library: str, version: str) -> pathlib.Path | None:
    """The wheel or source archive of a release in the cache."""
    folder = CACHE / library
    name = library.replace("-", "_")
    for pattern in (f"{name}-{version}-*.whl", f"{name}-{version}.tar.gz", f"{library}-{version}.tar.gz", f"{name}-{version}.zip"):
        found = sorted(folder.glob(pattern))
        if found:
            return found[0]
    return None


def fetch(library: str, version: str) -> str | None:
    """Downloads a release unless the cache has it. What went wrong, or nothing."""
    if archive(library, version):
        return None
    folder = CACHE / library
    folder.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-cache-dir", "--disable-pip-version-check",
               "--dest", str(folder), *(SOURCES if library == "deepspeed" else ()), f"{library}=={version}"]
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode == 0 and archive(library, version):
        return None
    return f"{library} {version}: {(run.stderr.strip().splitlines() or ['no archive'])[-1]}"


def cached(library: str) -> list[str]:
    """The releases of `library` in the cache, oldest first."""
    folder = CACHE / library
    if not folder.is_dir():
        return []
    names = (re.match(r"[A-Za-z_-]+-([0-9][0-9a-z.]*?)(?:-[^-]+-[^-]+-[^-]+\.whl|\.tar\.gz|\.zip)$", path.name) for path in folder.iterdir())
    return sorted({found[1] for found in names if found}, key=order)


def main() -> None:
    libraries = sys.argv[1:] or list(FIRST)
    problems = []
    for library in libraries:
        versions = released(library)
        # Latest patch and first patch of each minor first, so that an interrupted run is already of use.
        with concurrent.futures.ThreadPoolExecutor(6) as pool:
            for problem in pool.map(lambda version: fetch(library, version), versions):
                if problem:
                    problems.append(problem)
                    print(problem, flush=True)
        print(f"{library}: {len(cached(library))} of {len(versions)} releases", flush=True)
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
