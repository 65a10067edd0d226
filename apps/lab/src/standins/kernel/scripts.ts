/** Modules that a Kubernetes node may ask for. Others are not found, as on a machine that does not have them. */
export const KNOWN_MODULES = [
  'overlay',
  'br_netfilter',
  'ip_vs',
  'ip_vs_rr',
  'ip_vs_wrr',
  'ip_vs_sh',
  'nf_conntrack',
  'nf_nat',
  'ip_tables',
  'ip6_tables',
  'iptable_nat',
  'iptable_filter',
  'iptable_mangle',
  'ip6table_nat',
  'ip6table_filter',
  'ip6table_mangle',
  'xt_conntrack',
  'xt_MASQUERADE',
  'xt_set',
  'ip_set',
  'ipip',
  'vxlan',
  'nfs',
  'nfsd',
];

const HEAD = `#!/bin/sh
# windlass-lab stand-in: a lab VM shares the machine's kernel and may load nothing into it, so modules are only noted.
notes=/run/windlass-lab/modules
`;

/** `modprobe`: notes known modules, knows modprobe's usual options, refuses the rest in modprobe's words. */
export const MODPROBE = `${HEAD}known="${KNOWN_MODULES.join(' ')}"
dry='' remove='' quiet='' all='' first='' names=''
while [ $# -gt 0 ]; do
  case $1 in
    --help | -h) echo "modprobe: the windlass-lab stand-in; modules: $known"; exit 0 ;;
    --version | -V) echo "windlass-lab stand-in for kmod"; exit 0 ;;
    -n | --dry-run | --show) dry=1 ;;
    -r | --remove) remove=1 ;;
    -q | --quiet) quiet=1 ;;
    -a | --all) all=1 ;;
    -v | --verbose | -b | --use-blacklist | -s | --syslog) ;;
    --first-time) first=1 ;;
    --) shift; names="$names $*"; break ;;
    --*) echo "modprobe: unrecognized option '$1'" >&2; exit 1 ;;
    -*) echo "modprobe: invalid option -- '\${1#-}'" >&2; exit 1 ;;
    *) names="$names $1" ;;
  esac
  shift
done
if [ -z "$names" ]; then
  echo "modprobe: ERROR: missing parameters. See -h." >&2
  exit 1
fi
# Without -a or -r, what follows the first name are parameters of the module.
if [ -z "$all$remove" ]; then
  names=\${names# }
  names=\${names%% *}
fi
mkdir -p /run/windlass-lab && touch "$notes" || exit 1
status=0
for name in $names; do
  name=$(echo "$name" | tr - _)
  case " $known " in
    *" $name "*) ;;
    *)
      [ -n "$quiet" ] || echo "modprobe: FATAL: Module $name not found in directory /lib/modules/$(uname -r)" >&2
      status=1
      continue
      ;;
  esac
  [ -n "$dry" ] && continue
  if [ -n "$remove" ]; then
    grep -vx "$name" "$notes" > "$notes.new"
    mv "$notes.new" "$notes"
  elif grep -qx "$name" "$notes"; then
    [ -z "$first" ] || { echo "modprobe: ERROR: could not insert '$name': Module already in kernel" >&2; status=1; }
  else
    echo "$name" >> "$notes"
  fi
done
exit $status
`;

/** `lsmod`: the noted modules. */
export const LSMOD = `${HEAD}if [ $# -gt 0 ]; then
  echo "Usage: lsmod" >&2
  exit 1
fi
echo "Module                  Size  Used by"
[ -f "$notes" ] || exit 0
while read -r name; do printf '%-19s %8s  0\\n' "$name" 16384; done < "$notes"
`;

/**
 * `sysctl`: the real one. Two things differ from a machine of its own, and only they are smoothed:
 * `--system` does not fail for settings of the whole kernel, which a VM may not change (they are still reported), and the
 * `net.bridge` settings exist once br_netfilter is "loaded" even where the machine's kernel has none.
 */
export const SYSCTL = `${HEAD}real=/usr/sbin/sysctl
state=/run/windlass-lab/bridge
bridge='bridge-nf-call-\\(iptables\\|ip6tables\\|arptables\\)'
if [ -e /proc/sys/net/bridge ] || ! grep -qsx br_netfilter "$notes"; then bridged=; else bridged=1; fi

# \`key\` or \`key=value\` of a bridge setting that the kernel does not have.
pretended() {
  [ -n "$bridged" ] && echo "$1" | grep -q "^net[./]bridge[./]$bridge *\\(=.*\\)\\?$"
}
pretend() {
  key=$(echo "\${1%%=*}" | tr / . | tr -d ' ')
  mkdir -p "$state"
  case $1 in *=*) echo "\${1#*=}" | tr -d ' ' > "$state/$key" ;; esac
  [ -f "$state/$key" ] || echo 1 > "$state/$key"
  value=$(cat "$state/$key")
  case " $flags " in
    *" -q "*) ;;
    *" -n "*) echo "$value" ;;
    *) echo "$key = $value" ;;
  esac
}

flags='' system='' load=''
for argument in "$@"; do
  case $argument in
    --system) system=1 ;;
    -p | -p* | --load | --load=* | -f) load=1 ;;
    -n | --values) flags="$flags -n" ;;
    -q | --quiet) flags="$flags -q" ;;
  esac
done

if [ -z "$system$load" ]; then
  mine='' theirs=''
  for argument in "$@"; do
    if pretended "$argument"; then mine=1; pretend "$argument"
    else case $argument in -*) ;; *) theirs=1 ;; esac
    fi
  done
  if [ -n "$mine" ] && [ -z "$theirs" ]; then exit 0; fi
  if [ -n "$mine" ]; then
    echo "sysctl: the windlass-lab stand-in takes net.bridge settings and others in separate calls" >&2
    exit 1
  fi
  exec "$real" "$@"
fi

errors=$(mktemp)
trap 'rm -f "$errors"' EXIT
"$real" "$@" 2> "$errors"
status=$?
left=0
while IFS= read -r line; do
  case $line in
    *"/proc/sys/net/bridge/bridge-nf-call-"*)
      if [ -n "$bridged" ]; then
        key=$(echo "$line" | sed 's#.*/\\(bridge-nf-call-[a-z0-9]*\\).*#net.bridge.\\1#')
        pretend "$key"
        continue
      fi
      left=1
      ;;
    *"permission denied on key"*) [ -n "$system" ] || left=1 ;;
    *) left=1 ;;
  esac
  echo "$line" >&2
done < "$errors"
[ "$left" = 1 ] && exit "$status"
exit 0
`;

/** Drop-in for systemd-modules-load.service: reads the same folders, and asks the stand-in. */
export const MODULES_LOAD_DROP_IN = `# windlass-lab stand-in: modules are noted, see /usr/local/sbin/modprobe.
[Unit]
ConditionCapability=

[Service]
ExecStart=
ExecStart=/bin/sh -c 'for file in /etc/modules-load.d/*.conf /run/modules-load.d/*.conf /usr/lib/modules-load.d/*.conf; do [ -f "$file" ] && grep -hv "^[[:space:]]*[#;]" "$file"; done | while read -r name; do [ -z "$name" ] || /usr/local/sbin/modprobe "$name" || exit 1; done'
`;
