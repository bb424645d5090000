#!/bin/bash
# What a change of vramlint changes on real repositories, as Markdown on standard output.
#
#   tests/ecosystem/run.sh BINARY_A BINARY_B [DIR] [NAME…]
#
# DIR holds one folder per repository, OWNER__NAME (tests/ecosystem/checkout.py writes them); default: $VRAMLINT_ECOSYSTEM or
# target/ecosystem. With names, only repositories whose folder contains one of them are compared.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
[[ $# -ge 2 ]] || { sed -n '2,8s/^# \{0,1\}//p' "$0" >&2; exit 2; }
a=$1 b=$2
dir=${3:-${VRAMLINT_ECOSYSTEM:-$here/../../target/ecosystem}}
[[ -d "$dir" ]] || { echo "$dir is not a folder: write it with tests/ecosystem/checkout.py" >&2; exit 2; }
exec python3 "$here/compare.py" "$a" "$b" "$dir" "${@:4}"
