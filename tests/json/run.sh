#!/usr/bin/env bash
# Compares the JSON reader with Python's json and with hjson 3.1.0, which DeepSpeed reads its file with. Needs python3 and, the
# first time, a network: hjson is installed into target/json-venv. The corpus beside the checkout is used where it is present.
# Usage: tests/json/run.sh [NUMBER OF MUTATIONS] [SEED] [FOLDER OF JSON FILES]
set -euo pipefail
cd "$(dirname "$0")/../.."
venv=target/json-venv
if ! "$venv/bin/python" -c 'import hjson' 2>/dev/null; then
    python3 -m venv "$venv"
    "$venv/bin/python" -m pip install --quiet 'hjson==3.1.0'
fi
cargo build --quiet -p vramlint_syntax --example json_dump
exec "$venv/bin/python" tests/json/compare.py target/debug/examples/json_dump "${1:-20000}" "${2:-1}" "${3:-../shared/corpus}"
