#!/bin/sh
# What a step of the chaos driver does on its host: notes in the ledger that it begins, takes its time, notes that it ends.
# A line: time in ns, event, operation, step, phase, attempt, process; separated by tabs. The judge reads it (judge/ledger.ts).
# The lock lives as long as any process of the job: whoever finds it taken overlaps with another job of the same step.
set -eu
folder=$1 operation=$2 step=$3 phase=$4 attempt=$5 takes=$6 failures=$7
note() {
  printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$(date +%s%N)" "$1" "$operation" "$step" "$phase" "$attempt" "$$" >>"$folder/ledger"
}
begun() {
  grep -cF "$(printf '\tbegin\t%s\t%s\tdo\t' "$operation" "$step")" "$folder/ledger" || true
}
exec 9>"$folder/locks/$operation-$(printf %s "$step" | tr -c 'A-Za-z0-9_.-' _)"
flock -n 9 || note overlap
note begin
# Printed on purpose: nobody may ever read it.
echo "working with the password $CHAOS_PASSWORD"
sleep "$takes"
if [ "$phase" = do ] && [ "$(begun)" -le "$failures" ]; then
  note failed
  echo "told to fail" >&2
  exit 1
fi
note end
