import { APT, HEAD } from '@windlass/driver-kit';
import { PACKAGES } from '../machine/script-parts.js';

/** Argument: an apt.conf with the proxies. */
export const INSTALL_NFS_CLIENT = `${HEAD}${APT}${PACKAGES}
install_packages client "$1" nfs-common
`;

/** Takes away what {@link INSTALL_NFS_CLIENT} installed; what was there before stays. */
export const REMOVE_NFS_CLIENT = `${HEAD}${APT}${PACKAGES}
remove_packages client
`;
