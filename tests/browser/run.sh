#!/usr/bin/env bash
# Opens the page of `vramlint estimate` in a real browser without a screen, and checks what is drawn. Needs Node and Chromium;
# installs what is missing where it can: playwright-core under target/, Chromium with apt-get as root.
#
#   tests/browser/run.sh [FOLDER]
#
# FOLDER gets screenshots. Where no browser can be had, says that the stage was left out; under CI=true that is a failure.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
tools="$root/target/browser"

left_out() {
    printf 'left out: %s\n' "$1"
    if [ "${CI:-}" = true ]; then exit 1; fi
    exit 0
}

browser() {
    local name
    for name in "${VRAMLINT_BROWSER:-}" chromium chromium-browser google-chrome google-chrome-stable; do
        if [ -n "$name" ] && command -v "$name"; then return; fi
    done
    return 1
}

command -v node >/dev/null && command -v npm >/dev/null || left_out "Node is absent"
if ! browser >/dev/null && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    mkdir -p "$tools"
    { apt-get update && apt-get install -y --no-install-recommends chromium fonts-noto-cjk; } >"$tools/apt.log" 2>&1 ||
        printf 'Chromium could not be installed, see %s\n' "$tools/apt.log"
fi
browser=$(browser) || left_out "Chromium is absent"
if [ ! -d "$tools/node_modules/playwright-core" ]; then
    mkdir -p "$tools"
    npm install --prefix "$tools" --no-audit --no-fund --silent playwright-core@1.65.1 || left_out "playwright-core cannot be installed"
fi
cd "$root"
cargo build --quiet --bin vramlint
exec node "$here/page.mjs" "$tools" "$browser" "${CARGO_TARGET_DIR:-$root/target}/debug/vramlint" "$@"
