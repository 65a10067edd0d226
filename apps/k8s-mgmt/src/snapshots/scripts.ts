import { HEAD } from '@windlass/driver-kit';
import { KUBEADM, RESET } from '../node/script-fragments.js';

// The terms are those of ../node/scripts.ts; shell-scripts.spec.ts there holds these scripts against shellcheck.

/** Flags of the API server that name files other than certificates. */
const FLAGS_WITH_FILES =
  'encryption-provider-config audit-policy-file authentication-config authorization-config admission-control-config-file';

/** Where the archive lies on the master until it has been read; root alone reads it. */
export const ARCHIVE = '/var/lib/windlass-snapshot.tar.gz';

/** Prints where etcd has its data, how large that is and how much room is beside it, in bytes; nothing on a node that has no etcd of kubeadm's. */
export const LOOK_AT_ETCD = String.raw`
data=$(sed -n '/^ *- --data-dir=/{s///p;q}' /etc/kubernetes/manifests/etcd.yaml 2> /dev/null)
size=$(stat -c %s -- "$data/member/snap/db" 2> /dev/null) || exit 0
free=$(df --output=avail --block-size=1 -- "$data" /var/lib | tail -n +2 | sort -n | head -n 1)
printf 'etcd %s %s %s\n' "$size" "$((free))" "$data"
`;

/**
 * Saves etcd's database and packs it with the other files of a control plane.
 * Arguments: etcd's data folder; a script that asks whether etcd answers; a script that saves its database to windlass-snapshot.db in the data
 * folder; the archive; the master's address.
 * The last line printed is `snapshot <bytes> <SHA-256>`. A line `missing <path>` names a file that a flag of the API server names and that does not
 * exist. A line `cluster <SHA-256 of its CA's certificate>` says that the archive has everything needed to restore the cluster.
 */
export const TAKE_SNAPSHOT = `${HEAD}${String.raw`
umask 077
data=$1 health=$2 save=$3 archive=$4 address=$5 name=windlass-snapshot.db
manifest=/etc/kubernetes/manifests/kube-apiserver.yaml
pki=/etc/kubernetes/pki
words=$(mktemp -d)
clean() { rm -f -- "$data/$name" "$data/$name.part" "$archive.new"; }
trap 'clean; rm -rf -- "$words"' EXIT
clean
rm -f -- "$archive"
# An etcd that does not answer would be waited for as long as saving may take.
/bin/sh "$health"
say "saving etcd's database"
/bin/sh "$save"
[ -s "$data/$name" ] || refuse "etcdctl said that it saved the database, and $data/$name is not there"
parts=(/etc/kubernetes/pki /etc/kubernetes/manifests) missing=no
for flag in ${FLAGS_WITH_FILES}; do
  file=$(sed -n "/^ *- --$flag=/{s///p;q}" "$manifest")
  case $file in
    /etc/kubernetes/pki/* | '') continue ;;
  esac
  if [ -f "$file" ]; then parts+=("$file"); else say "missing $file" && missing=yes; fi
done
ask() { kubectl --kubeconfig=/etc/kubernetes/admin.conf "--server=https://$address:6443" --request-timeout=20s "$@" 2> /dev/null; }
# What kubeadm and kubelets are told, and who is there: in etcd, too, where nobody reads it before it runs.
cluster_says() {
  ask -n kube-system get configmap kubeadm-config -o 'jsonpath={.data.ClusterConfiguration}' > "$words/windlass-kubeadm.yaml" &&
    ask -n kube-system get configmap kubelet-config -o 'jsonpath={.data.kubelet}' > "$words/windlass-kubelet.yaml" &&
    ask get nodes -o 'jsonpath={range .items[*]}{.metadata.name}{range .status.addresses[?(@.type=="InternalIP")]} {.address}{end}{"\n"}{end}' > "$words/windlass-nodes" &&
    [ -s "$words/windlass-kubeadm.yaml" ] && [ -s "$words/windlass-kubelet.yaml" ] && [ -s "$words/windlass-nodes" ]
}
# Without a key of them kubeadm makes no certificate: somebody else's CA signs there.
keys_are_here() {
  local key
  for key in ca.key sa.key sa.pub front-proxy-ca.key etcd/ca.key; do [ -s "$pki/$key" ] || return 1; done
}
if [ "$missing" = no ] && keys_are_here && cluster_says; then
  parts+=(--directory "$words" windlass-kubeadm.yaml windlass-kubelet.yaml windlass-nodes)
  ca=$(openssl x509 -in "$pki/ca.crt" -outform der | sha256sum)
  say "cluster ${'${ca%% *}'}"
fi
say "packing the snapshot"
# Without the first slash of their paths, which tar says.
tar --create --gzip --file "$archive.new" --directory "$data" "$name" "${'${parts[@]}'}"
mv -f -- "$archive.new" "$archive"
sum=$(sha256sum -- "$archive")
say "snapshot $(stat -c %s -- "$archive") ${'${sum%% *}'}"
`}`;

/** A file on the machine that names the archive from which its control plane was restored. */
export const RESTORED = '/var/lib/windlass-restored';

