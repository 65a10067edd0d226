import { clusterVimId } from '@windlass/mgmt-driver';
import type { VnfInstanceRecord } from './records.js';

/** Where the cluster that an instance is has been registered as a VIM, as its record says; nothing where it is none. */
export function clusterUrlOf({ id, vimConnectionInfo }: Pick<VnfInstanceRecord, 'id' | 'vimConnectionInfo'>): {
  clusterUrl?: string;
} {
  const own = vimConnectionInfo.find(({ vimId }) => vimId === clusterVimId(id));
  const url = own?.accessInfo?.authUrl;
  // A person may have changed the entry; drivers are told what the contract takes.
  return typeof url === 'string' && url !== '' && url.length <= 1_024 ? { clusterUrl: url } : {};
}
