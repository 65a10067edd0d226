# First stage of a lab VM: real root, in the machine's own namespaces but for a mount namespace that dies with the VM.
# Puts what the VM may see under one private tmpfs, because the VM's root (an unprivileged id out here) can't walk
# through folders such as /root (0700) to reach the cache.
# Arguments: VM's folder, folder with node, the VM root's id out here, the id that shall own the user
#            namespace, third stage's text, then the root's layers, topmost first.
# It speaks on descriptor 3 and is answered on its standard input; see machine-process.ts.
set -eu
folder=$1 node=$2 owner=$3 account=$4 inside=$5
shift 5
while read -r cgroup; do echo $$ > "$cgroup/cgroup.procs"; done < "$folder/cgroups"
# A service manager inside a user namespace can't raise hard limits, only hand on what it has.
ulimit -n "$(cat /proc/sys/fs/nr_open)" 2> /dev/null || ulimit -n "$(ulimit -H -n)"
mount -t tmpfs -o mode=755,size=1m windlass-lab /mnt
mkdir /mnt/vm /mnt/root /mnt/node /mnt/dev
mount --bind "$folder" /mnt/vm
mount --bind "$node" /mnt/node
mount -o remount,bind,ro /mnt/node
# The VM's /dev: nodes of its own, not mounts of the machine's, which umount(8) would take for what lies on a volume. In the
# VM's folder, so that a volume can be attached later from outside without running anything of the VM's.
while read -r name kind major minor mode serial; do
  mknod -m "$mode" "$folder/dev/$name" "$kind" "$major" "$minor"
  chown "$owner:$owner" "$folder/dev/$name"
  if [ "$serial" != - ]; then
    mkdir -p "$folder/dev/disk/by-id"
    ln -s "../../$name" "$folder/dev/disk/by-id/virtio-$serial"
  fi
done < "$folder/devices"
mount --bind "$folder/dev" /mnt/dev
mount -o remount,bind,dev,nosuid /mnt/dev
lowers=
count=0
for layer in "$@"; do
  mkdir "/mnt/lower$count"
  mount --bind "$layer" "/mnt/lower$count"
  lowers=$lowers${lowers:+:}/mnt/lower$count
  count=$((count + 1))
done
# Second stage: an id without a mapping yet. Whoever started us writes the map (0 -> 100000) when it reads `unmapped`.
# The capabilities over the new namespace must outlive one exec to become its root, and no longer: an ambient
# capability left in systemd would be every service's. The VM dies with whoever started it (pdeathsig, kill-child).
# The kernel counts inotify instances (128) for whoever made the namespace: an account for each VM, or the fifteenth had none.
exec setpriv --reuid "$account" --regid "$account" --clear-groups --inh-caps=+sys_admin --ambient-caps=+sys_admin -- \
  unshare --user --keep-caps -- /bin/sh -c '
  echo unmapped >&3
  read -r answer
  [ "$answer" = mapped ]
  exec setpriv --reuid 0 --regid 0 --clear-groups -- \
    setpriv --inh-caps=-all --ambient-caps=-all --pdeathsig KILL -- \
    unshare --net --mount --uts --pid --ipc --cgroup --fork --kill-child -- /bin/sh -c "$0" windlass-vm "$1"
' "$inside" "$lowers"
