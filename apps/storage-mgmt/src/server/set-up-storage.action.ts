import { LOOK, setUpStorage, type SetUpStorageInput, type SetUpStorageOutput } from '@windlass/driver-kit';
import { minutes, seconds } from '@windlass/foundation';
import { cmd } from '@windlass/mgmt-driver';
import { implementAction, Present } from '@windlass/saga';
import type { StorageContext } from '../machine/storage-context.js';
import { REMOVE_STORAGE, SET_UP_STORAGE, STORAGE_IS_SET_UP, WHICH_SERVER } from './scripts.js';
import { storageTables } from './tables.js';

type Context = StorageContext<SetUpStorageInput>;

const tablesOf = ({ input }: Context) => storageTables(input, input.machine.name);

/** Mounts a machine's volumes and exports their directories. */
export const setUpStorageWork = implementAction(setUpStorage, {
  check: async (context: Context) => {
    const { volumes, exportsDigest } = tablesOf(context);
    const look = cmd`/bin/bash -s ${volumes} ${exportsDigest}`;
    const { status, stdout } = await context.host.run(look, {
      within: LOOK,
      sudo: true,
      expect: 'any',
      input: STORAGE_IS_SET_UP,
    });
    return status === 0 ? new Present(outputOf(context, stdout)) : false;
  },
  apply: async (context) => {
    const { volumes, exports } = tablesOf(context);
    await context.ready();
    await context.script('set-up-storage', {
      text: SET_UP_STORAGE,
      within: minutes(30),
      arguments: async (files) => {
        await files.put('volumes', volumes);
        await files.put('exports', exports);
        await files.put('apt.conf', context.aptProxy);
        return ['volumes', 'exports', 'apt.conf'].map((name) => files.path(name));
      },
    });
    const { stdout } = await context.host.run(cmd`/bin/bash -s`, { within: LOOK, sudo: true, input: WHICH_SERVER });
    return outputOf(context, stdout);
  },
  undo: async (context) => {
    await context.script('remove-storage', { text: REMOVE_STORAGE, within: minutes(10), arguments: () => [] });
  },
  stop: (context) => context.stop(),
  retry: { attempts: 5, backoff: seconds(5), growth: 2 },
});

function outputOf({ input }: Context, server: string): SetUpStorageOutput {
  if (server.trim() !== 'ganesha') return {};
  return {
    notes: [
      `the kernel of ${input.machine.name} has no NFS server: nfs-ganesha exports its directories, which costs speed. An image whose kernel has nfsd (Ubuntu: linux-modules-extra) would be served by it`,
    ],
  };
}
