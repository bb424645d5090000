#!/usr/bin/env bash
# Compares the YAML reader with the real libraries. Needs Python 3 and, the first time, the package index.
#
#   tests/pyyaml/run.sh [FOLDER...]
#
# FOLDER holds YAML files to compare as a whole; without any, `../shared/corpus` beside the repository, if it is there.
# Prints what was compared; exits with 1 on any difference.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
venv="${VRAMLINT_PYYAML_VENV:-$root/target/pyyaml-venv}"

if [ ! -x "$venv/bin/python" ]; then
    python3 -m venv "$venv"
    "$venv/bin/pip" install --quiet PyYAML==6.0.3 omegaconf==2.4.0 ruamel.yaml==0.19.1
fi
cd "$root"
cargo build --quiet -p vramlint_syntax --example scalar_dump
if [ $# -eq 0 ] && [ -d "$root/../shared/corpus" ]; then
    set -- "$root/../shared/corpus"
fi
exec "$venv/bin/python" "$here/compare.py" "${CARGO_TARGET_DIR:-$root/target}/debug/examples/scalar_dump" "$@"
