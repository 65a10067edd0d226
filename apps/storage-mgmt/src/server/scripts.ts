import { APT, HEAD } from '@windlass/driver-kit';
import { IS_INSTALLED, PACKAGES } from '../machine/script-fragments.js';
import { DISKS, MOUNTS } from './disk-parts.js';
import { EXPORT_FILES, EXPORTED, EXPORTS, KEPT, UNEXPORT } from './export-parts.js';

/** Arguments: files with the tables of volumes and exports, an apt.conf with the proxies. */
export const SET_UP_STORAGE = `${HEAD}${APT}${PACKAGES}${EXPORTED}
volumes=$1 exports=$2 apt_proxy=$3
${DISKS}${MOUNTS}${EXPORTS}
server=$(cat "$kept/server" 2> /dev/null) || server=none
if [ ! -s "$exports" ]; then
  # Who exports nothing has no NFS server, and nothing that listens for one.
  if [ "$server" != none ]; then unexport; fi
  server=none
elif [ "$server" = none ]; then
  if command -v modprobe > /dev/null; then modprobe --quiet nfsd || true; fi
  if grep -qw nfsd /proc/filesystems; then server=kernel; else server=ganesha; fi
fi
mkdir -p "$kept"
say "$server" > "$kept/server"
server_unit=$(unit_of "$server")
mount_volumes "$volumes"
make_directories "$exports"
if [ "$server" != none ]; then
  say "exporting by $server_unit"
  if [ "$server" = kernel ]; then export_by_kernel "$exports" "$apt_proxy"; else export_by_ganesha "$exports" "$apt_proxy"; fi
  see_exported "$exports"
fi
install -m 0644 "$exports" "$kept/exports"
`;

/** Whether the storage is set up so. Arguments: the table of volumes, the digest of the table of exports. Prints which server exports. */
export const STORAGE_IS_SET_UP = `${HEAD}${IS_INSTALLED}${EXPORTED}${DISKS}${String.raw`
volumes=$1 digest=$2
server=$(cat "$kept/server")
[ "$(sha256sum < "$kept/exports" | cut -c 1-64)" = "$digest" ]
[ -s "$kept/exports" ] || [ "$server" = none ]
server_unit=$(unit_of "$server")
lines=0
while IFS=$'\t' read -r volume device target; do
  [ -n "$volume" ] || continue
  disk=$(disk_of "$volume" "$device")
  [ "$(mounts_of "$disk")" = "$target" ]
  wanted=$(fstab_line "$(blkid -p -s UUID -o value "$disk")" "$target" "$(blkid -p -s TYPE -o value "$disk")" "$server_unit")
  ours_in_fstab | grep -qxF "$wanted"
  lines=$((lines + 1))
done <<< "$volumes"
[ "$(ours_in_fstab | wc -l)" = "$lines" ]
[ "$server" = none ] || systemctl is-enabled --quiet "$server_unit"
missing=$(not_exported "$kept/exports")
[ -z "$missing" ]
say "$server"
`}`;

/** Which server exports, of a machine that is set up. */
export const WHICH_SERVER = `${HEAD}
cat /var/lib/windlass-storage/server
`;

/** Removes exports, mounts, and what was installed for them. Folders and data on volumes stay. */
export const REMOVE_STORAGE = `${HEAD}${APT}${PACKAGES}${KEPT}${EXPORT_FILES}${DISKS}${UNEXPORT}${String.raw`
unexport
if [ -e /etc/fstab ]; then
  while read -r _ target _; do
    if findmnt -rn --mountpoint "$target" > /dev/null && ! umount "$target"; then
      say "$target is in use and can't be unmounted (above): who works there?" >&2
      exit 75
    fi
  done < <(ours_in_fstab | tac)
  rest=$(mktemp /etc/fstab.windlass.XXXXXX)
  others_in_fstab > "$rest"
  chmod 0644 "$rest"
  mv "$rest" /etc/fstab
  systemctl daemon-reload
fi
rm -f "$kept/server" "$kept/exports"
if [ -d "$kept" ]; then rmdir --ignore-fail-on-non-empty "$kept"; fi
`}`;
