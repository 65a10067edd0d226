import { MachineContext, type ConnectRegistriesInput, type DriverPorts, type PackageFiles } from '@windlass/driver-kit';
import { Secret, WindlassError } from '@windlass/foundation';
import type { StepRun } from '@windlass/saga';
import { credentialOf } from './kubelet-credentials.js';

/** What the step on a node works with. */
export class NodeContext extends MachineContext<ConnectRegistriesInput> {
  readonly packages: PackageFiles;

  constructor(run: StepRun<ConnectRegistriesInput>, { hosts, packages }: Pick<DriverPorts, 'hosts' | 'packages'>) {
    super(run, hosts);
    this.packages = packages;
  }

  get name(): string {
    return this.machine.name;
  }

  /** A file of root's, or undefined where there is none. */
  async read(path: string): Promise<string | undefined> {
    try {
      return (await this.host.files.read(path, { sudo: true })).toString('utf8');
    } catch (error) {
      if (error instanceof WindlassError && error.code === 'remote.no-such-file') return undefined;
      throw error;
    }
  }

  protected override get secrets(): readonly Secret[] {
    return this.input.registries.flatMap((registry) => {
      const { password } = registry;
      const credential = credentialOf(registry);
      return password === undefined || credential === undefined ? [] : [new Secret(String(password)), credential];
    });
  }
}
