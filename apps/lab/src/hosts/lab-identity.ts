import { createHash } from 'node:crypto';

/** Names on the machine that belong to the lab of one data folder, and to no other. */
export interface LabIdentity {
  /** Eight hexadecimal digits. */
  id: string;
  /** Name of the lab's cgroup, below the root of cgroup2. */
  cgroup: string;
  /** What the names of its VMs' links on the machine begin with; kernel names end at 15 characters. */
  linkPrefix: string;
  /** The bridge's address: it marks the bridge as this lab's from the instant it is made. */
  bridgeMac: string;
  /** Where the search for a free subnet begins, 0-255. */
  firstSubnet: number;
  /** Where its VMs' accounts begin, 0-65535. */
  firstAccount: number;
}

/** @param dataDir absolute path of the data folder, without links. */
export function labIdentity(dataDir: string): LabIdentity {
  const digest = createHash('sha256').update(dataDir).digest();
  const id = digest.subarray(0, 4).toString('hex');
  // 02: locally administered. The second byte is the lab's, the rest the data folder's.
  const mac = ['02', '77', ...[...digest.subarray(0, 4)].map((byte) => byte.toString(16).padStart(2, '0'))].join(':');
  return {
    id,
    cgroup: `windlass-lab-${id}`,
    linkPrefix: `wl${id}-`,
    bridgeMac: mac,
    firstSubnet: digest[4] ?? 0,
    firstAccount: digest.readUInt16BE(5),
  };
}
