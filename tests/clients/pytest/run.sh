#!/usr/bin/env bash
# Drives the real binary with pytest-lsp, in a Python environment of its own under target/.
#
#   tests/clients/pytest/run.sh
#
# If Python or the packages is not available, the stage is left out; with CI=true that is a failure.
set -euo pipefail
. "$(dirname "$0")/../common.sh"

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
