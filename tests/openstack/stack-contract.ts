import { afterAll, beforeAll, describe } from 'vitest';
import { cancelContract } from './testing/cancel-contract.js';
import { ContractRun, type ContractVim } from './testing/contract-vim.js';
import { healContract } from './testing/heal-contract.js';
import { identityContract } from './testing/identity-contract.js';
import { imageContract } from './testing/image-contract.js';
import { lifecycleContract } from './testing/lifecycle-contract.js';
import { operateContract } from './testing/operate-contract.js';
import { ownershipContract } from './testing/ownership-contract.js';
import { reconnectContract } from './testing/reconnect-contract.js';
import { refusalContract } from './testing/refusal-contract.js';
import { resizeContract } from './testing/resize-contract.js';
import { translatedContract } from './testing/translated-contract.js';
import { vimCheckContract } from './testing/vim-check-contract.js';
import { volumeContract } from './testing/volume-contract.js';
import { watchContract } from './testing/watch-contract.js';
import { wireContract } from './testing/wire-contract.js';

export type { ContractVim } from './testing/contract-vim.js';

/**
 * What Windlass relies on in an OpenStack, as tests. The same run on the emulator and on a real one: that is what keeps the
 * emulator honest. `more` is for parts that only this one can keep. `start` is called once; what the run makes carries a tag of its own and is deleted at the end.
 */
export function stackContract(
  name: string,
  start: () => Promise<ContractVim>,
  more: readonly ((run: ContractRun) => void)[] = [],
): void {
  describe(`${name} keeps the contract:`, () => {
    const run = new ContractRun();
    beforeAll(() => run.begin(start));
    afterAll(() => run.end());
    identityContract(run);
    imageContract(run);
    refusalContract(run);
    wireContract(run);
    watchContract(run);
    lifecycleContract(run);
    resizeContract(run);
    cancelContract(run);
    volumeContract(run);
    healContract(run);
    operateContract(run);
    reconnectContract(run);
    ownershipContract(run);
    translatedContract(run);
    vimCheckContract(run);
    more.forEach((part) => part(run));
  });
}
