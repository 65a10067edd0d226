/**
 * The machine's id of a VM's root; every id of a VM lies this much higher outside it (user namespace: 0 -> 7798784).
 * Above what useradd gives out as subordinate ids (100000 and up), so that a VM and a user's rootless container never share one.
 */
export const GUEST_ROOT_ID = 0x77_0000;
/** How many ids a VM has. */
export const GUEST_ID_COUNT = 65_536;
/**
 * The machine's id that the nth VM of a lab is accounted to: one of the 65536 after the VMs' own, which nobody logs in as.
 * Two VMs with the same one share what the kernel limits per user.
 */
export const accountOf = (firstOfLab: number, n: number): number =>
  GUEST_ROOT_ID + GUEST_ID_COUNT + ((firstOfLab + n) % GUEST_ID_COUNT);
