import {
  LivingMasters,
  LOOK,
  MastersContext,
  type ControlPlaneArchive,
  type DriverPorts,
  type Master,
  type MastersStepInput,
  type VimRegistry,
} from '@windlass/driver-kit';
import { InvariantError, minutes, seconds, TerminalError, WindlassError } from '@windlass/foundation';
import { cmd, type Host } from '@windlass/mgmt-driver';
import { implementAction, type StepRun } from '@windlass/saga';
import { declared, type Noted } from '../cluster/action.js';
import { etcdctl, OWN_ETCD } from '../etcd/etcdctl.js';
import { ARCHIVE, LOOK_AT_ETCD, TAKE_SNAPSHOT } from './scripts.js';

/** Bytes of a part, as the registry takes them. */
const PART = 512 * 1024;

const MIB = 1024 * 1024;

/** A larger database is not tried: even packed to an eighth, it would take all the space for snapshots. */
const MOST_ETCD = 512 * MIB;

/** Room that must be left beside two copies of the database: etcd stops where its disk is full. */
const SPARE = 512 * MIB;

/** For a database of that size on a slow disk. */
const TAKING = minutes(10);

/** What the step works with. */
export class SnapshotContext extends MastersContext {
  readonly vims: VimRegistry;

  constructor(run: StepRun<MastersStepInput>, { hosts, vims }: Pick<DriverPorts, 'hosts' | 'vims'>) {
    super(run, hosts);
    this.vims = vims;
  }

  /** The masters, those that were silent last. */
  get living(): LivingMasters {
    return new LivingMasters(
      this.input.masters.map((master) => ({ host: this.hostOf(master), address: master.address })),
      this.silent,
    );
  }
}

/**
 * Keeps a snapshot of the control plane, through any master that answers. A failure becomes a note and does not stop the operation, which may be what
 * the cluster needs to recover.
 */
export const keepSnapshot = implementAction(declared<MastersStepInput, Noted | undefined>('keep-snapshot'), {
  apply: async (context: SnapshotContext) => {
    const note = await keep(context).catch((error: unknown) => {
      context.run.signal.throwIfAborted();
      if (!isNoted(error)) throw error;
      return `no snapshot of the control plane was kept: ${error.message}`;
    });
    return note === undefined ? undefined : { notes: [note] };
  },
  stop: (context) => context.stop(),
  retry: { attempts: 3, backoff: seconds(5), growth: 2 },
});

/** Whether an error becomes a note: errors of the machine, of etcd or of the store do. Errors of the claim, and our own bugs, do not. */
const isNoted = (error: unknown): error is WindlassError =>
  error instanceof WindlassError && !(error instanceof InvariantError) && !/stale-epoch|lease-over|^claim\./.test(error.code);

/** Keeps a snapshot. Returns a note, or undefined where a complete snapshot is kept. */
async function keep(context: SnapshotContext): Promise<string | undefined> {
  const seen = await context.living.ask(async (master) => {
    const etcd = await etcdOn(master.host);
    return etcd && { master, etcd };
  });
  if (seen === undefined)
    throw new TerminalError('snapshot.no-etcd', 'no master has an etcd of kubeadm’s (/etc/kubernetes/manifests/etcd.yaml)');
  const { master, etcd } = seen;
  assertRoom(master, etcd);
  const { archive, missing } = await taken(context, master, etcd.data);
  const refusal = await brought(context, master.host, archive);
  await master.host.job('remove-snapshot', { run: cmd`rm -f -- ${ARCHIVE}`, within: LOOK });
  if (refusal !== undefined) return `no snapshot of the control plane was kept: ${refusal}`;
  context.progress(`a snapshot of the control plane on ${master.address} is kept: ${mib(archive.size)}`);
  if (missing.length === 0) return undefined;
  return `the snapshot of the control plane lacks what its API server names and master ${master.address} has not: ${missing.join(', ')}`;
}

/** An etcd on a master: where its data is, how large that is, and the room beside it, in bytes. */
interface EtcdData {
  data: string;
  size: number;
  free: number;
}

