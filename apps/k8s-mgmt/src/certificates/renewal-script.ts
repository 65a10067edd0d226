import { HEAD } from '@windlass/driver-kit';

// The terms are those of ../node/scripts.ts; shell-scripts.spec.ts there holds this script against shellcheck.

/** An annotation in the manifests of the control plane's static pods. Its value names the renewal that last restarted the part. */
export const RENEWED_BY = 'windlass.dev/renewed-by';

/**
 * Renews the certificates of the master that it runs on, and has the kubelet restart the parts of its control plane: a changed annotation in a
 * manifest replaces the part's pod. etcd and the API server restart together, each further part when the one before it answers.
 * The script may be killed at any point and run again: parts that bear its mark are not restarted again.
 * Until the API server has restarted, the script asks the container runtime and not the API, which answers nobody with certificates that have run
 * out.
 * Arguments: the mark of this renewal on this master; the master's address; the user who may have a kubeconfig of kubeadm's; how many seconds to wait
 * for each part.
 */
export const RENEW_CERTIFICATES = `${HEAD}${String.raw`
mark=$1 address=$2 user=$3 within=$4
manifests=/etc/kubernetes/manifests
pki=/etc/kubernetes/pki
admin=/etc/kubernetes/admin.conf
by_hand="nothing was changed on this master; docs/runbooks/certificates.md says how to renew by hand"

cri() { crictl --runtime-endpoint unix:///run/containerd/containerd.sock "$@"; }
api() { timeout 30 kubectl --kubeconfig="$admin" "--server=https://$address:6443" "$@" 2> /dev/null; }
pods_of() { cri pods --quiet --state Ready --namespace kube-system --label "component=$1" 2> /dev/null; }

# The container of a part that runs in a pod with the mark; nothing where there is none.
marked_container() {
  local pod
  for pod in $(pods_of "$1"); do
    # All of it is read: a pipe that breaks would fail.
    if cri inspectp "$pod" 2> /dev/null | grep -F "\"$mark\"" > /dev/null; then
      cri ps --quiet --state Running --pod "$pod" --name "^$1\$" 2> /dev/null
      return
    fi
  done
}

# Whether a part runs with the mark, and answers.
answers() {
  local container states
  case $1 in
    etcd)
      container=$(marked_container etcd) && [ -n "$container" ] || return 1
      cri exec "$container" etcdctl --cacert="$pki/etcd/ca.crt" --cert="$pki/etcd/healthcheck-client.crt" \
        --key="$pki/etcd/healthcheck-client.key" --endpoints=https://127.0.0.1:2379 --command-timeout=5s endpoint health > /dev/null 2>&1
      ;;
    kube-apiserver)
      container=$(marked_container kube-apiserver) && [ -n "$container" ] || return 1
      # By the administrator's new certificate, and only where the server's is good.
      api get --raw /readyz > /dev/null
      ;;
    *)
      # The kubelet's word: what it says of the pod includes its probes.
      states=$(api -n kube-system get pods -l "component=$1" -o 'jsonpath={range .items[*]}{.metadata.annotations.${RENEWED_BY.replaceAll('.', String.raw`\.`)}} {.status.conditions[?(@.type=="Ready")].status}{"\n"}{end}') || return 1
      grep -xF "$mark True" <<< "$states" > /dev/null
      ;;
  esac
}

await_part() {
  local began=$SECONDS
  until answers "$1"; do
    if ((SECONDS - began >= within)); then
      say "$1 on $address has new certificates, and did not answer within $within s of being started anew: crictl ps -a, crictl logs and journalctl -u kubelet there say why" >&2
      exit 75
    fi
    sleep 2
  done
}

# Another file takes the place of the manifest at once, so that none is ever missing or half there.
mark_manifest() {
  local file=$manifests/$1.yaml next=/etc/kubernetes/windlass-$1.yaml
  if grep -qF "$mark" "$file"; then return; fi
  # Mode and owner are those of the file.
  cp -p "$file" "$next"
  kubectl annotate --local --overwrite -f "$file" "${RENEWED_BY}=$mark" -o yaml > "$next"
  sync "$next"
  mv "$next" "$file"
}

parts=()
marked=''
for name in etcd kube-apiserver kube-controller-manager kube-scheduler; do
  # A cluster with an etcd of its own elsewhere has no manifest of it.
  if [ ! -e "$manifests/$name.yaml" ]; then continue; fi
  parts+=("$name")
  if grep -qF "$mark" "$manifests/$name.yaml"; then marked=yes; fi
done

if [ -z "$marked" ]; then
  for name in kube-apiserver kube-controller-manager kube-scheduler; do
    if [ ! -e "$manifests/$name.yaml" ]; then refuse "$address has no $manifests/$name.yaml, as a master by kubeadm has: $by_hand"; fi
  done
  for name in "${'$'}{parts[@]}"; do
    if [ -z "$(pods_of "$name")" ]; then refuse "containerd on $address has no pod of $name: retry when it runs; where another runtime has the containers: $by_hand"; fi
  done
  authorities=(ca front-proxy-ca)
  if [ -e "$manifests/etcd.yaml" ]; then authorities+=(etcd/ca); fi
  for name in "${'$'}{authorities[@]}"; do
    # kubeadm passes over what such an authority has signed, and says that all went well.
    if [ ! -e "$pki/$name.key" ]; then refuse "$address has no $pki/$name.key, by which kubeadm renews: renew where that authority's key is; $by_hand"; fi
  done
  say "renewing the certificates"
  kubeadm certs renew all
fi

for name in "${'$'}{parts[@]}"; do
  say "starting $name anew"
  mark_manifest "$name"
  # An API server without its etcd answers nothing, and those connected to it wait: when it ends with its etcd, they turn to another master's.
  if [ "$name" = etcd ]; then mark_manifest kube-apiserver; fi
  await_part "$name"
done

# What kubeadm renews in a kubeconfig left out.
rest_of() { grep -vE '^ *client-(certificate|key)-data: ' "$1"; }
own=$(getent passwd "$user" | cut -d: -f6)/.kube/config
if [ -f "$own" ] && ! cmp -s "$admin" "$own"; then
  if cmp -s <(rest_of "$admin") <(rest_of "$own"); then
    say "a new $own"
    cp -p "$own" "$own.windlass"
    cat "$admin" > "$own.windlass"
    mv "$own.windlass" "$own"
  else
    say "$own is not kubeadm's, and stays as it is"
  fi
fi
`}`;
