#!/usr/bin/env bash
# Drives the real binary with pytest-lsp, in a Python environment of its own under target/.
#
#   tests/clients/pytest/run.sh
#
# Where Python or the packages cannot be had, says that the stage was left out; under CI=true that is a failure.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
tools="$root/target/clients/pytest"

left_out() {
    printf 'left out: %s\n' "$1"
    if [ "${CI:-}" = true ]; then exit 1; fi
    exit 0
}

command -v python3 >/dev/null || left_out "Python is absent"
if ! "$tools/bin/python" -c 'import pytest_lsp' 2>/dev/null; then
    mkdir -p "$(dirname "$tools")"
    { python3 -m venv --clear "$tools" && "$tools/bin/python" -m pip install --quiet pytest-lsp==1.0.1 pytest-asyncio; } \
        >"$tools.log" 2>&1 || left_out "pytest-lsp cannot be installed, see $tools.log"
fi
cd "$root"
cargo build --quiet --bin vramlint
# A server that does not end would hang the teardown without a word.
VRAMLINT="${CARGO_TARGET_DIR:-$root/target}/debug/vramlint" timeout 300 "$tools/bin/python" -m pytest -q -W ignore \
    -o asyncio_default_fixture_loop_scope=function -o faulthandler_timeout=60 -p no:cacheprovider "$here" "$@"
