import {
  HostContext,
  LivingMasters,
  tryNfsMounts,
  type DriverPorts,
  type MachineInput,
  type PackageFiles,
  type TryNfsMountsInput,
  type TryNfsMountsOutput,
} from '@windlass/driver-kit';
import { InvariantError, minutes, seconds, TransientError } from '@windlass/foundation';
import { cmd } from '@windlass/mgmt-driver';
import { implementAction, type StepRun } from '@windlass/saga';
import { wantedVolumes } from '../volumes/wanted-volumes.js';
import { TRY_NFS_MOUNTS } from './scripts.js';

/** Enough for the trial: each mount is given up after 20 s, and the first failure ends it. */
const WITHIN = minutes(3);

/** Lines of what the node says that stand in the error. */
const LAST_LINES = 5;

/** The context of an action that any one of several nodes can do. */
export class TryContext extends HostContext<TryNfsMountsInput> {
  constructor(
    run: StepRun<TryNfsMountsInput>,
    { hosts, packages }: Pick<DriverPorts, 'hosts' | 'packages'>,
    readonly files: PackageFiles = packages,
  ) {
    super(run, hosts, ['nodes', 'manifests']);
  }

  protected get machine(): MachineInput {
    const [first] = this.input.nodes;
    if (first === undefined) throw new InvariantError(`step ${this.run.stepId} has no node to try on`);
    return first;
  }

  protected override get otherMachines(): readonly MachineInput[] {
    return this.input.nodes.slice(1);
  }

  /** Runs the trial on the first node that answers. @throws TransientError `volumes.not-mountable`; the nodes' errors, where none answers */
  async tried(): Promise<TryNfsMountsOutput> {
    const wanted = await wantedVolumes(this.input, this.files, this.run.signal);
    const places = [...new Set(wanted.map(({ volume: { server, path } }) => `${server}\t${path}\n`))];
    if (places.length === 0) return {};
    const nodes = this.input.nodes.map((node) => ({ host: this.hostOf(node), address: node.address }));
    const said = await new LivingMasters(nodes, this.silent).ask(async ({ host, address }) => {
      const command = cmd`unshare --mount --propagation private /bin/bash -c ${TRY_NFS_MOUNTS}`;
      const result = await host.run(command, { within: WITHIN, sudo: true, expect: 'any', input: places.join('') });
      return { ...result, address };
    });
    if (said === undefined) throw new InvariantError('a node that answers says something');
    if (said.status !== 0) {
      const why = said.stderr.trim().split('\n').slice(-LAST_LINES).join('\n');
      throw new TransientError('volumes.not-mountable', `the node ${said.address} can't mount what is to be registered: ${why}`);
    }
    return said.stdout.trim() === 'mounted' ? {} : { notes: [noMount(said.address)] };
  }
}

const noMount = (address: string): string =>
  `no PersistentVolume was mounted for a try: the root of the node ${address} is one of a user namespace, which mounts no NFS; the NFS server said there that it exports them`;

/** Changes nothing: the mounts are seen by nothing else, and end with the trial. */
export const tryNfsMountsWork = implementAction(tryNfsMounts, {
  apply: (context: TryContext) => context.tried(),
  stop: (context) => context.stop(),
  retry: { attempts: 5, backoff: seconds(3), growth: 2 },
});
