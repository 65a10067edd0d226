import { installNfsClient, type InstallNfsClientInput } from '@windlass/driver-kit';
import { minutes, seconds } from '@windlass/foundation';
import { cmd } from '@windlass/mgmt-driver';
import { implementAction } from '@windlass/saga';
import type { StorageContext } from '../machine/storage-context.js';
import { INSTALL_NFS_CLIENT, REMOVE_NFS_CLIENT } from './scripts.js';

/** Installs what mounts NFS. */
export const installNfsClientWork = implementAction(installNfsClient, {
  check: (context: StorageContext<InstallNfsClientInput>) =>
    context.sees(cmd`dpkg -s nfs-common 2> /dev/null | grep -q '^Status: .* installed$'`),
  apply: async (context) => {
    await context.ready();
    await context.script('install-nfs-client', {
      text: INSTALL_NFS_CLIENT,
      within: minutes(20),
      arguments: async (files) => {
        await files.put('apt.conf', context.aptProxy);
        return [files.path('apt.conf')];
      },
    });
    return undefined;
  },
  undo: async (context) => {
    await context.script('remove-nfs-client', { text: REMOVE_NFS_CLIENT, within: minutes(10), arguments: () => [] });
  },
  stop: (context) => context.stop(),
  retry: { attempts: 5, backoff: seconds(5), growth: 2 },
});
