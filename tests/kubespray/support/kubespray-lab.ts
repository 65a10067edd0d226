import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { minutes, type JsonObject } from '@windlass/foundation';
import { onboard, type StepView } from '@windlass/windlass';
import type { LabKubernetes } from '@windlass/workbench';
import { home, startDeployed, type Deployed } from '../../support/deployed.js';
import { Reaper } from '../../support/killed-services.js';
import type { ShownVnfc } from '../../support/shown-vnfc.js';
import { AnsibleServer, INVENTORIES, ROOT } from './ansible-server.js';

/** The ids in the document's body, in whose places the lab's network and VIM are put. */
const DOCUMENT = { network: 'b0b84da3-3259-4855-b4cd-5711ba5e5de1', vim: '05ef7ca5-7e32-4a6b-a03d-52f811f04496' };
const KUBECTL = ['kubectl', '--kubeconfig=/etc/kubernetes/admin.conf'];
/** The limit for an operation: playbooks are slow on a busy machine. */
const WITHIN = minutes(15);

/** The product, the lab with an Ansible server, and one instance of the kubespray sample. */
export class KubesprayLab {
  private constructor(
    readonly deployed: Deployed,
    readonly ansible: AnsibleServer,
    readonly path: string,
  ) {}

  /** @param environment more environment of all services */
  static async start(kubernetes: LabKubernetes, environment: Readonly<Record<string, string>> = {}): Promise<KubesprayLab> {
    const deployed = await startDeployed(environment, { kubernetes });
    const { kubernetesVersion } = deployed.lab;
    const ofGroup = kubernetesVersion === undefined ? {} : { kube_version: kubernetesVersion, kube_network_plugin: 'flannel' };
    try {
      const [ansible, { vnfdId }] = await Promise.all([
        AnsibleServer.start(deployed.lab.fleet, ofGroup),
        onboard(deployed.api, path.join(home, 'samples/kubespray')),
      ]);
      const { id } = await deployed.api.post<{ id: string }>('/vnflcm/v1/vnf_instances', { vnfdId });
      return new KubesprayLab(deployed, ansible, `/vnflcm/v1/vnf_instances/${id}`);
    } catch (error) {
      await deployed.close();
      throw error;
    }
  }

  get instanceId(): string {
    return this.path.split('/').at(-1) ?? '';
  }

  /** The body of the document (seeds/4-kubespray-and-load-balancer-spec.txt) with its placeholders filled in. */
  async documentBody(): Promise<JsonObject> {
    const { lab, api } = this.deployed;
    const text = await readFile(path.join(import.meta.dirname, 'document-body.json'), 'utf8');
    const { vims } = await api.get<{ vims: { id: string; type: string }[] }>('/v1.0/vims');
    const vimId = vims.find(({ type }) => type === 'openstack')?.id ?? '';
    const proxy = lab.fleet.proxyUrl.replace('http://', '');
    const body = JSON.parse(
      text
        .replaceAll(DOCUMENT.network, lab.networkName)
        .replaceAll(DOCUMENT.vim, vimId)
        .replace('0.0.0.0', this.ansible.address)
        .replace('"kubespray_root_path": ""', `"kubespray_root_path": "${ROOT}"`)
        .replace('"transferring_inventory_path": ""', `"transferring_inventory_path": "${INVENTORIES}"`)
        .replace('host1:port1', proxy)
        .replace('https://user2:password2@host2:port2', `http://user2:password2@${proxy}`)
        .replace('192.168.246.0/24,10.0.0.1', `192.168.246.0/24,${lab.fleet.network.gateway}`)
        .replace('10.10.0.0/24', lab.fleet.network.cidr)
        .replace('externalLB_instance', 'externalLB_CP1'),
    ) as JsonObject;
    return body;
  }

