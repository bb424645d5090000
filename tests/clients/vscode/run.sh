#!/usr/bin/env bash
# Checks the extension, packs it, and uses it in VS Code itself (code-server in Chromium without a screen), on the built binary.
# Needs Node and Chromium; installs what is missing where it can: the editor under target/vscode-tools, the extension's tools in its
# own folder, Chromium with apt-get as root.
#
#   tests/clients/vscode/run.sh
#
# Pictures lie in target/vscode-pictures; UPDATE_IMAGES=1 puts them into the extension. Where something cannot be had, says that the
# stage was left out; under CI=true that is a failure.
set -euo pipefail
. "$(dirname "$0")/../common.sh"
tools="$root/target/vscode-tools"
extension="$root/editors/vscode"

command -v node >/dev/null && command -v npm >/dev/null || left_out "Node is absent"
mkdir -p "$root/target"
"$here/install.sh" "$tools" >"$root/target/vscode-tools.log" 2>&1 &
installing=$!
browser >/dev/null || debian_install Chromium chromium fonts-noto-cjk
cd "$extension"
if [ ! package-lock.json -ot node_modules/.package-lock.json ]; then
    npm ci --ignore-scripts --no-audit --no-fund --silent || left_out "the tools of the extension cannot be installed"
fi
wait $installing || left_out "the editor cannot be installed, see target/vscode-tools.log"
browser=$(browser) || left_out "Chromium is absent"

npm run --silent lint
npm test --silent >"$root/target/vscode-unit.log" 2>&1 || {
    cat "$root/target/vscode-unit.log"
    exit 1
}
vsix="$root/target/vramlint.vsix"
./package.sh --out "$vsix" >/dev/null
cd "$root"
use_binary
pictures="$root/target/vscode-pictures"
rm -rf "$pictures"
timeout 300 node "$here/session.mjs" "$tools" "$browser" "$VRAMLINT_BINARY" "$vsix" "$pictures"
if [ "${UPDATE_IMAGES:-}" = 1 ]; then cp "$pictures"/*.png "$extension/images/"; fi
