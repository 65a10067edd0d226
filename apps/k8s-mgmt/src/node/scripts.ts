import { APT, CRI, HEAD, RESTING } from '@windlass/driver-kit';
import { CGROUPS, KUBEADM, NAMES, REPOSITORY, RESET, SWAP } from './script-fragments.js';

// Shell that runs on nodes, as root, by bash, from the job's own folder. Values come as arguments and files, never pasted in.
// shell-scripts.spec.ts holds every script here against shellcheck.
// Exit status 75 (EX_TEMPFAIL) says that the same may work later: no network, a mirror that is down.

/** Arguments: file with the cluster's lines of /etc/hosts. */
export const NODE_NAMES = `${HEAD}${NAMES}write_names "$1"
`;

/** Arguments: the node's name, file with the cluster's lines of /etc/hosts, file with apt's proxies (empty: none). */
export const PREPARE_NODE = `${HEAD}${NAMES}${SWAP}${String.raw`
name=$1 hosts=$2 apt_proxy=$3

say "names of the cluster's nodes"
write_names "$hosts"

say "host name $name"
printf '%s\n' "$name" > /etc/hostname
hostname "$name"
if [ -d /etc/cloud/cloud.cfg.d ]; then
  printf 'preserve_hostname: true\nmanage_etc_hosts: false\n' > /etc/cloud/cloud.cfg.d/95-windlass.cfg
fi

say "swap off, now and after a restart"
turn_swap_off
if [ "$(wc -l < /proc/swaps)" -gt 1 ]; then
  refuse "$name: swap stays on ($(awk 'NR > 1 { printf "%s%s", sep, $1; sep = ", " }' /proc/swaps)), and the kubelet does not start with swap. Take it out of the image: /etc/fstab, systemd's *.swap units, zram"
fi

say "kernel modules and settings"
printf 'overlay\nbr_netfilter\n' > /etc/modules-load.d/windlass-kubernetes.conf
modprobe overlay
modprobe br_netfilter
cat > /etc/sysctl.d/99-windlass-kubernetes.conf << 'END'
net.bridge.bridge-nf-call-iptables = 1
net.bridge.bridge-nf-call-ip6tables = 1
net.ipv4.ip_forward = 1
END
sysctl -q -p /etc/sysctl.d/99-windlass-kubernetes.conf

if [ -s "$apt_proxy" ]; then
  say "proxies of apt"
  install -m 0600 "$apt_proxy" /etc/apt/apt.conf.d/95windlass-proxy
else
  rm -f /etc/apt/apt.conf.d/95windlass-proxy
fi
`}`;

/** Removes what {@link PREPARE_NODE} wrote. The host name stays, because the earlier one is not known. */
export const UNPREPARE_NODE = `${HEAD}${RESTING}${String.raw`
wake_apt
rest=$(mktemp)
awk '/^# windlass: begin$/ { ours = 1 } !ours { print } /^# windlass: end$/ { ours = 0 }' /etc/hosts > "$rest"
printf '127.0.1.1 %s\n' "$(hostname)" >> "$rest"
cat "$rest" > /etc/hosts
rm "$rest"
rm -f /etc/modules-load.d/windlass-kubernetes.conf /etc/sysctl.d/99-windlass-kubernetes.conf \
  /etc/apt/apt.conf.d/95windlass-proxy /etc/cloud/cloud.cfg.d/95-windlass.cfg
`}`;

/** Arguments: file with the cluster's lines of /etc/hosts, file with containerd's proxies as an EnvironmentFile (empty: none). */
export const UPDATE_PEERS = `${HEAD}${CRI}${NAMES}${String.raw`
hosts=$1 proxies=$2
say "names of the cluster's nodes"
write_names "$hosts"
ours=/etc/containerd/windlass-proxy.env
# There from before the file changes until containerd has read it: an attempt may end in between.
pending=$ours.pending
if [ -s "$proxies" ] && [ -e "$ours" ] && { [ -e "$pending" ] || ! cmp -s "$proxies" "$ours"; }; then
  say "what containerd reaches without a proxy"
  : > "$pending"
  install -m 0600 "$proxies" "$ours"
  systemctl restart containerd
  wait_for_cri
  rm "$pending"
fi
`}`;

/**
 * Arguments: the sandbox ("pause") image, file with containerd's proxies as an EnvironmentFile (empty: none), the package, the oldest
 * major version that will do; where it comes from another repository: URL with suite and components, its key's URL, the key's fingerprint.
 */
