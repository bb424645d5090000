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
        "bounds of many": lines("torch>=1.{i},!=2.{i}\n"),
        "excluded versions": lines("!=1.{i},", "torch", "!=9\n"),
        "versions with stars": lines("p{i}==1.*\n"),
        "compatible versions": lines("torch~=2.{i}.0\n"),
        "versions of letters": lines("torch==2.0.{i}rc1.post2.dev3+cu121\n"),
        "long local version": lines(".a", "torch==2+a", "\n"),
        "long name": lines("a", "", "==1\n"),
        "names of signs": lines("a-_.", "", "==1\n"),
        "markers of or": lines(" or os_name == 'a{i}'", "torch>=1; os_name == 'b'", "\n"),
        "markers of parentheses closed": lines("(", "torch; ", "os_name == 'a'\n", ")"),
        "markers of lists": lines("torch; python_version in '3.{i} 3.9'\n"),
        "quotes not closed": lines("torch; os_name == 'a\n"),
        "extras not closed": lines("torch[a\n"),
        "brackets": lines("["),
        "parentheses of versions": lines("torch (>=1.{i})\n"),
        "paths": lines("./a{i}/torch-2.0-py3-none-any.whl\n"),
        "addresses of wheels": lines("https://x/torch-2.{i}-cp312-cp312-linux_x86_64.whl\n"),
        "fragments": lines("git+https://x/y@v{i}#egg=torch\n"),
        "variables": lines("torch=={i}.${A}\n"),
        "carriage returns": lines("torch>=1\r\n"),
        "blanks": lines(" "),
        "comments after packages": lines("torch>=1 # c {i}\n"),
        "hashes over lines": lines("torch==2.0 --hash=sha256:a{i} \\\n  --hash=sha256:b\n"),
        "constraints of others": lambda size: {f"c{i}.txt": "torch<9\n" for i in range(min(size // 400, 2000))} | OTHER | {PATH: "".join(f"-c c{i}.txt\n" for i in range(min(size // 400, 2000)))},
        "tree of files": lambda size: {f"r{i}.txt": f"torch>=1\n-r r{2 * i + 1}.txt\n-r r{2 * i + 2}.txt\n" for i in range(min(size // 400, 2000))} | OTHER | {PATH: "-r r0.txt\n"},
        "environment.yml of builds": at("environment.yml", repeat("  - pytorch=2.{i}=py3.12_cuda\n", "dependencies:\n"), **OTHER),
        "setup.cfg of extras": at("setup.cfg", repeat("a{i} = torch>=1\n", "[options.extras_require]\n"), **OTHER),
        "setup.py of extras": at("setup.py", repeat("'a{i}': ['torch>=1'], ", "from setuptools import setup\nsetup(extras_require={", "})\n"), **OTHER),
        "setup.py of lists added": at("setup.py", repeat("r += ['torch>={i}']\n", "from setuptools import setup\nr = []\n", "setup(install_requires=r)\n"), **OTHER),
        "Pipfile.lock of hashes": at("Pipfile.lock", repeat('"sha256:{i}",', '{"default": {"torch": {"hashes": [', '"x"], "version": "==2.0"}}}'), **OTHER),
    }
)
