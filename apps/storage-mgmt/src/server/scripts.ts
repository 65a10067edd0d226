import { APT, HEAD } from '@windlass/driver-kit';
import { IS_INSTALLED, PACKAGES } from '../machine/script-parts.js';
import { DISKS, MOUNTS } from './disk-parts.js';
import { EXPORT_FILES, EXPORTED, EXPORTS, KEPT } from './export-parts.js';

/** Arguments: files with the tables of volumes and exports, an apt.conf with the proxies. */
export const SET_UP_STORAGE = `${HEAD}${APT}${PACKAGES}${EXPORTED}
volumes=$1 exports=$2 apt_proxy=$3
mkdir -p "$kept"
if [ ! -s "$kept/server" ]; then
  if command -v modprobe > /dev/null; then modprobe --quiet nfsd || true; fi
  if grep -qw nfsd /proc/filesystems; then say kernel > "$kept/server"; else say ganesha > "$kept/server"; fi
fi
server=$(cat "$kept/server")
if [ "$server" = kernel ]; then server_unit=nfs-server.service; else server_unit=nfs-ganesha.service; fi
${DISKS}${MOUNTS}${EXPORTS}
mount_volumes "$volumes"
make_directories "$exports"
say "exporting by $server_unit"
if [ "$server" = kernel ]; then export_by_kernel "$exports" "$apt_proxy"; else export_by_ganesha "$exports" "$apt_proxy"; fi
see_exported "$exports"
install -m 0644 "$exports" "$kept/exports"
`;

/** Whether that is done. Arguments: the table of volumes, the digest of the table of exports. Prints which server exports. */
export const STORAGE_IS_SET_UP = `${HEAD}${IS_INSTALLED}${EXPORTED}${DISKS}${String.raw`
volumes=$1 digest=$2
server=$(cat "$kept/server")
[ "$(sha256sum < "$kept/exports" | cut -c 1-64)" = "$digest" ]
if [ "$server" = kernel ]; then server_unit=nfs-server.service; else server_unit=nfs-ganesha.service; fi
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
systemctl is-enabled --quiet "$server_unit"
missing=$(not_exported "$kept/exports")
[ -z "$missing" ]
say "$server"
`}`;

/** Which server exports, of a machine that is set up. */
export const WHICH_SERVER = `${HEAD}
cat /var/lib/windlass-storage/server
`;

/** Takes exports, mounts and what was installed for them away. Folders and what lies on volumes stay. */
export const REMOVE_STORAGE = `${HEAD}${APT}${PACKAGES}${KEPT}${EXPORT_FILES}${DISKS}${String.raw`
rm -f "$kernel_exports"
if command -v exportfs > /dev/null; then
  exportfs -ra
  exportfs -f
fi
if [ -e "$ganesha_exports" ] || [ -e "$ganesha_unit" ]; then
  rm -f "$ganesha_exports" "$ganesha_unit"
  if [ -e /etc/ganesha/ganesha.conf ]; then sed -i '\#^%include "/etc/ganesha/windlass.conf"$#d' /etc/ganesha/ganesha.conf; fi
  for folder in /etc/ganesha "$(dirname "$ganesha_unit")"; do
    if [ -d "$folder" ]; then rmdir --ignore-fail-on-non-empty "$folder"; fi
  done
  systemctl daemon-reload
  if systemctl is-active --quiet nfs-ganesha; then systemctl restart nfs-ganesha; fi
fi
remove_packages server
if [ -e /etc/fstab ]; then
  while read -r _ target _; do
    if findmnt -rn --mountpoint "$target" > /dev/null && ! umount "$target"; then
      say "$target is in use and can't be unmounted (above): who works there?" >&2
      exit 75
    fi
  done < <(ours_in_fstab)
  rest=$(mktemp /etc/fstab.windlass.XXXXXX)
  others_in_fstab > "$rest"
  chmod 0644 "$rest"
  mv "$rest" /etc/fstab
  systemctl daemon-reload
fi
rm -f "$kept/server" "$kept/exports"
if [ -d "$kept" ]; then rmdir --ignore-fail-on-non-empty "$kept"; fi
`}`;
