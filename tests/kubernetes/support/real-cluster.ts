import { minutes, seconds, waitUntil, type Duration, type JsonObject } from '@windlass/foundation';
import type { Finished } from '@windlass/lab';
import type { StepView } from '@windlass/windlass';
import { newCluster, startDeployed, type Deployed } from '../../support/deployed.js';

/** A VM of the cluster: its server, its name as a node. */
export interface RealNode {
  serverId: string;
  name: string;
  address: string;
}

/** The product, the lab with a real Kubernetes, and one cluster that is made in it. */
export class RealCluster {
  private constructor(
    readonly deployed: Deployed,
    readonly path: string,
    private readonly request: JsonObject,
    /** What the lab's OpenStack had before. */
    readonly before: string,
  ) {}

  static async start(): Promise<RealCluster> {
    const deployed = await startDeployed({}, { kubernetes: 'real' });
    const before = JSON.stringify(deployed.lab.emulator.inventory());
    const { path, request } = await newCluster(deployed);
    return new RealCluster(deployed, path, request, before);
  }

  /** Begins the instantiation; the operation's path. */
  instantiate(): Promise<string> {
    return this.deployed.api.accept(`${this.path}/instantiate`, this.request);
  }

  /** Follows an operation until it rests, and tells its steps to `look`. */
  rest(operation: string, look: (steps: readonly StepView[]) => void = () => undefined): Promise<JsonObject> {
    return this.deployed.api.follow(operation, minutes(25), look);
  }

  async nodes(): Promise<{ master: RealNode; workers: RealNode[] }> {
    const instance = await this.deployed.api.get(this.path);
    const { vnfcResourceInfo } = instance.instantiatedVnfInfo as unknown as {
      vnfcResourceInfo: { vduId: string; computeResource: { resourceId: string } }[];
    };
    const of = (vdu: string, role: string): RealNode[] =>
      vnfcResourceInfo
        .filter(({ vduId }) => vduId === vdu)
        .map(({ computeResource: { resourceId: serverId } }) => {
          const address = this.deployed.lab.fleet.addresses(serverId)[0] ?? '';
          return { serverId, address, name: `${role}${address.split('.').at(-1) ?? ''}` };
        });
    const [master] = of('masterNode', 'master');
    if (master === undefined) throw new Error('the instance has no master');
    return { master, workers: of('workerNode', 'worker') };
  }

  /** Runs a program on a node, past the network. */
  on({ serverId }: Pick<RealNode, 'serverId'>, ...argv: string[]): Promise<Finished> {
    return this.deployed.lab.fleet.exec(serverId, argv);
  }

  /** kubectl on the master, by its administrator's file. */
  async kubectl(...argv: string[]): Promise<Finished> {
    const { master } = await this.nodes();
    return this.on(master, 'kubectl', '--kubeconfig=/etc/kubernetes/admin.conf', ...argv);
  }

  /** What kubectl prints, where it ends well. */
  async done(...argv: string[]): Promise<string> {
    const { status, stdout, stderr } = await this.kubectl(...argv);
    if (status !== 0) throw new Error(`kubectl ${argv.join(' ')} ended with ${status ?? 'a signal'}: ${stderr}`);
    return stdout.trim();
  }

  /** Applies a manifest. */
  async apply(manifest: string): Promise<void> {
    const { master } = await this.nodes();
    const argv = ['kubectl', '--kubeconfig=/etc/kubernetes/admin.conf', 'apply', '-f', '-'];
    const { status, stderr } = await this.deployed.lab.fleet.exec(master.serverId, argv, { input: manifest });
    if (status !== 0) throw new Error(`the manifest was refused: ${stderr}`);
  }

  /** Looks until it is so. */
  until<T>(what: string, look: () => Promise<T | undefined>, within: Duration = minutes(4)): Promise<T> {
    return waitUntil(
      async (seen) => {
        try {
          return await look();
        } catch (error) {
          seen(error instanceof Error ? error.message : String(error));
          return undefined;
        }
      },
      { for: what, within, every: seconds(1) },
    );
  }

  close(): Promise<void> {
    return this.deployed.close();
  }
}
