import { afterAll, beforeAll } from 'vitest';
import type { HostTarget } from '@windlass/mgmt-driver';
import type { RemoteHostOptions } from '../connection/options.js';
import { ContractRig } from './contract-rig.js';
import { TestSshd } from './sshd.js';

/** An sshd for the tests of a file, and rigs on it, which end with the tests. */
export interface Scene {
  readonly sshd: TestSshd;
  rig(target?: Partial<HostTarget>, options?: Partial<RemoteHostOptions>): ContractRig;
}

/** Sets a scene up. To be called at the top of a test file. */
export function setScene(...sshdConfig: string[]): Scene {
  let sshd: TestSshd | undefined;
  const rigs: ContractRig[] = [];
  beforeAll(async () => {
    sshd = await TestSshd.start(...sshdConfig);
  });
  afterAll(async () => {
    for (const rig of rigs) rig.close();
    await sshd?.stop();
  });
  return {
    get sshd() {
      if (sshd === undefined) throw new Error('the scene is not set yet');
      return sshd;
    },
    rig(target = {}, options = {}) {
      const rig = new ContractRig(this.sshd.target(target), options);
      rigs.push(rig);
      return rig;
    },
  };
}