  /**
   * Carries out an operation. Returns its steps in the order of their ends, and its warnings.
   * @param dying the services to be killed once meanwhile, each with the action at whose step it dies
   */
  async done(
    task: string,
    body: JsonObject,
    dying: Readonly<Record<string, string>> = {},
  ): Promise<{ steps: StepView[]; warnings: string[] }> {
    const { api } = this.deployed;
    const reaper = new Reaper(this.deployed, dying);
    const opOccPath = await api.accept(`${this.path}/${task}`, body);
    const opOcc = await api.follow(opOccPath, WITHIN, reaper.look);
    const operation = `/windlass/v1/operations/${opOccPath.split('/').at(-1) ?? ''}`;
    const steps = await api.get<StepView[]>(`${operation}/steps`);
    if (opOcc.operationState !== 'COMPLETED')
      throw new Error(`${task}: ${JSON.stringify(opOcc)}\n${JSON.stringify(steps.filter(({ error }) => error !== null))}`);
    const spared = await reaper.spared();
    if (spared.length > 0) throw new Error(`${task}: never killed: ${spared.join(', ')}`);
    const { warnings = [] } = await api.get<{ warnings?: string[] }>(operation);
    return { steps, warnings };
  }

  async vnfcs(vduId?: string): Promise<ShownVnfc[]> {
    const { instantiatedVnfInfo } = await this.deployed.api.get<{ instantiatedVnfInfo: { vnfcResourceInfo: ShownVnfc[] } }>(
      this.path,
    );
    return instantiatedVnfInfo.vnfcResourceInfo.filter((vnfc) => vduId === undefined || vnfc.vduId === vduId);
  }

  addressOf({ computeResource }: ShownVnfc): string {
    return this.deployed.lab.fleet.addresses(computeResource.resourceId)[0] ?? '';
  }

  /** The name of a node in inventory and cluster. */
  nameOf(vnfc: ShownVnfc): string {
    return `${vnfc.vduId.replace('Node', '')}-${this.addressOf(vnfc).replaceAll('.', '-')}`;
  }

  async balancer(): Promise<ShownVnfc> {
    const [found] = await this.vnfcs('externalLB');
    if (found === undefined) throw new Error('it has no load balancer');
    return found;
  }

  /** Runs a program on a VM as root. Returns the output of a program that ended with 0. */
  async said(vnfc: ShownVnfc, ...argv: string[]): Promise<string> {
    const { status, stdout, stderr } = await this.deployed.lab.fleet.exec(vnfc.computeResource.resourceId, argv);
    if (status !== 0) throw new Error(`${argv.join(' ')}: exit status ${String(status)}: ${stderr}`);
    return stdout.trim();
  }

  /** Runs kubectl on the master as administrator. */
  async kubectl(args: readonly string[], input?: string): Promise<string> {
    const [master] = await this.vnfcs('masterNode');
    const { resourceId } = master!.computeResource;
    const { status, stdout, stderr } = await this.deployed.lab.fleet.exec(
      resourceId,
      [...KUBECTL, ...args],
      input === undefined ? {} : { input },
    );
    if (status !== 0) throw new Error(`kubectl ${args.join(' ')}: ${stderr}`);
    return stdout.trim();
  }

  /** Name and readiness of each node, by the cluster's API. */
  async nodes(): Promise<string[]> {
    const format = 'jsonpath={range .items[*]}{.metadata.name} {.status.conditions[?(@.type=="Ready")].status}{"\\n"}{end}';
    return (await this.kubectl(['get', 'nodes', '-o', format])).split('\n').sort();
  }

  /** The addresses in the load balancer's back end of NodePorts. */
  async routes(): Promise<string[]> {
    const text = await this.configuration();
    const backend = /^backend kubernetes-nodeport$([\s\S]*?)^(?=\S)/m.exec(`${text}\nend`)?.[1] ?? '';
    return [...backend.matchAll(/^\s+server \S+ (\S+)/gm)].map(([, address = '']) => address).sort();
  }

  async configuration(): Promise<string> {
    return this.said(await this.balancer(), 'cat', '/etc/haproxy/haproxy.cfg');
  }

  close(): Promise<void> {
    return this.deployed.close();
  }
}
