import { HEAD } from '@windlass/driver-kit';

// As those of ../node/scripts.ts; shell-scripts.spec.ts there holds them against shellcheck.

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
 * Saves etcd's database and packs it with what else a control plane is made of.
 * Arguments: etcd's data folder, the scripts that ask whether it answers and that save its database to windlass-snapshot.db there, the archive.
 * The last line it prints is `snapshot <bytes> <SHA-256>`; a file that a flag of the API server names and that is not there is a line `missing <path>`.
 */
export const TAKE_SNAPSHOT = `${HEAD}${String.raw`
umask 077
data=$1 health=$2 save=$3 archive=$4 name=windlass-snapshot.db
manifest=/etc/kubernetes/manifests/kube-apiserver.yaml
clean() { rm -f -- "$data/$name" "$data/$name.part" "$archive.new"; }
trap clean EXIT
clean
rm -f -- "$archive"
# An etcd that does not answer would be waited for as long as saving may take.
/bin/sh "$health"
say "saving etcd's database"
/bin/sh "$save"
[ -s "$data/$name" ] || refuse "etcdctl said that it saved the database, and $data/$name is not there"
parts=(/etc/kubernetes/pki /etc/kubernetes/manifests)
for flag in encryption-provider-config audit-policy-file authentication-config authorization-config admission-control-config-file; do
  file=$(sed -n "/^ *- --$flag=/{s///p;q}" "$manifest")
  case $file in
    /etc/kubernetes/pki/* | '') continue ;;
  esac
  if [ -f "$file" ]; then parts+=("$file"); else say "missing $file"; fi
done
say "packing the snapshot"
# Without the first slash of their paths, which tar says.
tar --create --gzip --file "$archive.new" --directory "$data" "$name" "${'${parts[@]}'}"
mv -f -- "$archive.new" "$archive"
sum=$(sha256sum -- "$archive")
say "snapshot $(stat -c %s -- "$archive") ${'${sum%% *}'}"
`}`;
