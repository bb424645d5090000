"""Where the installer has put the binary."""

import os
import sys
import sysconfig


def find_binary() -> str:
    """The path of the ``vramlint`` binary that was installed with this package.

    Raises FileNotFoundError that names every folder looked in.
    """
    name = "vramlint" + (sysconfig.get_config_var("EXE") or "")
    folders = list(_folders())
    for folder in folders:
        path = os.path.join(folder, name)
        if os.path.isfile(path):
            return path
    raise FileNotFoundError(f"{name} is in none of {', '.join(folders)}; install vramlint anew")


def _folders():
    # Those of this interpreter, of an installation with --user, and of one with --target or --prefix, whose scripts
    # lie beside or above the package.
    yield sysconfig.get_path("scripts")
    yield sysconfig.get_path("scripts", scheme=_user_scheme())
    beside = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    yield os.path.join(beside, "bin")
    # prefix/lib/python3.x/site-packages, on Windows prefix/Lib/site-packages
    if os.name == "nt":
        yield os.path.join(os.path.dirname(os.path.dirname(beside)), "Scripts")
    else:
        yield os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(beside))), "bin")


def _user_scheme() -> str:
    if sys.version_info >= (3, 10):
        return sysconfig.get_preferred_scheme("user")
    if os.name == "nt":
        return "nt_user"
    if sys.platform == "darwin" and getattr(sys, "_framework", None):
        return "osx_framework_user"
    return "posix_user"