export const INSTALL_RUNTIME = `${HEAD}${APT}${REPOSITORY}${CRI}${CGROUPS}${String.raw`
pause=$1 proxies=$2 package=$3 least=$4 source=$5 key_url=$6 fingerprint=$7
list=/etc/apt/sources.list.d/windlass-containerd.list
key=/etc/apt/keyrings/windlass-containerd.asc
of_node() {
  (
    # shellcheck disable=SC1091
    . /etc/os-release
    sed -e "s/{id}/$ID/g" -e "s/{codename}/$VERSION_CODENAME/g" <<< "$1"
  )
}
if [ -n "$source" ]; then
  say "repository $(of_node "$source")"
  fetch_key "$(of_node "$key_url")" "$fingerprint" "$key"
  printf 'deb [signed-by=%s] %s\n' "$key" "$(of_node "$source")" > "$list"
else
  rm -f "$list" "$key"
fi
apt_get update
# A hold is somebody's word, ours of an earlier attempt or the image's: what is held stays, where it will do.
held=$(apt-mark showhold | grep -xF -m 1 -e containerd -e containerd.io -e "$package" || true)
if [ -n "$held" ] && command -v containerd > /dev/null; then
  say "$held is held on this node, and stays as it is"
  apt_get install --no-install-recommends ca-certificates
else
  held=''
  apt_get install --no-install-recommends --allow-change-held-packages "$package" ca-certificates
  apt-mark hold "$package" > /dev/null
fi
version=$(containerd --version | awk '{ sub(/^v/, "", $3); print $3 }')
if [ "$(cut -d . -f 1 <<< "$version")" -lt "$least" ]; then
  if [ -n "$held" ]; then
    refuse "$(hostname): containerd $version is too old for this Kubernetes, which works with $least.0 or newer, and may not be replaced, for $held is held (apt-mark showhold): take an image without that hold (apt-mark unhold $held), or one that has a newer containerd"
  fi
  refuse "$(hostname): containerd $version is too old for this Kubernetes, which works with $least.0 or newer: name another source by CONTAINERD_APT_SOURCE, or take an image whose distribution has it"
fi

say "configuring containerd"
mkdir -p /etc/containerd /etc/systemd/system/containerd.service.d
config=$(mktemp)
containerd config default > "$config"
# Both spellings: configuration format 2 (containerd 1.x) and 3 (2.x).
sed -i -E \
  -e 's/^([[:space:]]*SystemdCgroup = )false/\1true/' \
  -e "s#^([[:space:]]*sandbox_image = ).*#\\1\"$pause\"#" \
  -e "s#^([[:space:]]*sandbox = ).*#\\1'$pause'#" "$config"
# containerd 2.1.0 to 2.1.4 know the key, and leave it out of their defaults.
if ! cgroups_by_systemd < "$config"; then
  sed -i -E "s/^([[:space:]]*)\[plugins\.[\"']io\.containerd\.(grpc\.v1\.cri|cri\.v1\.runtime)[\"']\.containerd\.runtimes\.runc\.options\][[:space:]]*$/&\n\1  SystemdCgroup = true/" "$config"
fi
if ! cgroups_by_systemd < "$config"; then
  say "$(hostname): containerd $version has no table of runc's options in its default configuration, where SystemdCgroup is set to true: name the source of another containerd by CONTAINERD_APT_SOURCE" >&2
  exit 1
fi
install -m 0644 "$config" /etc/containerd/config.toml
rm "$config"

drop_in=/etc/systemd/system/containerd.service.d/windlass-proxy.conf
if [ -s "$proxies" ]; then
  # Values in a file of root's: those in the unit itself can be read by anybody.
  install -m 0600 "$proxies" /etc/containerd/windlass-proxy.env
  printf '[Service]\nEnvironmentFile=/etc/containerd/windlass-proxy.env\n' > "$drop_in"
else
  rm -f "$drop_in" /etc/containerd/windlass-proxy.env
fi
systemctl daemon-reload
systemctl enable containerd
systemctl restart containerd
wait_for_cri
# As containerd itself reads its files: of a key that it does not know, it only warns in its log.
if ! containerd config dump | cgroups_by_systemd; then
  refuse "$(hostname): containerd $version does not take SystemdCgroup = true of /etc/containerd/config.toml, and its containers would not be in the kubelet's cgroups: see what containerd config dump says of runc's options, and whether another file of /etc/containerd sets them"
fi
`}`;

/**
 * Whether the running containerd has our configuration. crictl, which could ask the daemon, comes only with kubeadm. So the script checks
 * containerd's own reading of its files, and that the daemon has started since they last changed. Arguments: the sandbox image.
 */
export const RUNTIME_IS_SET_UP = `${HEAD}${CRI}${CGROUPS}${String.raw`
pause=$1
systemctl is-active --quiet containerd
cri_is_up
started=$(systemctl show --timestamp=us+utc -p ExecMainStartTimestamp --value containerd)
[ -z "$(find /etc/containerd /etc/systemd/system/containerd.service.d -newermt "$started")" ]
effective=$(containerd config dump)
cgroups_by_systemd <<< "$effective"
grep -qF -e "sandbox_image = \"$pause\"" -e "sandbox = '$pause'" <<< "$effective"
`}`;

