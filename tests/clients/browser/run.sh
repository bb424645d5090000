#!/usr/bin/env bash
# Opens the page of `vramlint estimate` in a real browser without a screen, and checks what is drawn. Needs Node and Chromium;
# installs what is missing where it can: playwright-core under target/, Chromium with apt-get as root.
#
#   tests/clients/browser/run.sh [FOLDER]
#
# FOLDER gets screenshots. Where no browser can be had, says that the stage was left out; under CI=true that is a failure.
set -euo pipefail
. "$(dirname "$0")/../common.sh"

command -v node >/dev/null && command -v npm >/dev/null || left_out "Node is absent"
browser >/dev/null || debian_install Chromium chromium fonts-noto-cjk
browser=$(browser) || left_out "Chromium is absent"
if [ ! -d "$tools/node_modules/playwright-core" ]; then
    mkdir -p "$tools"
    npm install --prefix "$tools" --no-audit --no-fund --silent playwright-core@1.65.1 || left_out "playwright-core cannot be installed"
fi
cd "$root"
use_binary
exec node "$here/page.mjs" "$tools" "$browser" "$VRAMLINT_BINARY" "$@"
