import { createHash, randomUUID } from 'node:crypto';
import { PgClusterSnapshots, SNAPSHOT_PART_BYTES, Vault } from '@windlass/persistence';
import type { System } from '../../support/system.js';

/** Stores a snapshot of an instance's cluster, as vim-registry does. Returns the snapshot's id. */
export async function keptSnapshot(
  { database, masterKeys }: Pick<System, 'database' | 'masterKeys'>,
  vnfInstanceId: string,
  content: Buffer = Buffer.from('an archive'),
  /** `ca`: the hash of the cluster's CA, where a cluster can be restored from the snapshot. */
  { operationId = randomUUID(), ca }: { operationId?: string; ca?: string } = {},
): Promise<string> {
  const kept = new PgClusterSnapshots(database, new Vault(masterKeys));
  const sha256 = createHash('sha256').update(content).digest('hex');
  const announced = { vnfInstanceId, operationId, stepId: 'keep-snapshot', sha256 };
  await kept.begin({ ...announced, master: '10.10.0.24', size: content.length, ca });
  const { id = '' } = (await kept.of(announced)) ?? {};
  for (let number = 0; number * SNAPSHOT_PART_BYTES < content.length; number++)
    await kept.add(id, number, content.subarray(number * SNAPSHOT_PART_BYTES, (number + 1) * SNAPSHOT_PART_BYTES));
  await kept.keep(id, 5, database.manager);
  return id;
}
