import { HEAD } from '@windlass/driver-kit';

// The terms are those of ../node/scripts.ts; shell-scripts.spec.ts there holds these scripts against shellcheck.

/**
 * The file in which kubeadm keeps the kubelet's flags. Where a packaged script joined the node, the file may hold no address: the kubelet finds one
 * by itself.
 */
const FLAGS = '/var/lib/kubelet/kubeadm-flags.env';

/** Arguments: the address that the machine has to have. */
export const READDRESS_NODE = `${HEAD}${String.raw`
address=$1
if [ -z "$(ip -o -4 addr show to "$address")" ]; then
  say "no link of this machine has the address $address, which its port has: does its image set up what is plugged in while it runs (DHCP on every link, cloud-init's hotplug)? Restart it where not, it is waited for" >&2
  exit 75
fi
say "the kubelet's address is $address"
sed -i -E "s/--node-ip=[0-9.]+/--node-ip=$address/" ${FLAGS}
systemctl restart kubelet
`}`;

/** Whether the kubelet runs, and its flags hold that address or none. Argument: the address. */
export const NODE_IS_READDRESSED = `${HEAD}${String.raw`
address=$1
systemctl is-active --quiet kubelet
! grep -q -e '--node-ip=' ${FLAGS} || grep -qE -e "--node-ip=$address([^0-9.]|\$)" ${FLAGS}
`}`;

/** Sets the kubelet back to an earlier address. Argument: that address, which the machine may not have yet; the restart does not wait for it. */
export const RESTORE_NODE_ADDRESS = `${HEAD}${String.raw`
address=$1
sed -i -E "s/--node-ip=[0-9.]+/--node-ip=$address/" ${FLAGS}
systemctl restart --no-block kubelet
`}`;
