#!/usr/bin/env bash
# The server in Neovim without a screen, through the configuration in editors/neovim: findings, columns behind Chinese letters, hover,
# an unsaved edit of one file that changes the findings of another, a quick fix. Installs Neovim with apt-get as root.
#
#   tests/clients/neovim/run.sh
#
# If Neovim is not available, the stage is left out; with CI=true that is a failure.
set -euo pipefail
. "$(dirname "$0")/../common.sh"

command -v nvim >/dev/null || debian_install Neovim neovim
command -v nvim >/dev/null || left_out "Neovim is absent"
cd "$root"
use_binary
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -R "$here/project" "$work/project"
# A project of its own, and nobody's own configuration of Neovim.
: >"$work/project/vramlint.toml"
export VRAMLINT_BINARY VRAMLINT_PROJECT="$work/project" XDG_CONFIG_HOME="$work/config" XDG_DATA_HOME="$work/data"
export XDG_STATE_HOME="$work/state" XDG_CACHE_HOME="$work/cache" LANG=C.UTF-8
unset LC_ALL LANGUAGE VIMINIT
status=0
timeout 120 nvim --headless -u NONE -i NONE --cmd "set runtimepath^=$root/editors/neovim" -c 'filetype on' -c "luafile $here/test.lua" || status=$?
if [ "$status" != 0 ]; then
    find "$work" -name 'lsp.log' -exec tail -n 20 {} \;
    exit 1
fi
