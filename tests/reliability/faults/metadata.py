"""Files of versions and of patterns, large and twisted."""

TEXTS = {
    "pyproject.toml, 60,000 dependencies": {"pyproject.toml": "[project]\ndependencies=[" + "'torch>=1'," * 60_000 + "]\n"},
    "requirements.txt, 100,000 lines": {"requirements.txt": "torch>=1\n" * 100_000},
    "requirements.txt, different bounds": {"requirements.txt": "".join(f"torch>=1.{i}\n" for i in range(60_000))},
    "requirements.txt that includes itself": {"requirements.txt": "-r requirements.txt\n" * 20_000},
    "a marker of 100,000 brackets": {"requirements.txt": "torch; " + "(" * 100_000 + "\n"},
    "setup.py": {"setup.py": "from setuptools import setup\nsetup(install_requires=[" + "'torch>=1'," * 60_000 + "])\n"},
    "environment.yml": {"environment.yml": "dependencies:\n" + "  - torch>=1\n" * 60_000},
    ".gitignore of 200,000 lines": {".gitignore": "".join(f"folder{i}/*.log\n" for i in range(200_000))},
    ".gitignore of one line": {".gitignore": "*a" * 100_000},
    ".gitignore of brackets": {".gitignore": "[" * 100_000},
    ".gitignore of braces in braces": {".gitignore": "{a," * 30_000 + "}" * 30_000},
    ".ignore of braces in braces": {"sub/.ignore": "{a," * 30_000 + "}" * 30_000, "sub/b.yaml": "a: 1\n"},
    "uv.lock of 100,000 packages": {"uv.lock": "".join(f'[[package]]\nname = "p{i}"\nversion = "1"\n' for i in range(100_000))},
}


def faults(bench):
    for name, files in TEXTS.items():
        ran = bench.run(bench.folder({**files, "a.yaml": "a: [1\n"}), "check", "--exit-zero")
        yield name, ran.answered and "a.yaml" in ran.text, ran
