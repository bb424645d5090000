"""Requirements in every file that can hold them."""

from texts.make import at, repeat, table

PATH = "requirements.txt"
OTHER = {"a.yaml": "a: 1\n"}


def lines(*row):
    """A `requirements.txt`."""
    return at(PATH, repeat(*row), **OTHER)


TEXTS = table(
    {
        "one package": lines("torch>=1\n"),
        "packages": lines("p{i}==1.0\n"),
        "extras": lines("torch[a{i}]>=1\n"),
        "extras of one": lines("a{i},", "torch[", "]>=1\n"),
        "bounds of one": lines(">=1.{i},", "torch", "<9\n"),
        "markers": lines("torch>=1; python_version > '3.{i}'\n"),
        "one marker": lines(" and os_name == 'a'", "torch>=1; os_name == 'b'", "\n"),
        "marker of parentheses": lines("(", "torch; ", "\n"),
        "hashes": lines(" --hash=sha256:a{i} \\\n", "torch==1.0 \\\n", "\n"),
        "continued lines": lines("\\\n", "torch"),
        "comments": lines("# c {i}\n"),
        "included files": lines("-r r{i}.txt\n"),
        "includes itself": lines("-r requirements.txt\n"),
        "constraints": lines("-c requirements.txt\n"),
        "links": lines("torch @ https://x/a{i}.whl\n"),
        "git": lines("git+https://x/torch@v{i}\n"),
        "editable": lines("-e .\n"),
        "options": lines("--index-url https://x/{i}\n"),
        "digits": lines("9", "torch==", "\n"),
        "dots": lines(".1", "torch==1", "\n"),
        "many files": lambda size: {f"requirements-{i}.txt": "torch>=1\n" for i in range(min(size // 400, 2000))} | OTHER,
        "chain of files": lambda size: {f"r{i}.txt": f"torch>=1\n-r r{i + 1}.txt\n-r r{i + 1}.txt\n" for i in range(min(size // 400, 2000))} | OTHER | {PATH: "-r r0.txt\n"},
        "setup.cfg": at("setup.cfg", repeat("    torch>=1\n", "[options]\ninstall_requires =\n"), **OTHER),
        "setup.py": at("setup.py", repeat("'torch>=1',", "from setuptools import setup\nsetup(install_requires=[", "])\n"), **OTHER),
        "environment.yml": at("environment.yml", repeat("  - torch>=1\n", "dependencies:\n"), **OTHER),
        "environment.yml, pip": at("environment.yml", repeat("    - torch>=1\n", "dependencies:\n  - pip:\n"), **OTHER),
        "Pipfile.lock": at("Pipfile.lock", repeat('"p{i}": {"version": "==1.0"},', '{"default": {', '"torch": {"version": "==2.0"}}}'), **OTHER),
        "pip install": at("run.sh", repeat("pip install torch>=1\n"), **OTHER),
        "pip install of many": at("run.sh", repeat("p{i}==1.0 ", "pip install "), **OTHER),
        "Dockerfile": at("Dockerfile", repeat("RUN pip install torch==2.{i}\n", "FROM x\n"), **OTHER),
    }
)
