#!/usr/bin/env bash
# Makes the .vsix of the extension; installs its tools from the lock file if they are absent.
#
#   package.sh [--out FILE] [BINARY TARGET]
#
# With a BINARY of vramlint it goes into the extension, which is then for one platform; TARGET is its name for the editor
# (linux-x64, linux-arm64, alpine-x64, darwin-arm64, win32-x64, ...). Without, the extension is for all platforms and looks for
# vramlint in the Python environment and in PATH.
set -euo pipefail

out=
if [ "${1:-}" = --out ]; then
    out=$(realpath -m "${2:?--out needs a file}")
    shift 2
fi
binary=${1:-} target=${2:-}
if [ $# -gt 2 ] || { [ -n "$binary" ] && [ -z "$target" ]; }; then
    printf 'usage: package.sh [--out FILE] [BINARY TARGET]\n' >&2
    exit 2
fi
if [ -n "$binary" ]; then binary=$(realpath -e "$binary"); fi

cd "$(dirname "$0")"
if [ ! -d node_modules ]; then npm ci --ignore-scripts --no-audit --no-fund --silent; fi
rm -rf server
words=(--no-dependencies --no-rewrite-relative-links --allow-missing-repository)
if [ -n "$binary" ]; then
    name=vramlint
    case $target in win32-*) name=vramlint.exe ;; esac
    install -D -m 755 "$binary" "server/$name"
    trap 'rm -rf server' EXIT
    words+=(--target "$target")
fi
npx --no-install vsce package "${words[@]}" --out "${out:-vramlint${target:+-$target}.vsix}"
