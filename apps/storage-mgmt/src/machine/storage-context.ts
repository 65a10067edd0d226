import { aptProxy, MachineContext, proxySecrets, type InstallProxy, type MachineStepInput } from '@windlass/driver-kit';
import { TerminalError, type Secret } from '@windlass/foundation';

/** Input of a step that installs packages. */
export interface PackagesInput {
  proxy?: InstallProxy;
}

/** By `ID` of os-release. */
const SUPPORTED: readonly string[] = ['debian', 'ubuntu'];

/** The context of an action on a machine that installs packages. */
export class StorageContext<Input extends MachineStepInput & PackagesInput> extends MachineContext<Input> {
  protected override get secrets(): readonly Secret[] {
    return proxySecrets(this.input.proxy ?? {});
  }

  /** A file for `apt-get -c`, readable by root alone, and removed with the job's folder. Empty without a proxy. */
  get aptProxy(): Secret {
    return aptProxy(this.input.proxy ?? {});
  }

  /**
   * Waits until the machine is set up, and looks at what it is.
   * @throws TerminalError `storage.os-unsupported`; as {@link MachineContext.firstBoot}
   */
  async ready(): Promise<void> {
    await this.firstBoot();
    const { osId, osVersion } = await this.host.facts();
    if (SUPPORTED.includes(osId)) return;
    throw new TerminalError(
      'storage.os-unsupported',
      `${this.machine.name} runs ${osId} ${osVersion}; NFS is set up on ${SUPPORTED.join(' or ')}: use such an image`,
    );
  }
}
