#!/bin/sh
# What a hook of the drill does on its host: notes that it begins, waits while its door is closed, leaves a mark, notes that it ends.
# A line of the ledger is as tests/chaos/judge/ledger.ts reads it. The lock lives as long as any process of the job.
set -eu
folder=$1 instance=$2 hook=$3 operation=$4 step=$5 phase=$6 attempt=$7
note() {
  printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$(date +%s%N)" "$1" "$operation" "$step" "$phase" "$attempt" "$$" >>"$folder/ledger"
}
exec 9>"$folder/locks/$operation-$hook"
flock -n 9 || note overlap
note begin
while [ -e "$folder/closed/$instance-$hook" ]; do sleep 0.1; done
: >"$folder/marks/$operation-$hook"
note end
