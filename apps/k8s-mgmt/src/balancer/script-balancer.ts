import { API_PORT, HEAD } from '@windlass/driver-kit';

// Shell for the HAProxy that a script of a package set up (spec/mgmt-kubernetes.md section 6), under the terms of ../node/scripts.ts.
// script-balancer.spec.ts runs it, and holds it against shellcheck.

/** Where scripts of the contract have it. */
export const HAPROXY_CONFIGURATION = '/etc/haproxy/haproxy.cfg';

/** What the script prints on a node that has a different load balancer, or none. */
export const NO_HAPROXY = `no HAProxy with back ends at port ${API_PORT}`;

/**
 * Arguments: the path of HAProxy's configuration; the back ends to list; the back ends not to list. A back end is a line `<name> <address>`.
 * Back ends are known by their addresses, because a script of a package chooses names of its own. The line of a new back end is a copy of the last
 * one of its section with the new name and address, so that it has the options that the script gave the others.
 */
const EDITED = String.raw`
conf=$1 listed=$2 unlisted=$3
edited() {
  LISTED=$listed UNLISTED=$unlisted awk -v port=":${API_PORT}" '
    BEGIN {
      come = split(ENVIRON["LISTED"], newcomer, "\n")
      go = split(ENVIRON["UNLISTED"], leaver, "\n")
      for (i = 1; i <= go; i++) { split(leaver[i], of, " "); leaves[of[2] port] = 1 }
    }
    /^[a-z]/ { section++ }
    { line[NR] = $0; of_section[NR] = section + 0 }
    $1 == "server" && substr($3, length($3) - length(port) + 1) == port {
      last[section + 0] = NR
      if ($3 in leaves) gone[NR] = 1
      else there[section + 0, $3] = 1
    }
    END {
      for (n = 1; n <= NR; n++) {
        if (!(n in gone)) print line[n]
        at = of_section[n]
        if (last[at] != n) continue
        for (i = 1; i <= come; i++) {
          split(newcomer[i], of, " ")
          if ((at, of[2] port) in there) continue
          match(line[n], /server[ \t]+[^ \t]+[ \t]+[^ \t]+/)
          print substr(line[n], 1, RSTART - 1) "server " of[1] " " of[2] port substr(line[n], RSTART + RLENGTH)
        }
      }
    }' "$conf"
}
balances() { [ -e "$conf" ] && grep -qE '^[[:space:]]*server[[:space:]]+[^[:space:]]+[[:space:]]+[^[:space:]]+:${API_PORT}([[:space:]]|$)' "$conf"; }
`;

/**
 * Whether the first list's back ends are listed and the second's are not. On a node with a different load balancer the answer is no, so that the
 * change runs and notes that.
 */
export const BACK_ENDS_ARE = `${HEAD}${EDITED}
balances
edited | cmp -s - "$conf"
`;

/** Has HAProxy go on with other back ends: by a reload, so that connections stay. */
export const CHANGE_BACK_ENDS = `${HEAD}${EDITED}${String.raw`
if ! balances; then
  say "${NO_HAPROXY}"
  exit 0
fi
new=$(mktemp "$conf.XXXXXX")
trap 'rm -f "$new"' EXIT
cp -p "$conf" "$new"
edited > "$new"
haproxy -c -f "$new" || refuse "HAProxy refuses $conf with other back ends (above): the package's script wrote the rest of it"
mv "$new" "$conf"
systemctl reload-or-restart haproxy
`}`;
