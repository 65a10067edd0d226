import { HEAD } from '@windlass/driver-kit';

// The terms are those of ../node/scripts.ts; shell-scripts.spec.ts there holds these scripts against shellcheck.

/**
 * Prints the node's clock, `now <seconds since 1970>`, and a line `<name> <end in seconds since 1970>` for each certificate that kubeadm renews.
 * Certificates below `/etc/kubernetes/pki` are named by their paths there, others by their kubeconfigs. No lines follow the clock where kubeadm made
 * no certificates.
 */
export const LIST_CERTIFICATES = `${HEAD}${String.raw`
list() {
  local end
  end=$(openssl x509 -noout -enddate 2> /dev/null) || return 0
  say "$1 $(date -u -d "${'$'}{end#notAfter=}" +%s)"
}
say "now $(date -u +%s)"
for file in /etc/kubernetes/pki/*.crt /etc/kubernetes/pki/etcd/*.crt; do
  # Authorities live ten years, and kubeadm renews none.
  case $file in *ca.crt) continue ;; esac
  if [ -f "$file" ]; then list "${'$'}{file#/etc/kubernetes/pki/}" < "$file"; fi
done
for name in admin controller-manager scheduler; do
  file=/etc/kubernetes/$name.conf
  if [ -f "$file" ]; then
    list "$name.conf" < <(awk '$1 == "client-certificate-data:" { print $2 }' "$file" | base64 -d)
  fi
done
`}`;
