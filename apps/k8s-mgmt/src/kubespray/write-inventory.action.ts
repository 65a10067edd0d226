import { seconds, TerminalError } from '@windlass/foundation';
import { implementAction } from '@windlass/saga';
import { declared } from '../cluster/action.js';
import type { NodeInput } from '../cluster/node-input.js';
import type { AnsibleContext } from './ansible-context.js';
import type { AnsibleStepInput, Kubespray } from './ansible-input.js';
import { inventory, inventoryFile, knownHosts, knownHostsFiles } from './inventory.js';
import type { InventoryFormat } from './parameters.js';

export interface WriteInventoryInput extends AnsibleStepInput {
  kubespray: Kubespray;
  format: InventoryFormat;
  nodes: NodeInput[];
  /** The nodes of the inventory before, for the undo. */
  before?: NodeInput[];
}

type Context = AnsibleContext<WriteInventoryInput>;

/** Writes the inventory, without passwords. */
export const writeInventory = implementAction(declared<WriteInventoryInput>('write-inventory'), {
  apply: async (context: Context) => {
    await write(context, context.input.nodes);
    return undefined;
  },
  undo: async (context) => {
    const { before, folder } = context.input;
    // Where there was no inventory before, a roll-back removes the whole folder.
    if (before !== undefined && (await context.host.files.exists(folder))) await write(context, before);
  },
  retry: { attempts: 5, backoff: seconds(3), growth: 2 },
});

/** Over SFTP, as who logs in. */
async function write({ host, input, serverName }: Context, nodes: readonly NodeInput[]): Promise<void> {
  const { folder, format, kubespray } = input;
  const text = inventory(nodes, kubespray.groups, format);
  if (!(await host.files.exists(folder)))
    throw new TerminalError('kubespray.no-folder', `${folder} is gone from ${serverName}: retry the operation once it is back`);
  const options = { mode: 0o600, sudo: false };
  await host.files.put(knownHostsFiles(folder).given, knownHosts(nodes), options);
  await host.files.put(inventoryFile(folder, format), text, options);
}
