import { CRI } from '@windlass/driver-kit';

// Parts of the scripts of scripts.ts, which are bash.

/** Adds repositories whose key is known beforehand. Needs {@link APT}. */
export const REPOSITORY = String.raw`
# The key at $1 into the file $3, if the one primary key in it has the fingerprint $2. With no fingerprint nothing is compared.
fetch_key() {
  local found
  mkdir -p /etc/apt/keyrings
  # apt's own downloader: it is there, and it knows apt's proxies.
  /usr/lib/apt/apt-helper -o Acquire::Retries=3 download-file "$1" "$3.new" || exit 75
  if [ -n "$2" ]; then
    if ! command -v gpg > /dev/null; then
      apt_get update
      apt_get install --no-install-recommends gpg
    fi
    found=$(gpg --homedir "$(mktemp -d)" --batch --no-options --show-keys --with-colons "$3.new" |
      awk -F: '$1 == "pub" { primary = 1 } $1 == "fpr" && primary { print $10; primary = 0 }' | paste -sd ' ' || true)
    if [ "$found" != "$2" ]; then
      rm "$3.new"
      refuse "the key at $1 is not trusted: its fingerprint is \"$found\", and $2 was expected. Is the address right, does a proxy answer in its place, or has the repository a new key, which the service has to be told?"
    fi
  fi
  mv "$3.new" "$3"
  chmod 0644 "$3"
}
`;

export const NAMES = String.raw`
# The node's own name among them: sudo looks it up.
write_names() {
  local rest
  rest=$(mktemp)
  awk '/^# windlass: begin$/ { ours = 1 } !ours { print } /^# windlass: end$/ { ours = 0 }' /etc/hosts > "$rest"
  cat "$rest" "$1" > /etc/hosts
  rm "$rest"
}
`;

/** Takes a node out of its cluster, or ends its half-finished join. Does nothing on a node that has no kubeadm, or never joined. */
export const RESET = `${CRI}${String.raw`
reset_node() {
  local link kept
  if command -v kubeadm > /dev/null; then
    # It empties the kubelet's folder; with what the kubelet logs in to registries it has nothing to do.
    kept=$(mktemp)
    if [ -e /var/lib/kubelet/config.json ]; then cp -p /var/lib/kubelet/config.json "$kept"; fi
    kubeadm reset --force
    if [ -s "$kept" ]; then
      mkdir -p /var/lib/kubelet
      install -m 0600 "$kept" /var/lib/kubelet/config.json
    fi
    rm "$kept"
  fi
  # kubeadm leaves these to its user. The folder stays: containerd watches it, and sees nothing in one that takes its place.
  mkdir -p /etc/cni/net.d
  find /etc/cni/net.d -mindepth 1 -delete
  for link in cni0 flannel.1; do
    if ip link show "$link" > /dev/null 2>&1; then ip link delete "$link"; fi
  done
  rm -rf /var/lib/cni
  if systemctl is-enabled --quiet containerd; then
    systemctl restart containerd
    wait_for_cri
  fi
}
`}`;

