#!/bin/bash
# Breaks the code on purpose, one mutant at a time, and shows which spec notices and with which words.
#
#   tools/mutants/run.sh            all of tools/mutants/*.patch
#   tools/mutants/run.sh row-lock   that one
#
# A mutant is a patch whose head says `what:` it breaks and which `spec:` must turn red (a vitest project, then paths). It is
# applied to a copy of the sources in a git worktree under TMPDIR, with the changes that are not committed; nothing here is touched.
# Exits 0 when every mutant was caught. Through `MUTANTS_THROUGH=heavy` the specs are run by that command.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
home=$(git -C "$here" rev-parse --show-toplevel)
copy=$(mktemp -d "${TMPDIR:-/tmp}/windlass-mutants.XXXXXX")/copy
trap 'git -C "$home" worktree remove --force "$copy" 2>/dev/null || true; rm -rf "$(dirname "$copy")"' EXIT

base=$(git -C "$home" rev-parse HEAD)
changes=$(dirname "$copy")/changes.patch
git -C "$home" diff "$base" --binary -- . ':!tools/mutants' >"$changes"
git -C "$home" worktree add --quiet --detach "$copy" "$base"
# Packages as they are; those of the workspace are links into the copy.
mkdir -p "$copy/node_modules/@windlass"
for entry in "$home"/node_modules/* "$home"/node_modules/.bin; do
  case $entry in
    */@windlass) cp -P "$entry"/* "$copy/node_modules/@windlass/" ;;
    *) ln -s "$entry" "$copy/node_modules/" ;;
  esac
done

head_of() { sed -n "s/^$1: //p" "$2" | head -n 1; }

failed=0
try() {
  local patch=$1 name what spec project log status=0
  name=$(basename "$patch" .patch) what=$(head_of what "$patch") spec=$(head_of spec "$patch")
  project=${spec%% *} log=$(dirname "$copy")/$name.log
  git -C "$copy" checkout --quiet -- .
  git -C "$copy" apply --allow-empty "$changes"
  echo "mutant $name: $what"
  if ! git -C "$copy" apply --recount -C1 "$patch"; then
    echo "  DOES NOT APPLY: the code it breaks has changed; make the patch anew"
    failed=1
    return
  fi
  # shellcheck disable=SC2086 # the paths are words
  (cd "$copy" && NO_COLOR=1 ${MUTANTS_THROUGH:-} npx vitest run --project "$project" ${spec#* }) >"$log" 2>&1 || status=$?
  if grep -qE '^ +FAIL |Test Files .* failed' "$log"; then
    echo "  caught by:"
    grep -E '^ *FAIL ' "$log" | sed -E 's/^ *FAIL +/    /' | sort -u
    echo "  in these words:"
    grep -E '^(AssertionError|[A-Za-z]*Error|Crash)' "$log" | sort | uniq -c | sort -rn | head -n 5 | sed 's/^/    /' | cut -c1-240
  else
    echo "  SURVIVED (exit status $status): $spec said nothing"
    tail -n 15 "$log" | sed 's/^/    /'
    failed=1
  fi
}

if [ $# -eq 0 ]; then set -- $(cd "$here" && ls ./*.patch | sed 's,^\./\(.*\)\.patch$,\1,'); fi
for name in "$@"; do try "$here/$name.patch"; done
exit "$failed"
