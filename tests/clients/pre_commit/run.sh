#!/usr/bin/env bash
# The hook in real hands: `pre-commit try-repo`, and a `git commit` that is refused and then passes after a fix.
# Installs pre-commit under target/; builds the crate as the hook does (`cargo install` of a copy of the checkout), without
# optimisation, because here it is asked whether it builds and runs, not how fast.
#
#   tests/clients/pre_commit/run.sh
#
# If pre-commit is not available, the stage is left out; with CI=true that is a failure.
set -euo pipefail
. "$(dirname "$0")/../common.sh"

wrong() {
    printf 'wrong: %s\n' "$1"
    if [ -n "${2:-}" ]; then printf '%s\n' "$2"; fi
    exit 1
}

# holds TEXT WHAT: TEXT has to stand in the output of the last command.
holds() {
    case $out in *"$1"*) ;; *) wrong "$2: '$1' is missing" "$out" ;; esac
}

lacks() {
    case $out in *"$1"*) wrong "$2: '$1' is there" "$out" ;; *) ;; esac
}

command -v git >/dev/null || left_out "git is absent"
command -v python3 >/dev/null || left_out "Python is absent"
if [ ! -x "$tools/venv/bin/pre-commit" ]; then
    mkdir -p "$tools"
    { python3 -m venv "$tools/venv" && "$tools/venv/bin/pip" install --quiet pre-commit==4.7.0; } >"$tools/pip.log" 2>&1 ||
        left_out "pre-commit cannot be installed, see $tools/pip.log"
fi
pre_commit="$tools/venv/bin/pre-commit"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# Nobody's own configuration of git, and nothing of a git that runs this as its hook.
unset GIT_DIR GIT_INDEX_FILE GIT_WORK_TREE
export GIT_CONFIG_GLOBAL="$work/gitconfig" GIT_CONFIG_SYSTEM=/dev/null PRE_COMMIT_HOME="$work/home"
git config --global user.name nobody
git config --global user.email nobody@localhost
git config --global init.defaultBranch main
git config --global advice.detachedHead false
export CARGO_TARGET_DIR="$tools/cargo" CARGO_PROFILE_RELEASE_OPT_LEVEL=0 CARGO_PROFILE_RELEASE_LTO=off
export CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 CARGO_INCREMENTAL=0

# What was built of our own crates by another run of this script is out of date, whatever its time says; see below.
rm -rf "$CARGO_TARGET_DIR"/release/.fingerprint/vramlint*

# The hook's repository: the working tree as it is, committed.
hook="$work/hook"
mkdir "$hook"
(cd "$root" && git ls-files -z --cached --others --exclude-standard) >"$work/names"
(cd "$root" && while IFS= read -r -d '' name; do if [ -e "$name" ]; then printf '%s\0' "$name"; fi; done <"$work/names" |
    tar --null -T - -cf -) | tar -C "$hook" -xf -
git -C "$hook" init --quiet
git -C "$hook" add -A
git -C "$hook" commit --quiet -m hook
git -C "$hook" tag v0

# A project with one contradiction over two files, and the same file once more where it is excluded.
project="$work/project"
cp -R "$here/project" "$project"
cp "$root/tests/cli/project/train.py" "$root/tests/cli/project/launch.sh" "$project"
cd "$project"
git init --quiet
git add -A

printf 'the hook, tried\n'
out=$("$pre_commit" try-repo "$hook" vramlint --ref v0 --all-files --verbose 2>&1) && wrong "try-repo found nothing" "$out"
holds "- exit code: 1" "the hook's exit status"
holds "[VL201]" "a finding that needs the launch script and accelerate's file"
lacks "legacy/old.yaml" "an excluded file that is named"

# Each of the two clones the hook's repository anew, so that every file seems to be younger than what was built of it. It is the
# same commit: let cargo see that.
find "$CARGO_TARGET_DIR/release/.fingerprint" -type f -exec touch -t 209901010000 {} +

printf 'a commit\n'
printf 'repos:\n- repo: %s\n  rev: v0\n  hooks:\n  - id: vramlint\n    args: [--output-format, concise, --verbose]\n' "$hook" >.pre-commit-config.yaml
git add .pre-commit-config.yaml
"$pre_commit" install >/dev/null
out=$(git commit -m first 2>&1) && wrong "the commit went through" "$out"
holds "warning[VL201]" "what the refused commit says"
holds "error[VL102]" "what the refused commit says"
holds "legacy/old.yaml was not read: excluded" "an excluded file that is named"
git rev-parse --verify --quiet HEAD >/dev/null && wrong "there is a commit"

# The fix of the hook's own binary, as somebody would do it.
binary=$(find "$PRE_COMMIT_HOME" -path '*rustenv*/bin/vramlint' -type f)
out=$("$binary" check --fix --unsafe-fixes 2>&1) || wrong "something is left after the fix" "$out"
git add -A
out=$(git commit -m first 2>&1) || wrong "the commit was refused after the fix" "$out"
holds "Passed" "the accepted commit"
git rev-parse --verify --quiet HEAD >/dev/null || wrong "there is no commit"

# One file alone still knows its run: the number of processes stands in another file.
sed 's/batch_size: 2/batch_size: 4/' train.yaml >"$work/edited"
cp "$work/edited" train.yaml
git add train.yaml
out=$(git commit -m second 2>&1) && wrong "one edited file was let through" "$out"
holds "train.yaml:2:38: warning[VL201]" "one edited file"
lacks "accelerate_config.yaml:" "a file that the commit does not touch is not reported"

# --fix in the hook: the first commit fails because files changed, the second passes.
sed 's/--verbose\]/--verbose, --fix, --unsafe-fixes]/' .pre-commit-config.yaml >"$work/edited"
cp "$work/edited" .pre-commit-config.yaml
git add -A
out=$(git commit -m second 2>&1) && wrong "a commit went through although the hook changed a file" "$out"
holds "files were modified by this hook" "a hook that repairs"
git add -A
out=$(git commit -m second 2>&1) || wrong "the repaired commit was refused" "$out"
printf 'refused, repaired and accepted\n'
