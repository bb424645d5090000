#!/usr/bin/env bash
# The formats for CI, of a project full of what has to be escaped, against those who define or read them: `github` against
# @actions/core, byte for byte; `sarif` against the OASIS schema, Microsoft's validator with GitHub's rules, and sarif-tools; `junit`
# against junitparser; all against our JSON. Needs Node, Python and cargo, which fetches the crate that carries the schema; installs
# the rest under target/.
#
#   tests/clients/reports/run.sh
#
# If one of them is not available, the stage is left out; with CI=true that is a failure.
set -euo pipefail
. "$(dirname "$0")/../common.sh"

command -v node >/dev/null && command -v npm >/dev/null || left_out "Node is absent"
command -v python3 >/dev/null || left_out "Python is absent"
mkdir -p "$tools"
if [ ! -d "$tools/node_modules/@microsoft/sarif-multitool" ]; then
    npm install --prefix "$tools" --no-audit --no-fund --silent --ignore-scripts @actions/core@3.0.1 @microsoft/sarif-multitool@5.7.0 \
        >"$tools/npm.log" 2>&1 || left_out "@actions/core and sarif-multitool cannot be installed, see $tools/npm.log"
fi
if [ ! -x "$tools/venv/bin/sarif" ]; then
    { python3 -m venv "$tools/venv" &&
        "$tools/venv/bin/pip" install --quiet check-jsonschema==0.39.0 junitparser==5.0.3 sarif-tools==3.0.5; } >"$tools/pip.log" 2>&1 ||
        left_out "check-jsonschema, junitparser and sarif-tools cannot be installed, see $tools/pip.log"
fi
if [ ! -f "$tools/sarif.json" ]; then
    # The schema travels in a crate; vendoring it puts it where we can see it.
    mkdir -p "$tools/crate/src"
    printf '[package]\nname = "schema"\nversion = "0.0.0"\nedition = "2021"\n[dependencies]\nserde-sarif = "=0.8.0"\n[workspace]\n' >"$tools/crate/Cargo.toml"
    : >"$tools/crate/src/lib.rs"
    (cd "$tools/crate" && cargo vendor --quiet vendor) >"$tools/cargo.log" 2>&1 || left_out "the schema cannot be had, see $tools/cargo.log"
    cp "$tools/crate/vendor/serde-sarif/src/schema.json" "$tools/sarif.json"
    rm -rf "$tools/crate"
fi

cd "$root"
cargo build --quiet --bin vramlint
binary="${CARGO_TARGET_DIR:-$root/target}/debug/vramlint"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 "$here/nasty.py" "$work/project" "$root/tests/cli/project"
cd "$work/project"

# report NAME FORMAT [WORDS…]
report() {
    local name=$1 format=$2 status=0
    shift 2
    # Not the rules of memory: they would simulate training steps, which other tests do.
    "$binary" check --ignore VL3 --output-format "$format" "$@" >"$work/$name" 2>"$work/err" || status=$?
    if [ "$status" != 1 ] || [ -s "$work/err" ]; then
        printf '%s: exit status %s\n' "$format" "$status"
        cat "$work/err"
        exit 1
    fi
}

for format in json github sarif gitlab junit rdjson; do report "$format" "$format"; done
report zh.sarif sarif --lang zh
node "$here/github.mjs" "$tools" "$work/json" "$work/github"
"$tools/venv/bin/check-jsonschema" --regex-variant nonunicode --schemafile "$tools/sarif.json" "$work/sarif" "$work/zh.sarif"

multitool="$tools/node_modules/@microsoft/sarif-multitool-linux/Sarif.Multitool"
if [ -f "$multitool" ]; then
    chmod +x "$multitool"
    cp "$work/sarif" "$work/report.sarif"
    DOTNET_SYSTEM_GLOBALIZATION_INVARIANT=1 "$multitool" validate "$work/report.sarif" --rule-kind 'Sarif;Ghas' --level 'Error;Warning;Note' \
        --kind Fail --output "$work/validated" --log ForceOverwrite >"$work/multitool.log" 2>&1 || { cat "$work/multitool.log"; exit 1; }
    # Its exit status says nothing. A level left out is a warning. SARIF2005 asks for the project's address, which has none yet.
    python3 - "$work/validated" <<'PYTHON'
import json
import sys

runs = json.load(open(sys.argv[1], encoding="utf-8-sig"))["runs"]
assert runs and all(run["invocations"][0]["executionSuccessful"] for run in runs)
told = {(one["ruleId"], one.get("level", "warning")) for run in runs for one in run["results"]}
grave = sorted(rule for rule, level in told if level != "note" and rule != "SARIF2005")
assert told and not grave, grave
print(f"sarif: nothing against it in the rules of SARIF and GitHub, remarks: {', '.join(sorted(rule for rule, _ in told))}")
PYTHON
else
    printf 'left out: sarif-multitool has no binary for this system\n'
    if [ "${CI:-}" = true ]; then exit 1; fi
fi
"$tools/venv/bin/sarif" --check note summary "$work/zh.sarif" >"$work/summary" && { printf 'sarif-tools read no results\n'; exit 1; }
grep -q '^error: ' "$work/summary"

# Everything moves down by a line, and is still the same to those who count what is new.
find . -name '*.yaml' -print0 | while IFS= read -r -d '' file; do
    { printf '\n'; cat "$file"; } >"$work/moved"
    cp "$work/moved" "$file"
done
report moved.gitlab gitlab
find . -name '*.yaml' -print0 | while IFS= read -r -d '' file; do
    tail -n +2 "$file" >"$work/moved"
    cp "$work/moved" "$file"
done
"$tools/venv/bin/python" "$here/compare.py" "$work/project" "$work"
