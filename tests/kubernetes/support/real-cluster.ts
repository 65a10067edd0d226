import { minutes, seconds, waitUntil, type Duration, type JsonObject } from '@windlass/foundation';
import type { Finished } from '@windlass/lab';
import type { StepView } from '@windlass/windlass';
import { newCluster, startDeployed, type Deployed } from '../../support/deployed.js';

/** A VM of the cluster, with its server and node name. */
export interface RealNode {
  serverId: string;
  name: string;
  address: string;
}

/** The static pods of kubeadm. */
export const CONTROL_PLANE = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler'];

/** The serial numbers of a certificate in its file, and as served. */
export interface Serials {
  file: string;
  served: string;
}

/** The serial numbers of the master's certificates for the API server and etcd. */
export async function certificatesOf(cluster: RealCluster): Promise<Record<'kube-apiserver' | 'etcd', Serials>> {
  const { master } = await cluster.nodes();
  const pki = '/etc/kubernetes/pki';
  const serial = async (from: string): Promise<string> => {
    const { status, stdout, stderr } = await cluster.on(master, 'sh', '-c', `${from} | openssl x509 -noout -serial`);
    if (status !== 0 || stdout === '') throw new Error(`no certificate by ${from}: ${stderr}`);
    return stdout.trim();
  };
  const client = `-cert ${pki}/etcd/healthcheck-client.crt -key ${pki}/etcd/healthcheck-client.key`;
  const served = (port: number): string => `openssl s_client -connect 127.0.0.1:${port} ${client} < /dev/null 2> /dev/null`;
  return {
    'kube-apiserver': { file: await serial(`cat ${pki}/apiserver.crt`), served: await serial(served(6443)) },
    etcd: { file: await serial(`cat ${pki}/etcd/server.crt`), served: await serial(served(2379)) },
  };
}

/** The product, the lab with a real Kubernetes, and one cluster that is made in it. */
export class RealCluster {
  private constructor(
    readonly deployed: Deployed,
    readonly path: string,
    private readonly request: JsonObject,
    /** The contents of the lab's OpenStack before the cluster. */
    readonly before: string,
  ) {}

  static async start(): Promise<RealCluster> {
    const deployed = await startDeployed({}, { kubernetes: 'real' });
    const before = JSON.stringify(deployed.lab.emulator.inventory());
    const { path, request } = await newCluster(deployed);
    return new RealCluster(deployed, path, request, before);
  }

  /** Begins the instantiation. Returns the operation's path. */
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

  /** The VNF instance's id. */
  get id(): string {
    return this.path.split('/').at(-1) ?? '';
  }

  /** Asks for a task on the cluster's certificates. Returns the operation's path. */
  certificates(task: 'look' | 'renew'): Promise<string> {
    return this.deployed.api.accept(`/windlass/v1/vnf_instances/${this.id}/certificates`, { task });
  }

  /** Asks for one worker more or less. Returns the operation's path. */
  scale(type: 'SCALE_OUT' | 'SCALE_IN'): Promise<string> {
    return this.deployed.api.accept(`${this.path}/scale`, { type, aspectId: 'worker_instance' });
  }

  /** Asks for a heal of a VDU's VMs. Returns the operation's path. */
  async heal(vdu: string): Promise<string> {
    const instance = await this.deployed.api.get(this.path);
    const { vnfcResourceInfo } = instance.instantiatedVnfInfo as unknown as { vnfcResourceInfo: { id: string; vduId: string }[] };
    const vnfcInstanceId = vnfcResourceInfo.filter(({ vduId }) => vduId === vdu).map(({ id }) => id);
    return this.deployed.api.accept(`${this.path}/heal`, { vnfcInstanceId, cause: 'its VM is dead' });
  }

  /** The end of the first certificate to end, by the instance's record, in ms since 1970. */
  async certificatesEnd(): Promise<number> {
    const { instantiatedVnfInfo } = await this.deployed.api.get<{
      instantiatedVnfInfo: { metadata: { windlassCertificates: { certificates: { endsAt: string }[] } } };
    }>(this.path);
    const { certificates } = instantiatedVnfInfo.metadata.windlassCertificates;
    return Math.min(...certificates.map(({ endsAt }) => Date.parse(endsAt)));
  }

  /** The renewal that restarted a part of the master's control plane, and whether the part's pod is Ready, by the API. */
  renewedBy(name: string): Promise<string> {
    const of = '{.metadata.annotations.windlass\\.dev/renewed-by} {.status.conditions[?(@.type=="Ready")].status}';
    return this.until(`the pod of ${name} to be Ready`, async () => {
      const said = await this.done(
        '-n',
        'kube-system',
        'get',
        'pods',
        '-l',
        `component=${name}`,
        '-o',
        `jsonpath={range .items[*]}${of}{end}`,
      );
      return said.endsWith(' True') ? said : undefined;
    });
  }

  /** Runs a program on a node, without the network. */
  on({ serverId }: Pick<RealNode, 'serverId'>, ...argv: string[]): Promise<Finished> {
    return this.deployed.lab.fleet.exec(serverId, argv);
  }

  /** Runs kubectl on the master with the administrator's kubeconfig. */
  async kubectl(...argv: string[]): Promise<Finished> {
    const { master } = await this.nodes();
    return this.on(master, 'kubectl', '--kubeconfig=/etc/kubernetes/admin.conf', ...argv);
  }

  /** The output of a kubectl that must end with 0. */
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

  /** Looks until there is a value, and returns it. */
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
