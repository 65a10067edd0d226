import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { LOOK, type KeptSnapshot } from '@windlass/driver-kit';
import { minutes, RequestError, seconds, TerminalError, TransientError } from '@windlass/foundation';
import { cmd } from '@windlass/mgmt-driver';
import { implementAction } from '@windlass/saga';
import { declared, type Noted } from '../cluster/action.js';
import { configurationIn, repositoryIn, versionIn } from '../cluster/kubeadm-configuration.js';
import type { NamedNode } from '../cluster/node-input.js';
import { namedNodes } from '../cluster/node-names.js';
import { nodePackages, type NodePackages } from '../cluster/node-packages.js';
import type { NameNodesOutput } from '../cluster/nodes/name-nodes.action.js';
import type { RestorationContext, FetchSnapshotInput } from './restoration-context.js';
import { ARCHIVE, READ_ARCHIVE, SUM_OF_ARCHIVE } from './scripts.js';

/** What the snapshot says of the cluster: names of its nodes, what is installed on them, and the digest of the archive. */
export interface FetchSnapshotOutput extends NameNodesOutput, NodePackages, Noted {
  /** Of the archive, hex. */
  sha256: string;
}

/** Bytes of a part, as the registry gives them. */
const PART = 512 * 1024;

const MIB = 1024 * 1024;

/** Nodes that a warning names. */
const SHOWN_NODES = 20;

/** Enough to read an archive of 64 MiB to its end on a slow machine. */
const READING = minutes(3);

/**
 * Brings the newest snapshot of the cluster, or the named one, to the machine that becomes its only master again. An archive that lies there already
 * is not brought again: an earlier worker may have died after it brought it.
 */
export const fetchSnapshot = implementAction(declared<FetchSnapshotInput, FetchSnapshotOutput>('fetch-snapshot'), {
  apply: async (context: RestorationContext) => {
    await context.firstBoot();
    const first = await firstPart(context);
    if ((await sumOnMachine(context)) !== first.sha256) await bring(context, first);
    return outputOf(context, first);
  },
  stop: (context) => context.stop(),
  retry: { attempts: 5, backoff: seconds(5), growth: 2 },
});

type Part = KeptSnapshot & { bytes: Buffer };

async function firstPart({ vims, run, input: { sha256 } }: RestorationContext): Promise<Part> {
  try {
    return await vims.readSnapshot(run, { number: 0, ...(sha256 === undefined ? {} : { sha256 }) });
  } catch (error) {
    // The snapshot was there when the request came.
    if (error instanceof RequestError && error.code === 'snapshot.none')
      throw new TerminalError(
        'snapshot.none',
        `${error.message}. ${sha256 === undefined ? 'Without one the cluster can only be made anew: heal the whole' : 'Fail the operation, and heal again of another one'}`,
        {
          cause: error,
        },
      );
    throw error;
  }
}

async function sumOnMachine({ host }: RestorationContext): Promise<string> {
  const { stdout } = await host.run(cmd`/bin/bash -s ${ARCHIVE}`, { within: LOOK, sudo: true, input: SUM_OF_ARCHIVE });
  return stdout.trim();
}

/** Brings the archive part by part. The file gets its name when all parts are there. */
async function bring(context: RestorationContext, first: Part): Promise<void> {
  const { vims, run, host } = context;
  const { sha256, size } = first;
  const parts = Math.ceil(size / PART);
  async function* content(): AsyncGenerator<Buffer> {
    const hash = createHash('sha256');
    for (let number = 0; number < parts; number++) {
      run.assertLease();
      context.progress(`bringing the snapshot of ${first.takenAt}: ${mib(Math.min(size, number * PART))} of ${mib(size)}`);
      const { bytes } = number === 0 ? first : await vims.readSnapshot(run, { number, sha256 });
      hash.update(bytes);
      yield bytes;
    }
    if (hash.digest('hex') !== sha256)
      throw new TransientError('snapshot.broken', `what came of snapshot ${sha256} is not what is kept`);
  }
  await host.files.put(ARCHIVE, Readable.from(content()), { mode: 0o600, owner: 'root:root', sudo: true });
}

