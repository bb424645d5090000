# Sourced by the scripts in tests/clients/*: paths, and the way to skip a stage.
# shellcheck shell=bash
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
# shellcheck disable=SC2034 # used by the scripts
tools="$root/target/clients/$(basename "$here")"

# Reports a stage whose tools are missing. Under CI=true that is a failure.
left_out() {
    printf 'left out: %s\n' "$1"
    if [ "${CI:-}" = true ]; then exit 1; fi
    exit 0
}

# debian_install NAME PACKAGE...: installs the packages as root; says so where that fails.
debian_install() {
    local name=$1
    shift
    if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then return; fi
    mkdir -p "$tools"
    { apt-get update && apt-get install -y --no-install-recommends "$@"; } >"$tools/apt.log" 2>&1 ||
        printf '%s could not be installed, see %s\n' "$name" "$tools/apt.log"
}

# Prints the command of a browser.
browser() {
    local name
    for name in "${VRAMLINT_BROWSER:-}" chromium chromium-browser google-chrome google-chrome-stable; do
        if [ -n "$name" ] && command -v "$name"; then return; fi
    done
    return 1
}

# Builds the binary unless VRAMLINT_BINARY names one.
use_binary() {
    if [ -n "${VRAMLINT_BINARY:-}" ]; then return; fi
    (cd "$root" && cargo build --quiet --bin vramlint)
    VRAMLINT_BINARY="${CARGO_TARGET_DIR:-$root/target}/debug/vramlint"
}
