import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Finding } from './judge.js';

/** So many log lines are shown for a finding. */
const MAX_LINES = 12;
const MAX_FINDINGS = 20;

/** The text of a red verdict: each defect, its place, and the log lines to start from. */
export async function verdictText(findings: readonly Finding[], seed: number, results: string): Promise<string> {
  const shown = await Promise.all(findings.slice(0, MAX_FINDINGS).map((finding) => findingText(finding, results)));
  const counts = new Map<string, number>();
  for (const { kind } of findings) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  // A list of failures shows the first line alone, so the first line has the findings, too.
  return [
    `seed ${seed}: ${[...counts].map(([kind, count]) => `${count} ${kind}`).join(', ')}: ${findings[0]?.says ?? ''}`,
    ...shown,
    ...(findings.length > MAX_FINDINGS ? [`and ${findings.length - MAX_FINDINGS} more`] : []),
    `The run is in ${results}: monkey.log, workload.log, evidence.json, and a log a service.`,
    `Again with the same decisions: ./windlass test --only chaos --seed ${seed}`,
  ].join('\n');
}

async function findingText({ kind, says, operationId, vnfInstanceId }: Finding, results: string): Promise<string> {
  const about = [operationId && `operation ${operationId}`, vnfInstanceId && `instance ${vnfInstanceId}`].filter(Boolean);
  const key = operationId ?? vnfInstanceId;
  const lines = key === undefined ? [] : await linesAbout(key, results);
  return [`- ${kind}: ${says} (${about.join(', ') || 'no one instance'})`, ...lines.map((line) => `    ${line}`)].join('\n');
}

/** The last lines of the run's logs that contain the key, in the order of their times. */
async function linesAbout(key: string, results: string): Promise<string[]> {
  const files = [
    join(results, 'workload.log'),
    ...(await readdir(join(results, 'logs'))).map((name) => join(results, 'logs', name)),
  ];
  const found = await Promise.all(
    files.map(async (file) =>
      (await readFile(file, 'utf8'))
        .split('\n')
        .filter((line) => line.includes(key))
        .slice(-MAX_LINES)
        .map((line) => `${file.split('/').at(-1) ?? ''}: ${line.slice(0, 400)}`),
    ),
  );
  return found.flat().slice(-3 * MAX_LINES);
}