const mib = (bytes: number): string => `${Math.ceil(bytes / MIB)} MiB`;

/** What the archive says that the cluster was. */
async function outputOf(context: RestorationContext, { sha256, takenAt, master }: KeptSnapshot): Promise<FetchSnapshotOutput> {
  const { host, input, node } = context;
  const { stdout } = await host.run(cmd`/bin/bash -s ${ARCHIVE}`, { within: READING, sudo: true, input: READ_ARCHIVE });
  const line = (of: string): string => new RegExp(`^${of} (\\S+)$`, 'm').exec(stdout)?.[1] ?? '';
  const [name, address] = [line('name'), line('address')];
  if (!isNodeName(name)) throw unreadable(takenAt, 'its etcd has no name that a node can have');
  if (address !== node.address)
    throw new TerminalError(
      'snapshot.other-address',
      `the snapshot of ${takenAt} is of the master at ${master}, whose API server was at ${address === '' ? 'no address' : address}, and the machine in its place has ${node.address}: workers, certificates and etcd know the old one. Give the port that address and retry, or restore by hand (docs/runbooks/cluster-snapshots.md)`,
    );
  const configuration = configurationIn(Buffer.from(line('configuration'), 'base64').toString('utf8'));
  const version = versionIn(configuration.kubernetesVersion);
  const packages = nodePackages(version, repositoryIn(configuration.imageRepository), input.sources);
  context.progress(`the cluster ran Kubernetes v${version} on ${name} at ${takenAt}`);
  const note = `${name} is made again of the snapshot of ${takenAt}: what the cluster was told after that is not in it`;
  const listed = listedIn(stdout);
  const notes = [note, ...noteOfStrangers(listed, [address, ...input.nodes.map((node) => node.address)])];
  return { ...packages, nodes: nodesOf(listed, { name, address }, input.nodes), sha256, notes };
}

interface ListedNode {
  name: string;
  addresses: string[];
}

/** The nodes that the cluster had. */
const listedIn = (said: string): ListedNode[] =>
  [...said.matchAll(/^node (\S+) (.+)$/gm)].flatMap(([, name = '', addresses = '']) =>
    isNodeName(name) ? [{ name, addresses: addresses.split(' ') }] : [],
  );

/**
 * A note about nodes in the snapshot that are no VMs of the VNF. A worker that left after the snapshot is listed again; a node that somebody else
 * joined may be alive.
 */
function noteOfStrangers(listed: readonly ListedNode[], known: readonly string[]): string[] {
  const names = listed.filter(({ addresses }) => !addresses.some((one) => known.includes(one))).map(({ name }) => name);
  if (names.length === 0) return [];
  const shown = names.slice(0, SHOWN_NODES).join(' ');
  const more = names.length > SHOWN_NODES ? ` (and ${names.length - SHOWN_NODES} more)` : '';
  return [
    `the snapshot lists nodes that are no VMs of the VNF, such as workers that have left since: ${shown}${more}. Those that stay NotReady: kubectl delete node ${shown}`,
  ];
}

/** The nodes with their names in the snapshot. Nodes that joined after the snapshot get the names that new nodes would get. */
function nodesOf(
  listed: readonly ListedNode[],
  master: Pick<NamedNode, 'name' | 'address'>,
  wanted: readonly Omit<NamedNode, 'name'>[],
): NamedNode[] {
  const names = listed.flatMap(({ name, addresses }) => addresses.map((address) => [address, name] as const));
  return namedNodes(wanted, new Map([...names, [master.address, master.name] as const]));
}

/** Whether a name is safe: it becomes the machine's host name, and stands in every node's /etc/hosts. */
const isNodeName = (name: string): boolean =>
  name.length <= 253 && /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/.test(name);

const unreadable = (takenAt: string, why: string): TerminalError =>
  new TerminalError(
    'snapshot.unreadable',
    `the snapshot of ${takenAt} does not say what the cluster was: ${why}. Restore by hand (docs/runbooks/cluster-snapshots.md)`,
  );
