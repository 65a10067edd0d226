import { setTimeout as pause } from 'node:timers/promises';
import { seconds, type Duration } from '@windlass/foundation';
import type { KubeClient } from '../client/kube-client.js';
import type { Lease } from '../kube/kinds.js';
import { microTime } from '../kube/object.js';
import { R } from '../kube/resources.js';
import { isConflict } from '../kube/status-error.js';

export interface LeaderSettings {
  /** Name of the lease in kube-system. */
  name: string;
  identity: string;
  /** A leader that has not renewed for this long is taken to be dead. The real default is 15 s. */
  lease: Duration;
  /** How often the leader renews and the others look. The real default is 2 s. */
  retry: Duration;
  log: (line: string) => void;
}

const DEFAULTS = { lease: seconds(6), retry: seconds(2) };
export const LEADER_TIMES = DEFAULTS;

/** Runs `lead` when this process holds the lease. Resolves when the lease is lost: the caller then ends the process, as the real ones do. */
export async function runAsLeader(
  client: KubeClient,
  settings: LeaderSettings,
  lead: () => void,
  signal: AbortSignal,
): Promise<void> {
  let observed = { renewTime: '', at: performance.now() };
  let renewed: number | undefined;
  while (!signal.aborted) {
    try {
      const lease = await client.find<Lease>(R.leases, { namespace: 'kube-system', name: settings.name });
      const renewTime = lease?.spec?.renewTime ?? '';
      if (renewTime !== observed.renewTime) observed = { renewTime, at: performance.now() };
      const held = (lease?.spec?.holderIdentity ?? '') !== '' && lease?.spec?.holderIdentity !== settings.identity;
      const expired = performance.now() - observed.at > settings.lease;
      if (!held || expired) {
        await take(client, lease, settings);
        if (renewed === undefined) {
          settings.log(`successfully acquired lease kube-system/${settings.name}`);
          lead();
        }
        renewed = performance.now();
      } else if (renewed !== undefined) return;
    } catch (error) {
      if (!isConflict(error)) settings.log(`leader election: ${error instanceof Error ? error.message : String(error)}`);
    }
    // Stops leading by its own clock before anybody else can have taken over.
    if (renewed !== undefined && performance.now() - renewed > settings.lease * 0.8) return;
    await pause(settings.retry, undefined, { signal }).catch(() => undefined);
  }
}

async function take(
  client: KubeClient,
  lease: Lease | undefined,
  { name, identity, lease: duration }: LeaderSettings,
): Promise<void> {
  const now = microTime();
  const mine = lease?.spec?.holderIdentity === identity;
  const spec = {
    holderIdentity: identity,
    leaseDurationSeconds: Math.ceil(duration / 1_000),
    acquireTime: mine ? (lease.spec?.acquireTime ?? now) : now,
    renewTime: now,
    leaseTransitions: (lease?.spec?.leaseTransitions ?? 0) + (mine || lease === undefined ? 0 : 1),
  };
  const metadata = { name, namespace: 'kube-system' };
  if (lease === undefined)
    await client.create<Lease>(R.leases, { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, spec });
  else await client.update<Lease>(R.leases, { ...lease, spec });
}