async function etcdOn(host: Host): Promise<EtcdData | undefined> {
  const { stdout } = await host.run(cmd`/bin/bash -s snapshot`, { within: LOOK, sudo: true, input: LOOK_AT_ETCD, expect: 'any' });
  const [, size, free, data] = /^etcd (\d+) (\d+) (\/.*)$/m.exec(stdout) ?? [];
  return data === undefined ? undefined : { data, size: Number(size), free: Number(free) };
}

function assertRoom({ address }: Master, { size, free, data }: EtcdData): void {
  if (size > MOST_ETCD)
    throw new TerminalError(
      'snapshot.too-large',
      `etcd's database on master ${address} has ${mib(size)}, and of more than ${mib(MOST_ETCD)} none is taken: compact and defragment it, or see to snapshots of your own`,
    );
  if (free < 2 * size + SPARE)
    throw new TerminalError(
      'snapshot.no-room',
      `master ${address} has ${mib(free)} free at ${data}, and ${mib(2 * size + SPARE)} are needed: make room there`,
    );
}

/** Packs a snapshot on the master. */
async function taken(
  context: SnapshotContext,
  { host, address }: Master,
  data: string,
): Promise<{ archive: ControlPlaneArchive; missing: string[] }> {
  const { stdoutTail } = await host.job('take-snapshot', {
    prepare: async (files) => {
      await files.put('script.sh', TAKE_SNAPSHOT);
      await files.put('health.sh', etcdctl(OWN_ETCD, ['endpoint', 'health']).text);
      await files.put('save.sh', etcdctl(OWN_ETCD, ['snapshot', 'save', `${data}/windlass-snapshot.db`], TAKING).text);
      const words = [data, files.path('health.sh'), files.path('save.sh'), ARCHIVE, address];
      return { run: cmd`/bin/bash ${files.path('script.sh')} ${words}` };
    },
    within: TAKING,
    onOutput: ({ text }) => context.progress(text),
  });
  const [, size, sha256] = /^snapshot (\d+) ([0-9a-f]{64})$/m.exec(stdoutTail) ?? [];
  if (sha256 === undefined)
    throw new TerminalError('snapshot.not-taken', `master ${address} did not say what snapshot it took: ${lastLine(stdoutTail)}`);
  const missing = [...stdoutTail.matchAll(/^missing (.{1,300})$/gm)].slice(0, 5).map(([, path = '']) => path);
  const ca = /^cluster ([0-9a-f]{64})$/m.exec(stdoutTail)?.[1];
  return { archive: { master: address, size: Number(size), sha256, ...(ca === undefined ? {} : { ca }) }, missing };
}

/** Brings the archive to the registry, part by part. @returns why it is not kept, where the limits refuse it */
async function brought({ vims, run }: SnapshotContext, host: Host, archive: ControlPlaneArchive): Promise<string | undefined> {
  let { state, kept, mostBytes } = await vims.keepSnapshot(run, archive);
  for (let number = 0; state === 'awaited' && number * PART < archive.size; number++) {
    run.assertLease();
    const bytes = await partOf(host, number);
    ({ state, kept, mostBytes } = await vims.keepSnapshot(run, archive, { number, bytes }));
  }
  if (state === 'kept') return undefined;
  if (kept === 0) return 'none are wanted (CLUSTER_SNAPSHOTS_KEPT of vim-registry is 0)';
  if (state === 'refused')
    return `it has ${mib(archive.size)}, and ${mib(mostBytes)} are kept at most (CLUSTER_SNAPSHOT_MAX_BYTES of vim-registry)`;
  throw new InvariantError(`all parts of snapshot ${archive.sha256} were brought, and it is still awaited`);
}

/** Reads a part of the archive. The output is secret: it holds the cluster's keys. */
async function partOf(host: Host, number: number): Promise<Buffer> {
  const read = cmd`dd if=${ARCHIVE} bs=${PART} skip=${number} count=1 status=none | base64 --wrap=0`;
  const { stdout } = await host.run(read, { within: LOOK, sudo: true, secretOutput: true });
  return Buffer.from(stdout, 'base64');
}

const mib = (bytes: number): string => `${Math.ceil(bytes / MIB)} MiB`;

const lastLine = (text: string): string => (text.trim().split('\n').at(-1) ?? '').slice(0, 300);
