# Third stage of a lab VM: process 1 of its own namespaces, root of its own user namespace. Ends as systemd.
# Argument: lower layers of the overlay. Under /mnt lies what the first stage put there.
set -eu
lowers=$1
root=/mnt/root
umask 022
echo wireless >&3
read -r answer
[ "$answer" = wired ]
mount -t overlay overlay -o "lowerdir=$lowers,upperdir=/mnt/vm/upper,workdir=/mnt/vm/work,userxattr" $root
mount -t proc -o nosuid,nodev,noexec proc $root/proc
containers=no
if [ -d /mnt/vm/containers ]; then
  containers=yes
  # The mount is read-only and not the file system, or no privileged container could mount its own.
  mount -t sysfs -o nosuid,nodev,noexec sysfs $root/sys
  mount -o remount,bind,ro,nosuid,nodev,noexec $root/sys
  hierarchies=$root/sys/fs/cgroup
  if ! grep -q '^\. ' /mnt/vm/containers/hierarchies; then mount -t tmpfs -o mode=755,nosuid,nodev,noexec tmpfs $hierarchies; fi
  while read -r name type options; do
    mkdir -p "$hierarchies/$name"
    mount -t "$type" -o "$options,nosuid,nodev,noexec" "$type" "$hierarchies/$name"
    # Controllers that share a hierarchy have a name each, too.
    case $name in *,*) for one in $(echo "$name" | tr , ' '); do ln -s "$name" "$hierarchies/$one"; done ;; esac
  done < /mnt/vm/containers/hierarchies
  # What the kubelet writes unless it is there, and may not: files of the VM in its place.
  mount -t tmpfs -o mode=755,size=1m tmpfs $root/mnt
  while read -r setting value; do
    file=$root/mnt/$(echo "$setting" | tr / .)
    echo "$value" > "$file"
    mount --bind "$file" "$root/proc/sys/$setting"
  done < /mnt/vm/containers/settings
  umount -l $root/mnt
  # An overlay can't lie on an overlay: containers' layers are on the disk below.
  for data in /mnt/vm/containers/disk/*; do
    mkdir -p "$root/var/lib/${data##*/}"
    mount --bind "$data" "$root/var/lib/${data##*/}"
  done
else
  mount -t sysfs -o ro,nosuid,nodev,noexec sysfs $root/sys
  mount -t cgroup2 -o nosuid,nodev,noexec cgroup2 $root/sys/fs/cgroup
fi
mount -t tmpfs -o mode=755,nosuid,nodev tmpfs $root/run
mount --bind /mnt/dev $root/dev
mkdir $root/dev/pts $root/dev/shm
mount -t devpts -o newinstance,ptmxmode=0666,mode=0620,gid=5,nosuid,noexec devpts $root/dev/pts
mount -t tmpfs -o mode=1777,nosuid,nodev tmpfs $root/dev/shm
ln -s pts/ptmx $root/dev/ptmx
# The machine's own node, for the stand-ins; the base root links /opt/windlass-lab/bin/node into it.
mount --bind /mnt/node $root/opt/windlass-lab/node
mkdir -p $root/run/windlass-lab/old
cp /mnt/vm/links $root/run/windlass-lab/links
first_boot=no
if [ ! -e $root/var/lib/windlass-lab/first-boot-done ]; then
  first_boot=yes
  cp -R /mnt/vm/seed/. $root/
  cp /mnt/vm/first-boot.sh $root/run/windlass-lab/first-boot.sh
  if [ -d /mnt/vm/packages ]; then cp -R /mnt/vm/packages $root/run/windlass-lab/packages; fi
fi
cd $root
pivot_root . run/windlass-lab/old
cd /
umount -l /run/windlass-lab/old
# A pod's mounts must reach its containers.
if [ $containers = yes ]; then mount --make-rshared /; fi
# Whoever has just got this address says so, or neighbours would send to its former owner for a minute.
echo 1 > /proc/sys/net/ipv4/conf/all/arp_notify
ip -batch /run/windlass-lab/links
# Once a disk: what cloud-init does on a real one.
if [ $first_boot = yes ]; then
  /bin/sh /run/windlass-lab/first-boot.sh
  mkdir -p /var/lib/windlass-lab
  touch /var/lib/windlass-lab/first-boot-done
fi
rm -r /run/windlass-lab
echo starting >&3
exec env -i container=windlass-lab LANG=C.UTF-8 PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
  /lib/systemd/systemd 3>&- < /dev/null
