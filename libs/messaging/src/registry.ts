import { envelopeSchema } from './envelope/envelope.js';
import { errorSchema } from './envelope/error-envelope.js';
import { enrolContract } from './enrolment/enrolment-contract.js';
import { announceContract, descriptionRule, lifecycleEvent, mgmtContracts } from './mgmt/mgmt-contracts.js';
import { archivedPartContract, packagePartContract } from './package/package-contract.js';
import { claimContract, renewAllContract, renewContract, resultContract } from './saga/saga-contracts.js';
import { sealedBoxSchema } from './sealing/sealed-box.js';
import { grantedByContract } from './grant/grant-contract.js';
import { runnableContract } from './user-data/user-data-contract.js';
import * as vimClaim from './vim/vim-claim-contracts.js';
import { boundVolumesContract } from './vim/bound-volumes-contract.js';
import { clusterNodesContract } from './vim/cluster-nodes-contract.js';
import { vimNetworksContract } from './vim/vim-networks-contract.js';
import { clusterAccessContract } from './vim/cluster-access-contract.js';
import { keepSnapshotContract, readSnapshotContract } from './vim/snapshot-contract.js';
import { checkVimContract } from './vim/vim-check-contract.js';
import * as vim from './vim/vim-contracts.js';
import type { JsonSchema } from './contracts/contract.js';
import { wakeUpEvent } from './contracts/wake-up.js';

/** What of a contract is shown. */
interface Shown {
  readonly schema: JsonSchema;
}

interface ShownContract {
  readonly name: string;
  readonly subject: string;
  readonly request: Shown;
  readonly reply: Shown;
}

/** Contracts of a driver differ in their subject alone: those of any name show all. */
const driver = mgmtContracts('example');

/** Everything that is asked and answered by contract; a test finds what is missing here. */
export const contracts: readonly ShownContract[] = [
  claimContract,
  renewContract,
  renewAllContract,
  resultContract,
  enrolContract,
  announceContract,
  driver.describe,
  driver.validate,
  driver.plan,
  packagePartContract,
  archivedPartContract,
  runnableContract,
  grantedByContract,
  vim.registerVimContract,
  vim.updateVimContract,
  vim.listVimsContract,
  vim.showVimContract,
  vim.deleteVimContract,
  checkVimContract,
  boundVolumesContract,
  clusterNodesContract,
  vimNetworksContract,
  clusterAccessContract,
  vimClaim.registryKeyContract,
  vimClaim.registerClusterContract,
  vimClaim.showClusterContract,
  vimClaim.removeClusterContract,
  vimClaim.hostKeyContract,
  keepSnapshotContract,
  readSnapshotContract,
];

/** Everything that is told by contract. */
export const events: readonly { readonly name: string; readonly data: Shown }[] = [wakeUpEvent, lifecycleEvent];

/**
 * The schemas as `docs/contracts/schemas` shows them, by file name. The contracts in the sources are the only source; a test keeps the folder
 * equal to them (`UPDATE_CONTRACTS=1 npx vitest run --project unit libs/messaging/src/documented-contracts.spec.ts` writes it anew).
 */
export function schemaDocuments(): ReadonlyMap<string, JsonSchema> {
  const documents = new Map<string, JsonSchema>([
    ['envelope', envelopeSchema],
    ['error', errorSchema],
    ['sealed-box', sealedBoxSchema],
  ]);
  for (const { name, request, reply } of contracts) {
    documents.set(`${name}.request`, request.schema);
    documents.set(`${name}.reply`, reply.schema);
  }
  documents.set('mgmt.description', descriptionRule.schema);
  for (const { name, ask, answer } of [driver.describe, driver.validate, driver.plan]) {
    documents.set(`${name}.ask`, ask.schema);
    documents.set(`${name}.answer`, answer.schema);
  }
  for (const { name, data } of events) documents.set(name, data.schema);
  return documents;
}
