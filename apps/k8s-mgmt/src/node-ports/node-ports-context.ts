import { ServerContext, targetOf, type DriverPorts, type PackageFiles, type ServerStepInput } from '@windlass/driver-kit';
import type { Secret } from '@windlass/foundation';
import type { StepRun } from '@windlass/saga';
import type { NodePortFrontend } from '../external-lb/haproxy.js';
import type { OfVnf } from './frontends.js';

export interface NodePortsInput extends ServerStepInput {
  /** Of this VNF alone: a frontend for each of its Services. */
  frontends: NodePortFrontend[];
}

/** What an action on the load balancer of a VNF of containers works with. */
export class NodePortsContext<Input extends NodePortsInput = NodePortsInput> extends ServerContext<Input> {
  readonly packages: PackageFiles;

  constructor(run: StepRun<Input>, { hosts, packages }: Pick<DriverPorts, 'hosts' | 'packages'>) {
    super(run, hosts, ['frontends']);
    this.packages = packages;
  }

  /** Whose ports they are. */
  get of(): OfVnf {
    return { vnf: this.input.instance, balancer: this.machine.address };
  }

  get name(): string {
    return this.machine.name;
  }

  /** What a script of a package is told that is nobody else's business. */
  get known(): readonly Secret[] {
    const { password, passphrase } = targetOf(this.machine);
    return [password, passphrase].filter((secret) => secret !== undefined);
  }
}
