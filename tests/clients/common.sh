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