/** Runs kubeadm. Ends the script with status 75 where a later try may succeed, else with kubeadm's own status. */
export const KUBEADM = String.raw`
tried_again='context deadline exceeded|timed? ?out|connection (refused|reset)|no route to host|network is unreachable|no such host|server misbehaving|temporary failure|\bEOF\b|too many requests|bad gateway|service unavailable|internal server error|unexpected status[^:]*: (429|5[0-9][0-9])|etcdserver: |TLS handshake'
# What a registry says that stays so.
stays_so='not found|manifest unknown|unauthorized|forbidden|denied|no match for platform|certificate (signed by|has expired)'

# What kubeadm says of images that it could not have: $1 is the file with it.
pull_may_work_later() { ! grep -qiE "$stays_so" "$1" && grep -qiE "$tried_again" "$1"; }

# First by themselves, because a registry's hiccup should cost a pull and not an installation.
# A registry that answers nothing costs kubeadm minutes an attempt: none is begun after so many seconds.
pull_within=180
pull_images() {
  local said why tries=0 began=$SECONDS
  said=$(mktemp)
  say "pulling the images of the control plane"
  until kubeadm config images pull --config "$1" 2> "$said"; do
    cat "$said" >&2
    pull_may_work_later "$said" || refuse "the images of the control plane can't be had: does the node reach the registry, and has that this version?"
    tries=$((tries + 1))
    # Which image, and the end of what is said of it: there the reason stands.
    why=$(grep -m 1 -iE "$tried_again" "$said" | awk '{ image = match($0, /image "[^"]*"/) ? substr($0, RSTART, RLENGTH) ": " : ""; print image (length($0) > 110 ? "... " substr($0, length($0) - 105) : $0) }')
    if [ "$tries" -ge 5 ] || [ "$((SECONDS - began))" -ge "$pull_within" ]; then
      say "the images of the control plane could not be had in $tries attempts: $why" >&2
      exit 75
    fi
    say "attempt $tries of 5 to pull images: $why"
    sleep "$((tries * 5))"
  done
  rm "$said"
}

# Up to 1.33 kubeadm ends with 2 where preflight refuses the node and with 3 where it refuses the configuration; 1.34 ends with 1 for all of it.
# So its words tell: what preflight found is a list, and a value that is refused is called so.
run_kubeadm() {
  local said status=0 refusals
  said=$(mktemp)
  kubeadm "$@" 2> "$said" || status=$?
  cat "$said" >&2
  if [ "$status" != 0 ]; then
    if grep -qE '\[ERROR ' "$said"; then
      refusals=$(grep -E '\[ERROR ' "$said" | grep -vcE '\[ERROR ImagePull' || true)
      if [ "$refusals" = 0 ] && pull_may_work_later "$said"; then exit 75; fi
    elif [ "$status" = 1 ] && ! grep -qE ': (Invalid|Required|Unsupported|Duplicate|Too long) ?(value)?: ' "$said"; then
      if grep -qiE "$tried_again" "$said"; then exit 75; fi
    fi
    exit "$status"
  fi
  rm "$said"
}
`;

/** The driver of containers' cgroups: the kubelet's is systemd, and containerd must have the same. */
export const CGROUPS = String.raw`
# Whether a configuration of containerd's on standard input has runc's containers in systemd's cgroups.
cgroups_by_systemd() {
  awk '/^[[:space:]]*\[/ { runc = /\.containerd\.runtimes\.runc\.options\][[:space:]]*$/ }
    runc && /^[[:space:]]*SystemdCgroup = true[[:space:]]*$/ { set = 1 } END { exit !set }'
}
`;

/** Turns swap off for good: units that would turn it on at the next boot are masked. /proc/swaps says whether it is off. */
export const SWAP = String.raw`
# Units of swap areas, which come of files, of /etc/fstab, of zram-generator, of partitions (systemd-gpt-auto-generator); and services that turn
# swap on by themselves.
swap_units() {
  {
    systemctl list-units --all --full --plain --no-legend --type=swap || true
    systemctl list-unit-files --full --no-legend --type=swap || true
    systemctl list-units --all --full --plain --no-legend 'systemd-zram-setup@*.service' || true
    systemctl list-unit-files --full --no-legend zram-config.service zramswap.service dphys-swapfile.service || true
  } 2> /dev/null | awk '{ unit = $1 ~ /\.(swap|service)$/ ? $1 : $2 } unit ~ /\.(swap|service)$/ && !seen[unit]++ { print unit }'
}

# systemd masks no unit whose file is the administrator's own.
mask_unit() {
  local file=/etc/systemd/system/$1
  if [ -e "$file" ] && [ "$(readlink "$file")" != /dev/null ]; then mv "$file" "$file.windlass"; fi
  systemctl mask --quiet "$1" < /dev/null
}

turn_swap_off() {
  local unit
  sed -E -i.windlass 's/^([^#][^[:space:]]*[[:space:]]+[^[:space:]]+[[:space:]]+swap[[:space:]].*)$/# windlass: \1/' /etc/fstab
  # Areas that are found at boot only, on whatever disk, are wanted by this target.
  mask_unit swap.target
  while read -r unit; do
    [ -n "$unit" ] || continue
    say "masking $unit"
    mask_unit "$unit"
    systemctl stop "$unit" < /dev/null || true
  done <<< "$(swap_units)"
  if [ "$(wc -l < /proc/swaps)" -gt 1 ]; then swapoff -a || true; fi
}
`;
