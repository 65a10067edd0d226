import { describeDuration, seconds, TerminalError, TransientError, waitUntil } from '@windlass/foundation';
import type { ClusterVolume } from './cluster-volumes.js';
import type { PersistentVolume } from './manifests.js';
import type { VolumesContext } from './volumes-context.js';

/** Phases of a registered volume. One that was registered by an earlier attempt may have been claimed since. */
const REGISTERED = ['Available', 'Bound', 'Released'];

/**
 * Registers the package's PersistentVolumes, and returns their names. A volume of ours that exists already stays; volumes that don't become Available
 * are removed again.
 * @throws TerminalError `volumes.name-taken`, `volumes.other-server`, `volumes.not-available`
 */
export async function register(context: VolumesContext): Promise<string[]> {
  const { volumes } = context;
  const wanted = await context.wanted();
  const names = wanted.map(({ name }) => name);
  if (wanted.length === 0) return names;
  const there = new Map((await volumes.all()).map((volume) => [volume.name, volume]));
  for (const volume of wanted) refuseOther(volume, there.get(volume.name));
  const missing = wanted.filter(({ name }) => !there.has(name));
  if (missing.length > 0) await volumes.create(missing);
  await available(context, wanted);
  return names;
}

/** Removes all volumes of ours, or the given ones of them. Volumes that are gone already are no error. */
export async function unregister(context: VolumesContext, only?: readonly PersistentVolume[]): Promise<void> {
  const { volumes, waiting } = context;
  await volumes.remove(await volumes.unbound(only?.map(({ name }) => name)), waiting);
}

function refuseOther({ name, server }: PersistentVolume, found: ClusterVolume | undefined): void {
  if (found === undefined) return;
  if (!found.ours)
    throw new TerminalError(
      'volumes.name-taken',
      `the cluster has a PersistentVolume ${name} that this VNF did not register: rename one of the two, or delete the cluster's, then retry`,
    );
  if (found.leaving)
    throw new TransientError(
      'volumes.leaving',
      `the PersistentVolume ${name} is being deleted: it is registered once it is gone`,
    );
  if (found.server !== server)
    throw new TerminalError(
      'volumes.other-server',
      `the PersistentVolume ${name} is on ${found.server ?? 'no NFS server'}, and ${server} was expected: delete it, then retry`,
    );
}

/** Waits until the volumes are Available. Where some don't become so in time all are removed, except those that were claimed meanwhile. */
async function available(context: VolumesContext, wanted: readonly PersistentVolume[]): Promise<void> {
  const { volumes, waiting } = context;
  const names = wanted.map(({ name }) => name);
  let late: string[] = [];
  try {
    await waitUntil(
      async (seen) => {
        const ours = (await volumes.ours()).filter(({ name }) => names.includes(name));
        late = names.flatMap((name) => lateOne(name, ours));
        if (late.length === 0) return true;
        seen(late.join(', '));
        waiting.progress(`not Available yet: ${late.join(', ')}`);
        return undefined;
      },
      {
        for: 'PersistentVolumes to be Available',
        within: waiting.within,
        every: seconds(0.5),
        growth: 1.5,
        atMost: seconds(5),
        signal: waiting.signal,
      },
    );
  } catch (error) {
    if (!(error instanceof TransientError) || error.code !== 'wait.timeout') throw error;
    const ours = (await volumes.ours()).filter(({ name, phase }) => names.includes(name) && phase !== 'Bound');
    await volumes.remove(ours, waiting);
    const told = `${late.join(', ')} after ${describeDuration(waiting.within)}, and Available was expected`;
    throw new TerminalError('volumes.not-available', `PersistentVolumes were registered and removed again: ${told}`);
  }
}

function lateOne(name: string, ours: readonly ClusterVolume[]): string[] {
  const phase = ours.find((volume) => volume.name === name)?.phase ?? 'gone';
  return REGISTERED.includes(phase) ? [] : [`${name} (${phase})`];
}
