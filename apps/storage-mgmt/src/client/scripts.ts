import { APT, HEAD } from '@windlass/driver-kit';
import { PACKAGES } from '../machine/script-fragments.js';

/** Argument: an apt.conf with the proxies. */
export const INSTALL_NFS_CLIENT = `${HEAD}${APT}${PACKAGES}
install_packages client "$1" nfs-common
`;

/** Removes what {@link INSTALL_NFS_CLIENT} installed. What was there before stays. */
export const REMOVE_NFS_CLIENT = `${HEAD}${APT}${PACKAGES}
remove_packages client
`;

/**
 * Mounts what its input names on trial: a line each with server and path, separated by a tab. Prints `mounted`. The script runs in a mount namespace
 * of its own, so that nothing else sees its /mnt, and the mounts end with the namespace. Where root is that of a user namespace, which may mount no
 * NFS, the script asks the server what it exports to this machine, and prints `asked`.
 */
export const TRY_NFS_MOUNTS = `${HEAD}${String.raw`
read -r inside outside count < /proc/self/uid_map
if [ "$inside $outside $count" = '0 0 4294967295' ]; then how=mounted; else how=asked; fi

mounts() {
  local options=ro,soft,nolock,timeo=50,retrans=1,retry=0
  case $1 in *:*) set -- "[$1]" "$2" ;; esac
  timeout --kill-after=5 20 mount -t nfs -o "$options" "$1:$2" /mnt < /dev/null || refuse "mount -t nfs $1:$2 ended with status $? (above; 124: no answer in 20 s)"
  timeout --kill-after=5 20 ls -A /mnt > /dev/null || refuse "$1:$2 was mounted, and can't be read"
  umount --lazy /mnt
}
exports() {
  timeout 20 rpcinfo -T tcp "$1" 100003 3 < /dev/null > /dev/null || refuse "$1 answers no NFS (RPC program 100003, TCP)"
  timeout 20 showmount --no-headers --exports "$1" < /dev/null > "$2" || refuse "showmount --exports $1 ended with status $? (above; 124: no answer in 20 s)"
}
said=$(mktemp)
trap 'rm -f "$said"' EXIT
server='' tried=0
while IFS=$'	' read -r at path; do
  tried=$((tried + 1))
  if [ "$how" = mounted ]; then
    mounts "$at" "$path"
    continue
  fi
  if [ "$at" != "$server" ]; then exports "$at" "$said"; fi
  server=$at
  # An export may be the folder itself, or one over it.
  awk -v path="$path/" '{ folder = $1; sub(/\/*$/, "/", folder) } index(path, folder) == 1 { found = 1 } END { exit !found }' "$said" ||
    refuse "$at does not export $path to this machine: it says $(tr '
' ';' < "$said")"
done
[ "$tried" -gt 0 ] || refuse 'there was nothing to try'
say "$how"
`}`;
