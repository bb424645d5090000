#!/usr/bin/env bash
# Installs what the tests need and runs all of them. Tests that need the reference material in ../shared are ignored, and listed as
# such, when it is absent.
set -euo pipefail
cd "$(dirname "$0")/.."
export CARGO_TERM_COLOR=${CARGO_TERM_COLOR:-never}
shared=../shared
failed=()

stage() {
    local name=$1
    shift
    printf '\n== %s\n' "$name"
    local start=$SECONDS
    if "$@"; then
        printf -- '-- %s: passed in %s s\n' "$name" $((SECONDS - start))
    else
        printf -- '-- %s: FAILED after %s s\n' "$name" $((SECONDS - start))
        failed+=("$name")
    fi
}

stage "format" cargo fmt --all --check
stage "lints" cargo clippy --workspace --all-targets --quiet -- -D warnings
if cargo deny --version >/dev/null 2>&1; then
    stage "licenses, sources and advisories of the dependencies" cargo deny check
else
    printf '\n== licenses, sources and advisories of the dependencies: left out, cargo-deny is absent\n'
fi
stage "the binary" cargo build --quiet --bin vramlint
stage "scalars and files against PyYAML" bash tests/pyyaml/run.sh
stage "JSON against Python's json and hjson" bash tests/json/run.sh
stage "the page of estimate in a browser" bash tests/clients/browser/run.sh
stage "the formats for CI against their readers" bash tests/clients/reports/run.sh
stage "the schemas over real files" bash tests/clients/schemas/run.sh
stage "the Python package" bash tests/clients/wheel/run.sh
stage "the hook of pre-commit" bash tests/clients/pre_commit/run.sh
stage "the server in Neovim" bash tests/clients/neovim/run.sh
stage "the server in Emacs" bash tests/clients/emacs/run.sh
stage "the extension in VS Code" bash tests/clients/vscode/run.sh
stage "the language server with pytest-lsp" bash tests/clients/pytest/run.sh
stage "instructions of five commands" python3 tests/instructions/compare.py target/debug/vramlint
if [ -d "$shared/cases/seeds" ]; then
    stage "the five guides as projects" python3 "$shared/cases/seeds/score.py" target/debug/vramlint --since 1
else
    printf '\n== the five guides as projects: left out, %s is absent\n' "$shared"
fi
if [ -d "$shared/cases" ]; then
    stage "tests" cargo test --workspace --quiet -- --include-ignored --skip times_of_completions
else
    stage "tests" cargo test --workspace --quiet
fi

if [ ${#failed[@]} -gt 0 ]; then
    printf '\nfailed: %s\n' "${failed[*]}"
    exit 1
fi
printf '\nevery stage passed\n'
