#!/usr/bin/env bash
# The server in Emacs in batch mode, through editors/emacs/vramlint.el and eglot: findings, columns behind Chinese letters, settings,
# an unsaved edit of one file that changes the findings of another. Installs Emacs and eglot with apt-get as root.
#
#   tests/clients/emacs/run.sh
#
# If Emacs is not available, the stage is left out; with CI=true that is a failure.
set -euo pipefail
. "$(dirname "$0")/../common.sh"

# From 29 on eglot is part of Emacs.
eglot() {
    command -v emacs >/dev/null || return 1
    [ -n "$(find /usr/share/emacs/site-lisp/elpa -maxdepth 1 -name 'eglot*' 2>/dev/null)" ] ||
        emacs -Q --batch --eval '(kill-emacs (if (locate-library "eglot") 0 1))' 2>/dev/null
}

eglot || debian_install Emacs emacs-nox elpa-eglot
eglot || left_out "Emacs with eglot is absent"
cd "$root"
use_binary
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -R "$root/tests/clients/neovim/project" "$work/project"
# eglot takes the repository for the project.
git init --quiet "$work/project"
export VRAMLINT_BINARY VRAMLINT_PROJECT="$work/project" VRAMLINT_EDITOR="$root/editors/emacs" HOME="$work" LANG=C.UTF-8
unset LC_ALL LANGUAGE
timeout 120 emacs -Q --batch -l "$here/test.el" 2>"$work/log" || {
    tail -n 20 "$work/log"
    exit 1
}
