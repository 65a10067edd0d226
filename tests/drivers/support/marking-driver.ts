import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Writes a driver in Python. Its steps write the version that runs them into `ledger` of the folder, and wait for the file `go`. The driver's second version plans with
 * the second version of the action, and still runs the first.
 */
export function markingDriver(folder: string, name: string, version: '1.0.0' | '2.0.0'): string {
  const path = join(folder, `driver-${version}`);
  const latest = version === '1.0.0' ? 1 : 2;
  const text = `#!/usr/bin/env python3
import json, os, sys, time

def say(kind, **members):
    print(json.dumps({"say": kind, **members}), flush=True)

def note(step, given, what):
    with open(${JSON.stringify(join(folder, 'ledger'))}, "a") as ledger:
        ledger.write(f"${version} {step['action']}@{step['version']} {given['n']} {what}\\n")

asked = json.loads(sys.stdin.readline())
if asked["ask"] == "describe":
    actions = [{"name": "mark", "version": n + 1} for n in range(${latest})]
    say("answer", answer={"driver": "${name}", "version": "${version}", "service": "${name}-mgmt", "hooks": ["instantiate_end"], "actions": actions})
elif asked["ask"] == "plan":
    steps = [{"kind": "step", "id": f"mark:{n}", "action": "mark", "version": ${latest}, "input": {"n": n}, "traits": {"undoable": False}} for n in (1, 2)]
    say("answer", answer={"root": {"kind": "sequence", "of": steps}})
elif asked["ask"] == "run":
    note(asked["step"], asked["input"], "begins")
    while not os.path.exists(${JSON.stringify(join(folder, 'go'))}):
        time.sleep(0.02)
    note(asked["step"], asked["input"], "ends")
    say("done")
`;
  writeFileSync(path, text);
  chmodSync(path, 0o755);
  return path;
}

export function ledgerIn(folder: string): string[] {
  try {
    return readFileSync(join(folder, 'ledger'), 'utf8').trimEnd().split('\n');
  } catch {
    return [];
  }
}
