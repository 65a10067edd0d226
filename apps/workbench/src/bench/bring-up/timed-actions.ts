import type { DriverParts } from '@windlass/driver-kit';
import type { JsonObject } from '@windlass/foundation';
import type { BoundAction, StepRun } from '@windlass/saga';
import { setTimeout as pause } from 'node:timers/promises';
import { timeOf } from './action-times.js';

/**
 * A driver as it is, whose actions do nothing but take their time: hosts that are in memory, and quick or slow as real ones would be. What
 * later steps or the instance are given is made up.
 */
export const timed = ({ driver, actions }: DriverParts): DriverParts => ({
  driver,
  actions: (ports) => actions(ports).map(taking),
});

function taking({ key, retry, within }: BoundAction): BoundAction {
  const [name = key] = key.split('@');
  return {
    key,
    retry,
    within,
    apply: async (run) => {
      await pause(timeOf(name), undefined, { signal: run.signal });
      return OUTPUTS[name]?.(run);
    },
  };
}

const OUTPUTS: Readonly<Record<string, (run: StepRun) => JsonObject>> = {
  'name-nodes': ({ input }) => ({ nodes: input.nodes ?? [] }),
  'read-cluster-version': () => ({ kubernetes: { version: '1.34.1', aptUrl: null }, runtime: {} }),
  'verify-cluster': () => ({ nodes: [] }),
  'create-admin-account': () => ({ account: { bearerToken: 'of-a-stand-in', caCertificate: 'of-a-stand-in' } }),
  'deregister-vim': ({ input: { vimId } }) => ({ instance: { vimConnectionInfo: { removeVimIds: [vimId ?? ''] } } }),
  'register-vim': ({ input: { connectionId, vimId, authUrl } }) => ({
    instance: {
      vimConnectionInfo: {
        add: [
          {
            id: connectionId ?? '',
            vimId: vimId ?? '',
            vimType: 'kubernetes',
            accessInfo: { authUrl: authUrl ?? '' },
            extra: {},
          },
        ],
      },
    },
  }),
};
