import type { Step } from '../api/types.js';

/** A waiting step as the API shows it, with members of the test. */
export const step = (id: string, more: Partial<Step> = {}): Step => ({
  id,
  parentId: null,
  depth: 0,
  action: 'prepare-node',
  version: 1,
  service: 'k8s-mgmt',
  target: null,
  phase: 'do',
  state: 'waiting',
  attempt: 0,
  attemptsAllowed: null,
  owner: null,
  progress: null,
  blockedOn: null,
  dependsOn: [],
  waitsFor: [],
  error: null,
  startedAt: null,
  endedAt: null,
  machines: [],
  machineCount: 0,
  failedOn: [],
  ...more,
});
