#!/usr/bin/env bash
# The Python package in real hands: `pip install .` and `uvx --from .` in fresh environments, `vramlint` and `python -m vramlint`.
# Installs maturin through pip, and uv under target/ where it is absent. Builds with Cargo's dev profile, whose build the other
# tests have made already: here it is asked what lands where.
#
#   tests/clients/wheel/run.sh
#
# If Python is not available, the stage is left out; with CI=true that is a failure.
set -euo pipefail
. "$(dirname "$0")/../common.sh"

wrong() {
    printf 'wrong: %s\n' "$1"
    exit 1
}

# same WHAT GOT WANTED
same() {
    [ "$2" = "$3" ] || wrong "$1: '$2' is not '$3'"
}

command -v python3 >/dev/null || left_out "Python is absent"
mkdir -p "$tools"
python3 -m venv --clear "$tools/venv" >"$tools/venv.log" 2>&1 || left_out "Python's venv is absent, see $tools/venv.log"
python="$tools/venv/bin/python"
if [ ! -x "$tools/uv/bin/uv" ]; then
    { python3 -m venv "$tools/uv" && "$tools/uv/bin/pip" install --quiet uv maturin==1.16.0; } >"$tools/uv.log" 2>&1 ||
        left_out "uv and maturin cannot be installed, see $tools/uv.log"
fi
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$root/target}" MATURIN_PEP517_ARGS="--profile dev"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -R "$root/examples/reward-model" "$work/project"
version=$(sed -n '/^\[workspace.package\]/,/^$/s/^version = "\(.*\)"/\1/p' "$root/Cargo.toml")

printf 'pip install\n'
"$tools/venv/bin/pip" install --quiet "$root"
cd "$work/project"
same "vramlint --version" "$("$tools/venv/bin/vramlint" --version)" "vramlint $version"
same "python -m vramlint --version" "$("$python" -m vramlint --version)" "vramlint $version"
same "pip's version" "$("$python" -c 'from importlib.metadata import version; print(version("vramlint"))')" "$version"
same "where the binary is" "$("$python" -c 'import vramlint; print(vramlint.find_binary())')" "$tools/venv/bin/vramlint"

words="check --select VL102 --output-format concise"
# shellcheck disable=SC2086 # words are words
{
    out=$("$tools/venv/bin/vramlint" $words) && wrong "the example has findings"
    status=$?
    again=$("$python" -m vramlint $words) && wrong "python -m loses the exit status"
}
same "the exit status" "$status" 1
same "the output of python -m" "$again" "$out"
"$python" -m vramlint check --no-such-flag >/dev/null 2>&1 && wrong "a wrong flag is accepted"
same "the exit status of a wrong flag" "$("$python" -m vramlint check --no-such-flag >/dev/null 2>&1 || printf '%s' $?)" 2

printf 'a training that is watched\n'
cp -R "$root/tests/clients/wheel/training" "$work/training"
(
    cd "$work/training"
    out=$("$python" train.py 2>&1) || wrong "a watched training fails: $out"
    case $out in *"measured by watch"*"measured 12.00 GiB"*trained*|*trained*"measured by watch"*"measured 12.00 GiB"*) ;; *) wrong "watch says: $out" ;; esac
    grep -q '^reserved = 12884901888' vramlint.toml || wrong "watch saves nothing"
    "$tools/venv/bin/vramlint" estimate . --lang en | grep -q 'this setup took' || wrong "the measurement is not used"
    same "a rank that is not the first" "$(RANK=1 "$python" train.py 2>&1)" trained
    same "a machine without a GPU" "$(WITHOUT_GPU=1 "$python" train.py 2>&1)" trained
    sed -i.old 's/^vramlint.watch()/vramlint.watch(project="\/no\/such\/folder")/' train.py
    out=$("$python" train.py 2>/dev/null) || wrong "a failing watch ends the training"
    same "a training whose watch fails" "$out" trained
    sed -i.old -e 's/^vramlint.watch.*//' -e 's/\(batch_size=1)\))/\1, callbacks=[vramlint.callback()])/' train.py
    out=$("$python" train.py 2>&1)
    case $out in *"measured by watch"*) ;; *) wrong "the callback says: $out" ;; esac
)

printf 'pip install --target\n'
"$tools/venv/bin/pip" install --quiet --target "$work/beside" "$root"
"$tools/venv/bin/pip" uninstall --quiet --yes vramlint
same "python -m from a folder" "$(PYTHONPATH="$work/beside" "$python" -m vramlint --version)" "vramlint $version"
out=$(cd "$work" && cp -R "$work/beside/vramlint" "$work/vramlint" && "$python" -m vramlint --version 2>&1) && wrong "a package without its binary runs: $out"
case $out in *"install vramlint anew"*) ;; *) wrong "a package without its binary says: $out" ;; esac

printf 'uvx\n'
same "uvx" "$("$tools/uv/bin/uvx" --quiet --from "$root" vramlint --version)" "vramlint $version"

printf 'the source distribution\n'
"$tools/uv/bin/maturin" sdist --manifest-path "$root/Cargo.toml" --out "$work/dist" >"$work/sdist.log" 2>&1 || { cat "$work/sdist.log"; exit 1; }
tar -tzf "$work/dist/vramlint-$version.tar.gz" >"$work/names"
for name in Cargo.lock Cargo.toml LICENSE-APACHE LICENSE-MIT README.md pyproject.toml PKG-INFO \
    crates/vramlint/src/main.rs crates/vramlint_rules/src/lib.rs python/vramlint/__main__.py; do
    grep -qx "vramlint-$version/$name" "$work/names" || wrong "the source distribution lacks $name"
done
grep -q "^vramlint-$version/tests/rules" "$work/names" && wrong "the source distribution carries the tests"
tar -xzf "$work/dist/vramlint-$version.tar.gz" -C "$work"
cargo metadata --locked --format-version 1 --manifest-path "$work/vramlint-$version/Cargo.toml" >/dev/null || wrong "the source distribution has gaps"
printf 'installed and run\n'
