import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { days, minutes, seconds } from '@windlass/foundation';
import { hostRun } from '@windlass/mgmt-driver/testing';
import { failureOf, untilRunning } from '@windlass/mgmt-driver/testing/contract';
import { expect, it } from 'vitest';
import { setScene } from '../testing/scene.js';

const scene = setScene();
const within = seconds(30);

it('forgets what ended long ago and what no job has, and nothing else', async () => {
  const rig = scene.rig({}, { keep: days(14) });
  const host = (operationId: string) => rig.hosts.host(rig.target, hostRun({ operationId, stepId: 'step' }));
  await host('old').job('work', { run: rig.work('w'), within });
  await host('recent').job('work', { run: rig.work('w'), within });
  const living = failureOf(host('living').job('work', { run: rig.work('living', { takes: minutes(5) }), within }));
  await untilRunning(rig, 'living');
  const orphan = join(rig.jobsFolder, '.in', 'orphan');
  mkdirSync(orphan);
  writeFileSync(join(orphan, 'token'), 'a secret');
  const inputs = readdirSync(join(rig.jobsFolder, '.in'));
  expect(inputs).toHaveLength(2);
  const age = (folder: string, by: string): unknown => execFileSync('find', [folder, '-exec', 'touch', '-d', by, '{}', '+']);
  age(rig.jobsFolder, '20 days ago');
  age(join(rig.jobsFolder, 'recent'), '10 days ago');
  // What a start does by itself.
  await host('new').job('work', { run: rig.work('w'), within });
  const left = readdirSync(rig.jobsFolder).filter((name) => !name.startsWith('.'));
  expect(left.sort()).toEqual(['living', 'new', 'recent']);
  expect(existsSync(orphan)).toBe(false);
  expect(readdirSync(join(rig.jobsFolder, '.in'))).toHaveLength(1);
  await rig.hosts.endJobs(rig.target, { operationId: 'living', stepId: 'step', epoch: 1 });
  await living;
  age(rig.jobsFolder, '20 days ago');
  await rig.hosts.sweep(rig.target, hostRun());
  expect(readdirSync(rig.jobsFolder).filter((name) => !name.startsWith('.'))).toEqual([]);
});
