import { HEAD } from '@windlass/driver-kit';

// As those of ../node/scripts.ts; shell-scripts.spec.ts there holds them against shellcheck.

/** Where kubeadm keeps the kubelet's flags. A node that a packaged script joined may have no address there: its kubelet finds one by itself. */
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

/** Whether the kubelet was started with that address, or is told none. Argument: the address. */
export const NODE_IS_READDRESSED = `${HEAD}${String.raw`
address=$1
systemctl is-active --quiet kubelet
! grep -q -e '--node-ip=' ${FLAGS} || grep -qE -e "--node-ip=$address([^0-9.]|\$)" ${FLAGS}
`}`;

/** Arguments: the address that comes back, though it is not there yet. Until then the kubelet goes on with what the cluster knows of it. */
export const RESTORE_NODE_ADDRESS = `${HEAD}${String.raw`
address=$1
sed -i -E "s/--node-ip=[0-9.]+/--node-ip=$address/" ${FLAGS}
systemctl restart --no-block kubelet
`}`;
