// Parts of the scripts of scripts.ts: disks and where they are mounted. Tables are those of tables.ts.

/** Finds the disk of a volume. */
export const DISKS = String.raw`
is_disk() { [ -n "$(lsblk -dnro NAME "$1" 2> /dev/null)" ]; }
# The disk of the volume $1: by the serial that it shows, whole or its first 20 characters; else, of a disk without one, as Nova calls it ($2).
disk_of() {
  local short name link
  short=$(cut -c 1-20 <<< "$1")
  for name in "virtio-$short" "virtio-$1" "scsi-0QEMU_QEMU_HARDDISK_$short" "scsi-0QEMU_QEMU_HARDDISK_$1" "wwn-0x$(tr -d - <<< "$1")"; do
    link=/dev/disk/by-id/$name
    if is_disk "$link"; then
      readlink -f "$link"
      return 0
    fi
  done
  if [ "$2" = - ] || ! is_disk "$2"; then return 1; fi
  for link in /dev/disk/by-id/virtio-* /dev/disk/by-id/scsi-* /dev/disk/by-id/wwn-*; do
    if [ "$(readlink -f "$link")" = "$(readlink -f "$2")" ]; then return 1; fi
  done
  readlink -f "$2"
}
# Where the disk $1 is mounted, a line each.
mounts_of() { findmnt -rno TARGET --source "$1" || true; }
# The unit $4 waits for it; - is none.
fstab_line() {
  local before=,x-systemd.before=$4
  if [ "$4" = - ]; then before=''; fi
  printf 'UUID=%s %s %s defaults,nofail,x-systemd.device-timeout=60s%s 0 2\n' "$1" "$2" "$3" "$before"
}
ours_in_fstab() { awk '/^# windlass-storage: end$/ { ours = 0 } ours { print } /^# windlass-storage: begin$/ { ours = 1 }' /etc/fstab; }
others_in_fstab() { awk '/^# windlass-storage: begin$/ { ours = 1 } !ours { print } /^# windlass-storage: end$/ { ours = 0 }' /etc/fstab; }
`;

/** Formats an empty disk, and mounts it. Needs {@link DISKS} and the variable server_unit. */
export const MOUNTS = String.raw`
# What the disk $1 holds: nothing, a file system by its name, or what else in words. Two programs must agree on nothing.
content_of() {
  local found status=0
  head -c 65536 "$1" > /dev/null || refuse "the disk $1 can't be read"
  found=$(blkid -p -o export "$1") || status=$?
  case $status in
    0)
      if grep -q '^PTTYPE=' <<< "$found"; then
        say "a partition table ($(sed -n 's/^PTTYPE=//p' <<< "$found"))"
      else
        sed -n 's/^TYPE=//p' <<< "$found"
      fi
      ;;
    2)
      found=$(wipefs --no-act --noheadings --output TYPE "$1") || refuse "wipefs can't say what the disk $1 holds"
      if [ -z "$found" ]; then say nothing; else say "signatures of $(paste -sd ' ' <<< "$found")"; fi
      ;;
    8) say "signatures of several kinds" ;;
    *) refuse "blkid can't say what the disk $1 holds: it ended with status $status" ;;
  esac
}
# Whether the volume $1 may be mounted at $2.
check_point() {
  local other
  other=$(findmnt -rno SOURCE --mountpoint "$2") || other=''
  [ -z "$other" ] || refuse "$2 is where $other is mounted: the volume $1 can't be mounted there. Unmount it, then retry; or roll the operation back and ask anew with another mount_to"
  if others_in_fstab | awk -v point="$2" '$1 !~ /^#/ && $2 == point { found = 1 } END { exit !found }'; then
    refuse "/etc/fstab has another line for $2: take the line out, then retry; or roll the operation back and ask anew with another mount_to"
  fi
  if [ -d "$2" ] && [ -n "$(ls -A "$2")" ]; then
    refuse "$2 holds files, which would be hidden by the volume $1: move them, then retry; or roll the operation back and ask anew with another mount_to"
  fi
}
# Whether the disk $1 of the volume $2 may be mounted; one that holds nothing is formatted.
make_mountable() {
  local content
  content=$(content_of "$1")
  case $content in
    nothing)
      say "$1 (volume $2) holds nothing: making ext4"
      mkfs.ext4 -q "$1" < /dev/null
      ;;
    ext2 | ext3 | ext4 | xfs | btrfs) say "$1 (volume $2) holds $content, which is kept" ;;
    *) refuse "$1 (volume $2) holds $content and is not touched: a volume must be empty, or hold a file system (ext4, ext3, ext2, xfs, btrfs) without partitions" ;;
  esac
}
write_fstab() {
  local rest
  rest=$(mktemp /etc/fstab.windlass.XXXXXX)
  others_in_fstab > "$rest"
  if [ -s "$1" ]; then
    {
      say '# windlass-storage: begin'
      cat "$1"
      say '# windlass-storage: end'
    } >> "$rest"
  fi
  chmod 0644 "$rest"
  mv "$rest" /etc/fstab
  systemctl daemon-reload
}
# Every volume of the table $1 in its place. First all disks are looked at, then lines are written, then mounted by them, in the table's order: a
# mount point that lies in another volume is made, and looked at once more, when that is mounted.
mount_volumes() {
  local volume device target disk at kind uuid wanted
  wanted=$(mktemp)
  touch /etc/fstab
  if command -v udevadm > /dev/null; then udevadm settle --timeout=20 || true; fi
  while IFS=$'\t' read -r volume device target; do
    disk=$(disk_of "$volume" "$device") || refuse "$(hostname) has no disk of the volume $volume (attached as $device): it has $(lsblk -dnro NAME,SIZE,SERIAL | tr -s '\n' ';'). Is the volume attached to this server?"
    at=$(mounts_of "$disk")
    if [ -z "$at" ]; then
      check_point "$volume" "$target"
      make_mountable "$disk" "$volume"
    elif [ "$at" != "$target" ]; then
      refuse "$disk (volume $volume) is mounted at $(tr '\n' ' ' <<< "$at")and was to be at $target: unmount it first"
    fi
    uuid=$(blkid -p -s UUID -o value "$disk")
    kind=$(blkid -p -s TYPE -o value "$disk")
    fstab_line "$uuid" "$target" "$kind" "$server_unit" >> "$wanted"
  done < "$1"
  write_fstab "$wanted"
  while IFS=$'\t' read -r volume device target; do
    disk=$(disk_of "$volume" "$device")
    if [ -z "$(mounts_of "$disk")" ]; then
      check_point "$volume" "$target"
      say "mounting the volume $volume at $target"
      mkdir -p "$target"
      mount "$target"
    fi
    [ "$(mounts_of "$disk")" = "$target" ] || refuse "$target does not show $disk (volume $volume) after it was mounted: is its UUID also another disk's?"
  done < "$1"
  rm "$wanted"
}
`;
