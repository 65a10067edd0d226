import { HEAD } from '@windlass/driver-kit';
import { KUBEADM, RESET } from '../../node/script-fragments.js';

// The terms are those of ../node/scripts.ts; shell-scripts.spec.ts there holds these scripts against shellcheck.

/** Arguments: kubeadm's configuration, the cluster's configuration (which names its images), the user who gets a kubeconfig. */
export const JOIN_CONTROL_PLANE = `${HEAD}${RESET}${KUBEADM}${String.raw`
config=$1 cluster=$2 user=$3
if [ -e /etc/kubernetes/kubelet.conf ] || [ -e /etc/kubernetes/bootstrap-kubelet.conf ] || [ -e /etc/kubernetes/pki/ca.crt ] || [ -e /var/lib/etcd/member ]; then
  say "clearing away an attempt that did not end"
  reset_node
fi
pull_images "$cluster"
kubeadm join --config "$config"
home=$(getent passwd "$user" | cut -d: -f6)
install -d -m 0700 -o "$user" -g "$(id -g "$user")" "$home/.kube"
install -m 0600 -o "$user" -g "$(id -g "$user")" /etc/kubernetes/admin.conf "$home/.kube/config"
`}`;
