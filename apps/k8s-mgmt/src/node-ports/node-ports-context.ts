import { ServerContext, targetOf, type DriverPorts, type PackageFiles, type ServerStepInput } from '@windlass/driver-kit';
import type { Secret } from '@windlass/foundation';
import type { StepRun } from '@windlass/saga';
import type { NodePortFrontend } from '../external-lb/haproxy.js';
import type { OfVnf } from './frontends.js';

export interface NodePortsInput extends ServerStepInput {
  /** The frontends of this VNF alone, one for each Service. */
  frontends: NodePortFrontend[];
}

/** What an action on the load balancer of a VNF of containers works with. */
export class NodePortsContext<Input extends NodePortsInput = NodePortsInput> extends ServerContext<Input> {
  readonly packages: PackageFiles;

  constructor(run: StepRun<Input>, { hosts, packages }: Pick<DriverPorts, 'hosts' | 'packages'>) {
    super(run, hosts, ['frontends']);
    this.packages = packages;
  }

  /** The VNF that the ports belong to. */
  get of(): OfVnf {
    return { vnf: this.input.instance, balancer: this.machine.address };
  }

  get name(): string {
    return this.machine.name;
  }

  /** Secrets to mask in the output of a script of a package. */
  get known(): readonly Secret[] {
    const { password, passphrase } = targetOf(this.machine);
    return [password, passphrase].filter((secret) => secret !== undefined);
  }
}
