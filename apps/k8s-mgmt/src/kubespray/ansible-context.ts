import {
  proxySecrets,
  resourceOf,
  ServerContext,
  targetOf,
  type MachineInput,
  type MasterInput,
  type ServerInput,
} from '@windlass/driver-kit';
import { Secret } from '@windlass/foundation';
import type { Hosts } from '@windlass/mgmt-driver';
import type { StepRun } from '@windlass/saga';
import { KubeCluster } from '../cluster/kube-cluster.js';
import type { AnsibleStepInput, PlaybookStepInput, PrepareInventoryInput } from './ansible-input.js';

/** What an action on the Ansible server works with, on behalf of one claim. */
export class AnsibleContext<Input extends AnsibleStepInput = AnsibleStepInput> extends ServerContext<Input> {
  constructor(run: StepRun<Input>, hosts: Hosts, members: readonly (keyof Input)[] = []) {
    super(run, hosts, ['rootPath', 'folder', ...members]);
  }

  /** The server in messages. */
  get serverName(): string {
    return this.input.server.name;
  }
}

/** The context of the step that prepares an inventory: it also looks at the nodes. */
export class PreparationContext extends AnsibleContext<PrepareInventoryInput> {
  protected override get otherMachines(): readonly MachineInput[] {
    const { masters, fresh } = this.input;
    return [...new Map([...masters, ...fresh].map((machine) => [resourceOf(machine), machine])).values()];
  }
}

/** The context of an action that runs a playbook. The action knows the logins of all nodes; some also ask the cluster. */
export class PlaybookContext<Input extends PlaybookStepInput & { masters?: MasterInput[] }> extends AnsibleContext<Input> {
  #cluster: KubeCluster | undefined;

  constructor(run: StepRun<Input>, hosts: Hosts) {
    super(run, hosts, ['nodes', 'kubespray']);
  }

  /** The cluster, through any living master. */
  get cluster(): KubeCluster {
    const masters = this.#masters.map((each) => ({ host: this.hostOf(each), address: each.address }));
    this.#cluster ??= new KubeCluster(masters, this.silent);
    return this.#cluster;
  }

  protected override get otherMachines(): readonly (MachineInput | ServerInput)[] {
    return this.#masters;
  }

  get #masters(): readonly MasterInput[] {
    return this.input.masters ?? [];
  }

  /** The secrets as they are, and as the callback plugin's JSON writes them. */
  protected override get secrets(): readonly Secret[] {
    const logins = this.input.nodes.flatMap((node) => {
      const { password, privateKey } = targetOf(node);
      return [password, privateKey].filter((secret) => secret !== undefined);
    });
    return [...logins, ...proxySecrets(this.input.proxy)].flatMap((secret) => {
      const escaped = JSON.stringify(secret.reveal()).slice(1, -1);
      return escaped === secret.reveal() ? [secret] : [secret, new Secret(escaped)];
    });
  }
}