/** Argument: the archive. Prints its SHA-256, nothing where there is none. */
export const SUM_OF_ARCHIVE = String.raw`
[ -f "$1" ] || exit 0
sum=$(sha256sum -- "$1")
printf '%s\n' "${'${sum%% *}'}"
`;

/**
 * Prints what an archive says of its cluster: lines `name <of the master's node>`, `address <of its API server>`, `node <name> <addresses>` for each
 * node, and `configuration <of kubeadm, base64>`. Argument: the archive.
 */
export const READ_ARCHIVE = String.raw`
set -euo pipefail
of() { tar --extract --gzip --to-stdout --file "$archive" "${'${1#/}'}"; }
archive=$1
printf 'name %s\n' "$(of /etc/kubernetes/manifests/etcd.yaml | sed -n 's/^ *- --name=//p')"
printf 'address %s\n' "$(of /etc/kubernetes/manifests/kube-apiserver.yaml | sed -n 's/^ *- --advertise-address=//p')"
of windlass-nodes | sed 's/^/node /'
printf 'configuration %s\n' "$(of windlass-kubeadm.yaml | base64 --wrap=0)"
`;

/**
 * Restores the control plane from an archive. What the cluster itself keeps is not written: of kubeadm's phases, only those about the machine run.
 * Arguments: the archive, its SHA-256, kubeadm's configuration of this machine, its address, the user who gets a kubeconfig. A line `note <...>` is
 * for the operation's warnings.
 */
export const RESTORE_CONTROL_PLANE = `${HEAD}${RESET}${KUBEADM}${String.raw`
archive=$1 sum=$2 init=$3 address=$4 user=$5
work=/var/lib/windlass-restore
there=$work/snapshot image_at=$work/etcd-image config=$work/kubeadm.yaml
manifests=/etc/kubernetes/manifests pki=/etc/kubernetes/pki
# An attempt that came to its end has taken the archive away. What is left is to wait, and the next check looks again.
if [ ! -e "$archive" ] && [ "$(cat ${RESTORED} 2> /dev/null)" = "$sum" ]; then
  say "the control plane is restored already, and its API server does not list this node yet"
  exit 75
fi
clean() {
  if [ -d "$image_at" ]; then ctr --namespace k8s.io images unmount --rm "$image_at" > /dev/null 2>&1 || true; fi
  # Never into an image that is mounted yet.
  rm -rf --one-file-system -- "$work"
}
trap clean EXIT
clean
# All that is unpacked lies in a folder of root's.
install -d -m 0700 "$work"
mkdir "$there" "$image_at"
say "unpacking the snapshot"
found=$(sha256sum -- "$archive")
[ "${'${found%% *}'}" = "$sum" ] || refuse "$archive is not the snapshot that was brought: fail the operation, and heal again"
tar --extract --gzip --preserve-permissions --no-same-owner --file "$archive" --directory "$there"

flag() { sed -n "/^ *- --$2=/{s///p;q}" "$there$manifests/$1.yaml"; }
data=$(flag etcd data-dir) name=$(flag etcd name) peer=$(flag etcd initial-advertise-peer-urls)
image=$(sed -n '/^ *image: /{s///p;q}' "$there$manifests/etcd.yaml")
had=$(flag kube-apiserver advertise-address)
if [ -z "$name" ] || [ -z "$peer" ] || [ -z "$image" ] || [ "${'${data#/}'}" = "$data" ]; then
  refuse "the snapshot does not say how its etcd ran (name, peer URL, image, data folder): restore it by hand, docs/runbooks/cluster-snapshots.md"
fi
[ "$had" = "$address" ] || refuse "the snapshot is of a master at $had, and this machine is at $address: workers, certificates and etcd know the old one. Give the machine that address, or restore by hand, docs/runbooks/cluster-snapshots.md"