/** Argument: the package. */
export const REMOVE_RUNTIME = `${HEAD}${APT}${String.raw`
apt-mark unhold "$1" > /dev/null || true
apt_get remove "$1"
rm -f /etc/apt/sources.list.d/windlass-containerd.list /etc/apt/keyrings/windlass-containerd.asc
rm -f /etc/containerd/config.toml /etc/containerd/windlass-proxy.env /etc/systemd/system/containerd.service.d/windlass-proxy.conf
systemctl daemon-reload
`}`;

/** Arguments: Kubernetes' version, URL of its repository (empty: the node's own sources), its key's fingerprint (empty: any). */
export const INSTALL_KUBERNETES = `${HEAD}${APT}${REPOSITORY}${String.raw`
version=$1 url=$2 fingerprint=$3
list=/etc/apt/sources.list.d/windlass-kubernetes.list
key=/etc/apt/keyrings/windlass-kubernetes.asc
if [ -n "$url" ]; then
  # apt takes the path for a folder only with its last slash.
  case $url in */) ;; *) url=$url/ ;; esac
  say "repository $url"
  fetch_key "$url""Release.key" "$fingerprint" "$key"
  printf 'deb [signed-by=%s] %s /\n' "$key" "$url" > "$list"
else
  rm -f "$list" "$key"
fi
# The runtime's installation has just read the node's own sources.
if [ -n "$url" ] || ! apt-cache madison kubelet | grep -qF " $version-"; then
  apt_get update
fi
# kubelet depends on kubernetes-cni, kubeadm on cri-tools. Named, because apt changes no held package for a dependency's sake; and of the
# source that has the kubelet, whatever others have.
source=$(apt-cache madison kubelet | awk -F ' *[|] *' -v version="$version-" 'index($2, version) == 1 && !found { print $3; found = 1 }')
set -- "kubelet=$version-*" "kubeadm=$version-*" "kubectl=$version-*"
for name in kubernetes-cni cri-tools; do
  sources=$(apt-cache madison "$name")
  if [ -n "$sources" ]; then
    set -- "$@" "$name$(awk -F ' *[|] *' -v source="$source" '$3 == source && !found { print "=" $2; found = 1 }' <<< "$sources")"
  fi
done
# What kubeadm's preflight looks for stands here, because not every release's packages depend on it.
apt_get install --no-install-recommends --allow-change-held-packages --allow-downgrades "$@" \
  conntrack ebtables ethtool iptables socat
for package in "$@"; do
  apt-mark hold "$(cut -d = -f 1 <<< "$package")" > /dev/null
done
systemctl enable kubelet
`}`;

export const REMOVE_KUBERNETES = `${HEAD}${APT}${String.raw`
set -- kubelet kubeadm kubectl
# apt knows no package that no source has and that was never installed.
for name in kubernetes-cni cri-tools; do
  if dpkg-query -W "$name" > /dev/null 2>&1; then set -- "$@" "$name"; fi
done
apt-mark unhold "$@" > /dev/null || true
apt_get remove "$@"
rm -f /etc/apt/sources.list.d/windlass-kubernetes.list /etc/apt/keyrings/windlass-kubernetes.asc
`}`;

/** Arguments: kubeadm's configuration, the user who gets a kubeconfig. */
export const INIT_CONTROL_PLANE = `${HEAD}${RESET}${KUBEADM}${String.raw`
config=$1 user=$2
if [ -e /etc/kubernetes/admin.conf ] || [ -e /etc/kubernetes/manifests/kube-apiserver.yaml ] || [ -e /var/lib/etcd/member ]; then
  say "clearing away an attempt that did not end"
  reset_node
fi
pull_images "$config"
run_kubeadm init --config "$config" --skip-token-print
home=$(getent passwd "$user" | cut -d: -f6)
install -d -m 0700 -o "$user" -g "$(id -g "$user")" "$home/.kube"
install -m 0600 -o "$user" -g "$(id -g "$user")" /etc/kubernetes/admin.conf "$home/.kube/config"
`}`;

/** Arguments: kubeadm's configuration. */
export const JOIN_WORKER = `${HEAD}${RESET}${String.raw`
config=$1
if [ -e /etc/kubernetes/kubelet.conf ] || [ -e /etc/kubernetes/bootstrap-kubelet.conf ] || [ -e /etc/kubernetes/pki/ca.crt ]; then
  say "clearing away an attempt that did not end"
  reset_node
fi
kubeadm join --config "$config"
`}`;

/** Arguments: the user who had a kubeconfig, or nothing. */
export const RESET_NODE = `${HEAD}${RESET}${String.raw`
user=$1
reset_node
if [ -n "$user" ]; then
  home=$(getent passwd "$user" | cut -d: -f6)
  rm -f "$home/.kube/config"
fi
`}`;
