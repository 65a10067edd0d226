import { Option, type Command } from 'commander';
import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import { RequestError, TerminalError, TransientError } from '@windlass/foundation';
import type { ApiClient } from '../client/api-client.js';
import type { Surroundings } from '../surroundings/config.js';
import { writeSecretBytes } from '../deployment/secret-file.js';
import { print } from './follow-task.js';
import { watch } from './op.js';
import { apiOf, withTarget, type TargetOptions } from '../target/target.js';

/** As `GET /windlass/v1/vnf_instances/{id}/snapshots` lists them, the newest first. */
type Snapshot = Record<'id' | 'takenAt' | 'master' | 'sha256' | 'operationId', string> & { size: number };

/** As `GET .../snapshot_attempts` lists them, the newest first. */
type Attempt = Record<'begunAt' | 'state', string> & { reason: string | null };

const OUTCOMES: Readonly<Record<string, string>> = {
  RUNNING: 'it is being taken',
  KEPT: 'kept',
  FAILED: 'none was kept',
  GAVE_WAY: 'it gave way',
};

const outcomeOf = ({ state, reason }: Attempt): string => `${OUTCOMES[state] ?? state}${reason === null ? '' : `: ${reason}`}`;

interface SnapshotOptions extends TargetOptions {
  take?: true;
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
      .option('--snapshot <snapshot>', 'with --save: which one, by its id')
      .addOption(
        new Option('--take', 'has one taken now, by an operation that changes nothing of the cluster').conflicts([
          'save',
          'snapshot',
        ]),
      ),
  ).action(async (id: string, { take, save, snapshot, ...target }: SnapshotOptions) => {
    if (snapshot !== undefined && save === undefined)
      throw new RequestError(400, 'cli.wrong-call', '--snapshot says which one is saved: give --save <file>, too');
    const api = await apiOf(where, target);
    const path = `/windlass/v1/vnf_instances/${encodeURIComponent(id)}/snapshots`;
    if (take === true) await taken(api, path);
    const kept = await api.get<Snapshot[]>(path);
    if (save === undefined) {
      for (const each of kept) print(`${each.id}  ${each.takenAt}  master ${each.master}  ${each.size} bytes`);
      const [last] = await api.get<Attempt[]>(`/windlass/v1/vnf_instances/${encodeURIComponent(id)}/snapshot_attempts`);
      if (last !== undefined) print(`the schedule tried last at ${last.begunAt}: ${outcomeOf(last)}`);
      return;
    }
    const wanted = snapshot === undefined ? kept[0] : kept.find((each) => each.id === snapshot);
    if (wanted === undefined)
      throw new RequestError(
        404,
        'snapshot.unknown',
        snapshot === undefined
          ? `no snapshot is kept of ${id}: one is taken when its cluster has been made, and before it is scaled, healed or connected otherwise, and by --take`
          : `no snapshot ${snapshot} is kept of ${id}: the command without --save lists those that are`,
      );
    const bytes = await api.bytes(`${path}/${wanted.id}/archive`, 'application/gzip');
    await writeSecretBytes(resolve(where.calledFrom, save), proven(bytes, wanted));
    print(`snapshot ${wanted.id} of ${wanted.takenAt} is in ${save}: docs/runbooks/cluster-snapshots.md says what to do with it`);
  });
}

/** Has one taken, and follows it. @throws TerminalError `snapshot.none-taken` where the operation ended well and kept none: its warnings say why */
async function taken(api: ApiClient, path: string): Promise<void> {
  const operationId = (await api.accept(path, { task: 'take' })).split('/').at(-1) ?? '';
  await watch(api, operationId);
  if (process.exitCode !== undefined && process.exitCode !== 0) return;
  const kept = await api.get<Snapshot[]>(path);
  if (kept.some((each) => each.operationId === operationId)) return;
  throw new TerminalError(
    'snapshot.none-taken',
    'no snapshot was kept: the note of the operation says why; without one, the service of the cluster’s management driver is of an earlier release',
  );
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
