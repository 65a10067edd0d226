import {
  HostContext,
  KubeApi,
  LivingMasters,
  proxySecrets,
  targetOf,
  type DriverPorts,
  type Master,
  type MachineInput,
  type MasterInput,
  type PackageFiles,
  type Proxies,
} from '@windlass/driver-kit';
import type { Secret } from '@windlass/foundation';
import type { StepRun } from '@windlass/saga';
import type { ExternalLbInput } from './external-lb-input.js';

/** What some of the actions have beside the machine. */
interface Beside extends ExternalLbInput {
  masters?: MasterInput[];
  proxy?: Proxies;
}

/** What an action on an external load balancer works with. */
export class ExternalLbContext<Input extends ExternalLbInput = ExternalLbInput> extends HostContext<Input> {
  readonly packages: PackageFiles;

  constructor(run: StepRun<Input>, { hosts, packages }: Pick<DriverPorts, 'hosts' | 'packages'>) {
    super(run, hosts, ['machine']);
    this.packages = packages;
  }

  get machine(): MachineInput {
    return this.input.machine;
  }

  /** The cluster's API, through any living master. */
  get api(): KubeApi {
    return new KubeApi(this.#masters, this.silent);
  }

  get masters(): LivingMasters {
    return new LivingMasters(this.#masters, this.silent);
  }

  /** Secrets to mask in the output of a script of a package. */
  get known(): readonly Secret[] {
    const { password, passphrase } = targetOf(this.machine);
    return [...this.secrets, ...[password, passphrase].filter((secret) => secret !== undefined)];
  }

  protected override get secrets(): readonly Secret[] {
    return proxySecrets(this.#beside.proxy ?? {});
  }

  protected override get otherMachines(): readonly MachineInput[] {
    return this.#beside.masters ?? [];
  }

  get #masters(): Master[] {
    return (this.#beside.masters ?? []).map((each) => ({ host: this.hostOf(each), address: each.address }));
  }

  get #beside(): Beside {
    return this.input;
  }
}
