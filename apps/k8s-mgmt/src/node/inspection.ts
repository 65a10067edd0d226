import { HEAD } from '@windlass/driver-kit';
import { TransientError } from '@windlass/foundation';

// What is looked at on a node before anything is changed there. shell-scripts.spec.ts holds the script against shellcheck.

/** A line `key value...` for each fact. Arguments: the node's address, its role, the cluster's lines of /etc/hosts without comments, peers' addresses. */
export const INSPECT_NODE = `${HEAD}${String.raw`
address=$1 role=$2 names=$3
shift 3
say "cpus $(nproc)"
say "memory $(awk '$1 == "MemTotal:" { print int($2 / 1024) }' /proc/meminfo)"
say "disk $(df -Pm /var/lib | awk 'NR == 2 { print $4 }')"

for module in overlay br_netfilter vxlan; do
  if ! [ -d "/sys/module/$module" ] && ! modprobe --dry-run --quiet "$module"; then say "lacks $module"; fi
done

# Names of ours that another line gives another address: the resolver takes the first.
awk '/^# windlass: begin$/ { ours = 1 } !ours && !/^[[:space:]]*#/ { print } /^# windlass: end$/ { ours = 0 }' /etc/hosts |
  while read -r other words; do
    for word in $words; do
      while read -r wanted name; do
        if [ "$word" = "$name" ] && [ "$other" != "$wanted" ]; then
          case $other in 127.*) ;; *) say "hosts $name $other" ;; esac
        fi
      done <<< "$names"
    done
  done
getent hosts localhost | grep -qE '^(127\.|::1)' || say "hosts localhost nothing"

ports='10250'
[ "$role" = worker ] || ports='6443 2379 2380 10250 10257 10259'
for port in $ports; do
  hex=$(printf '%04X' "$port")
  if cat /proc/net/tcp /proc/net/tcp6 2> /dev/null | awk -v port="$hex" '$4 == "0A" { n = split($2, a, ":"); if (a[n] == port) taken = 1 } END { exit !taken }'; then
    say "taken $port"
  fi
done

link=$(ip -o -4 addr show to "$address" | awk 'NR == 1 { sub(/@.*/, "", $2); print $2 }')
if [ -z "$link" ]; then
  say "link none 0"
  exit 0
fi
mtu=$(ip -o link show dev "$link" | awk '{ for (n = 1; n < NF; n++) if ($n == "mtu") print $(n + 1) }')
say "link $link $mtu"
command -v ping > /dev/null || exit 0
for peer in "$@"; do
  # A whole packet, not to be cut up. A peer that does not answer small ones says nothing.
  if ! ping -q -c 2 -W 1 -i 0.2 -M 'do' -s "$((mtu - 28))" "$peer" > /dev/null 2>&1 && ping -q -c 1 -W 1 "$peer" > /dev/null 2>&1; then
    say "cut $peer"
  fi
done
`}`;

/** What was seen on a node. */
export interface Inspected {
  cpus: number;
  /** Megabytes. */
  memory: number;
  /** Megabytes that are free in /var/lib. */
  disk: number;
  /** Kernel modules that are missing. */
  lacks: string[];
  /** Names that the node resolves to an address that is not the cluster's. */
  hosts: { name: string; address: string }[];
  /** Ports on which some program listens. */
  taken: number[];
  link: { name: string; mtu: number };
  /** Peers that packets of full size do not reach. */
  cut: string[];
}

/**
 * Reads what {@link INSPECT_NODE} prints.
 * @throws TransientError `node.not-inspected` where a figure is missing or is no number: nothing could be compared with it
 */
export function readInspection(text: string): Inspected {
  const lines = text
    .trim()
    .split('\n')
    .map((line) => line.split(' '));
  const all = (key: string): string[][] => lines.flatMap(([first, ...rest]) => (first === key ? [rest] : []));
  const number = (key: string, at = 0): number => figure(key, all(key)[0]?.[at]);
  const [name = 'none'] = all('link')[0] ?? [];
  return {
    cpus: number('cpus'),
    memory: number('memory'),
    disk: number('disk'),
    lacks: all('lacks').flat(),
    hosts: all('hosts').map(([of = '', address = '']) => ({ name: of, address })),
    taken: all('taken').flat().map(Number),
    link: { name, mtu: number('link', 1) },
    cut: all('cut').flat(),
  };
}

/** A whole number that a node told. @throws TransientError `node.not-inspected` for anything else */
export function figure(what: string, told: string | undefined): number {
  if (told !== undefined && /^\d{1,15}$/.test(told)) return Number(told);
  throw new TransientError(
    'node.not-inspected',
    `a whole number was expected of "${what}", not ${JSON.stringify(told?.slice(0, 40) ?? '')}`,
  );
}
