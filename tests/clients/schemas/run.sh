#!/usr/bin/env bash
# The JSON Schemas in schemas/ over a corpus of real files beside the checkout, of which is known what the real tools say to them: none
# that is accepted may be refused; how many of the rejected ones are refused is printed. Installs jsonschema and PyYAML under target/.
#
#   tests/clients/schemas/run.sh
#
# Without the corpus there is nothing to compare, and it says so. Where the packages cannot be had, says that the stage was left
# out; under CI=true that is a failure.
set -euo pipefail
. "$(dirname "$0")/../common.sh"
corpus="${VRAMLINT_CORPUS:-$root/../shared/corpus}"

if [ ! -f "$corpus/LABELS.jsonl" ]; then
    printf 'skipped: %s is absent\n' "$corpus"
    exit 0
fi
command -v python3 >/dev/null || left_out "Python is absent"
if [ ! -d "$tools/venv" ] || ! "$tools/venv/bin/python" -c 'import jsonschema, yaml' 2>/dev/null; then
    mkdir -p "$tools"
    { python3 -m venv "$tools/venv" && "$tools/venv/bin/pip" install --quiet jsonschema==4.25.1 PyYAML==6.0.3; } >"$tools/pip.log" 2>&1 ||
        left_out "jsonschema and PyYAML cannot be installed, see $tools/pip.log"
fi
"$tools/venv/bin/python" "$here/compare.py" "$corpus" "$root/schemas"
