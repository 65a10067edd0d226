import type { Command } from 'commander';
import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import { RequestError, TransientError } from '@windlass/foundation';
import type { Surroundings } from '../config.js';
import { writeSecretBytes } from '../deployment/secrets-file.js';
import { print } from './follow-task.js';
import { apiOf, withTarget, type TargetOptions } from './target.js';

/** As `GET /windlass/v1/vnf_instances/{id}/snapshots` lists them, the newest first. */
type Snapshot = Record<'id' | 'takenAt' | 'master' | 'sha256' | 'operationId', string> & { size: number };

interface SnapshotOptions extends TargetOptions {
  save?: string;
  snapshot?: string;
}

/** `./windlass vnf snapshots`: what is kept of the control plane of an instance's cluster. */
export function addSnapshots(vnf: Command, where: Surroundings): void {
  withTarget(
    vnf
      .command('snapshots <id>')
      .description('the snapshots that are kept of the control plane of an instance’s cluster, a line each, the newest first')
      .option(
        '--save <file>',
        'for admins: writes the newest one, or that of --snapshot, to a file that you alone can read; it holds all of the cluster’s keys and Secrets, and the audit trail tells who took it',
      )
      .option('--snapshot <snapshot>', 'with --save: which one, by its id'),
  ).action(async (id: string, { save, snapshot, ...target }: SnapshotOptions) => {
    if (snapshot !== undefined && save === undefined)
      throw new RequestError(400, 'cli.wrong-call', '--snapshot says which one is saved: give --save <file>, too');
    const api = await apiOf(where, target);
    const path = `/windlass/v1/vnf_instances/${encodeURIComponent(id)}/snapshots`;
    const kept = await api.get<Snapshot[]>(path);
    if (save === undefined) {
      for (const each of kept) print(`${each.id}  ${each.takenAt}  master ${each.master}  ${each.size} bytes`);
      return;
    }
    const wanted = snapshot === undefined ? kept[0] : kept.find((each) => each.id === snapshot);
    if (wanted === undefined)
      throw new RequestError(
        404,
        'snapshot.unknown',
        snapshot === undefined
          ? `no snapshot is kept of ${id}: one is taken when its cluster has been made, and before it is scaled, healed or connected otherwise`
          : `no snapshot ${snapshot} is kept of ${id}: the command without --save lists those that are`,
      );
    const bytes = await api.bytes(`${path}/${wanted.id}/archive`, 'application/gzip');
    await writeSecretBytes(resolve(where.calledFrom, save), proven(bytes, wanted));
    print(`snapshot ${wanted.id} of ${wanted.takenAt} is in ${save}: docs/runbooks/cluster-snapshots.md says what to do with it`);
  });
}

/** The bytes as they come. @throws TransientError `snapshot.broken` in the end, where they are not those that were listed */
async function* proven(bytes: AsyncIterable<Uint8Array>, { id, sha256 }: Snapshot): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256');
  for await (const part of bytes) {
    hash.update(part);
    yield part;
  }
  if (hash.digest('hex') !== sha256)
    throw new TransientError(
      'snapshot.broken',
      `what came of snapshot ${id} is not what is kept: try again; nothing was written`,
    );
}