if [ -e /etc/kubernetes/admin.conf ] || [ -e "$manifests/kube-apiserver.yaml" ] || [ -e "$pki/ca.crt" ] || [ -e "$data/member" ]; then
  say "clearing away an attempt that did not end"
  reset_node
  rm -rf -- "$data/member"
fi
{
  cat "$init"
  printf -- '---\n'
  cat "$there/windlass-kubeadm.yaml"
  printf -- '\n---\n'
  cat "$there/windlass-kubelet.yaml"
} > "$config"
pull_images "$config"
if [ -z "$(ctr --namespace k8s.io images ls -q "name==$image")" ]; then
  say "pulling $image"
  crictl --runtime-endpoint unix:///run/containerd/containerd.sock pull "$image" > /dev/null || exit 75
fi

say "restoring etcd's data"
# By the program of the release that wrote it, which is a file of its image: it needs no container, and none of a container's mounts.
snapshotter=$(containerd config dump | sed -n "s/^ *snapshotter = [\"']\([a-z0-9.-]\{1,\}\)[\"']$/\1/p" | head -n 1)
ctr --namespace k8s.io images mount --snapshotter "${'${snapshotter:-overlayfs}'}" "$image" "$image_at" > /dev/null
program=''
for each in etcdutl etcdctl; do
  for folder in usr/local/bin usr/bin bin; do
    if [ -z "$program" ] && [ -x "$image_at/$folder/$each" ]; then program=$image_at/$folder/$each; fi
  done
done
[ -n "$program" ] || refuse "$image has neither etcdutl nor etcdctl: restore by hand, docs/runbooks/cluster-snapshots.md"
onwards=()
# Who watches the cluster has seen later revisions than the snapshot's: they must not come again with other content.
if "$program" snapshot restore --help 2>&1 | grep -q -e --bump-revision; then
  onwards=(--bump-revision 1000000000 --mark-compacted)
else
  say "note $image can't raise revisions when it restores: what watches the cluster (kubelets, kube-proxy, controllers of your own) may miss changes until it is started anew"
fi
ETCDCTL_API=3 "$program" snapshot restore "$there/windlass-snapshot.db" --data-dir "$work/data" --name "$name" \
  --initial-cluster "$name=$peer" --initial-advertise-peer-urls "$peer" "${'${onwards[@]}'}"
ctr --namespace k8s.io images unmount --rm "$image_at" > /dev/null

say "placing the cluster's keys"
# Authorities, keys of service accounts and what else lies there; kubeadm makes the certificates that they sign anew.
for each in apiserver apiserver-etcd-client apiserver-kubelet-client front-proxy-client etcd/server etcd/peer etcd/healthcheck-client; do
  rm -f -- "$there$pki/$each.crt" "$there$pki/$each.key"
done
install -d -m 0755 /etc/kubernetes "$manifests"
cp -a "$there$pki" /etc/kubernetes/
for each in ${FLAGS_WITH_FILES}; do
  file=$(flag kube-apiserver "$each")
  case $file in
    /etc/kubernetes/pki/* | '') continue ;;
  esac
  [ -f "$there$file" ] || refuse "the snapshot lacks $file, which --$each of the API server names: restore by hand, docs/runbooks/cluster-snapshots.md"
  mkdir -p "$(dirname "$file")"
  cp -a "$there$file" "$file"
done
install -d -m 0700 "$data"
mv "$work/data/member" "$data/member"
# As they ran, with what somebody wrote into them by hand: made anew they would not have it.
cp -a "$there$manifests/." "$manifests/"

say "starting the control plane"
ignored=DirAvailable-$(tr / - <<< "$data")
for each in kube-apiserver kube-controller-manager kube-scheduler etcd; do
  ignored=$ignored,FileAvailable--etc-kubernetes-manifests-$each.yaml
done
run_kubeadm init --config "$config" --ignore-preflight-errors="$ignored" \
  --skip-phases=etcd,control-plane,upload-config,upload-certs,mark-control-plane,bootstrap-token,addon,show-join-command
home=$(getent passwd "$user" | cut -d: -f6)
install -d -m 0700 -o "$user" -g "$(id -g "$user")" "$home/.kube"
install -m 0600 -o "$user" -g "$(id -g "$user")" /etc/kubernetes/admin.conf "$home/.kube/config"
printf '%s\n' "$sum" > ${RESTORED}
rm -f -- "$archive"
`}`;
