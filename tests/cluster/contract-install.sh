#!/bin/bash
# A script of the contract that packages of the reference system have (docs/guides/kubernetes-simple.md), of one master and of several: for tests.
set -euo pipefail

masters='' cluster_ip='' pods='' services='' worker='' token='' hash='' key=''
said="$*"
while getopts 'm:i:p:a:w:t:s:k:' option; do
  case $option in
    m) masters=$OPTARG ;;
    i) cluster_ip=$OPTARG ;;
    p) pods=$OPTARG ;;
    a) services=$OPTARG ;;
    w) worker=$OPTARG ;;
    t) token=$OPTARG ;;
    s) hash=$OPTARG ;;
    k) key=$OPTARG ;;
    *) exit 64 ;;
  esac
done
IFS=, read -r -a every_master <<< "$masters"

own_address() { ip -o -4 addr show scope global | awk '{ split($4, of, "/"); print of[1]; exit }'; }
own=${worker:-$(own_address)}
if [ -n "$worker" ]; then name=worker${own##*.}; else name=master${own##*.}; fi

# For the test: what it was told, without what lets anybody in.
printf '%s\n' "${said%% -t *}" | sudo tee /var/log/install-arguments > /dev/null

echo "$name" | sudo tee /etc/hostname
sudo hostname "$name"
sudo modprobe overlay
sudo modprobe br_netfilter
sudo sysctl -q -w net.ipv4.ip_forward=1
sudo apt-get -q update
sudo apt-get -q -y install containerd kubelet kubeadm kubectl
sudo mkdir -p /etc/containerd
containerd config default | sed 's/SystemdCgroup = false/SystemdCgroup = true/' | sudo tee /etc/containerd/config.toml > /dev/null
sudo systemctl restart containerd

# The load balancer, before there is an API server. The first of -m is the first to have the address.
balance() {
  local each position priority=103 link
  link=$(ip -o -4 addr show to "$own" | awk '{ print $2; exit }')
  for position in "${!every_master[@]}"; do
    if [ "${every_master[$position]}" = "$own" ]; then priority=$((103 - position)); fi
  done
  sudo apt-get -q -y install haproxy keepalived psmisc
  {
    printf 'global\n    maxconn 2000\n\ndefaults\n    mode tcp\n    timeout connect 3s\n    timeout client 1h\n    timeout server 1h\n\n'
    printf 'frontend api\n    bind *:16443\n    default_backend masters\n\nbackend masters\n    balance roundrobin\n'
    for each in "${every_master[@]}"; do
      printf '    server master%s %s:6443 check\n' "${each##*.}" "$each"
    done
  } | sudo tee /etc/haproxy/haproxy.cfg > /dev/null
  sudo tee /etc/keepalived/keepalived.conf > /dev/null << END
global_defs {
    enable_script_security
    script_user root
}
vrrp_script balances {
    script "/usr/bin/killall -0 haproxy"
    interval 3
    fall 3
}
vrrp_instance VRRP1 {
    state MASTER
    interface $link
    virtual_router_id 51
    priority $priority
    advert_int 1
    virtual_ipaddress {
        $cluster_ip/24
    }
    track_script {
        balances
    }
}
END
  sudo systemctl restart haproxy keepalived
}

# A network add-on of the package's own; here just the configuration that one would leave.
add_on() {
  sudo mkdir -p /etc/cni/net.d
  echo '{"cniVersion":"0.3.1","name":"test","plugins":[{"type":"bridge"}]}' | sudo tee /etc/cni/net.d/10-test.conflist > /dev/null
}

kubeconfig() {
  mkdir -p "$HOME/.kube"
  sudo cp /etc/kubernetes/admin.conf "$HOME/.kube/config"
  sudo chown "$(id -u):$(id -g)" "$HOME/.kube/config"
}

port=16443
if [ "${ha_flag:-True}" = False ] || [ ${#every_master[@]} = 1 ]; then port=6443; fi
if [ ${#every_master[@]} -gt 1 ]; then balance; fi
add_on
if [ -n "$worker" ]; then
  sudo kubeadm join "$cluster_ip:$port" --token "$token" --discovery-token-ca-cert-hash "sha256:$hash"
elif [ -n "$key" ]; then
  sudo kubeadm join "$cluster_ip:$port" --token "$token" --discovery-token-ca-cert-hash "sha256:$hash" --control-plane --certificate-key "$key"
  kubeconfig
else
  # The address comes to this one when its keepalived has seen that nobody else has it.
  for _ in $(seq 60); do if ip -o -4 addr show | grep -q " $cluster_ip/"; then break; fi; sleep 0.5; done
  sudo kubeadm init --pod-network-cidr "$pods" --service-cidr "$services" --control-plane-endpoint "$cluster_ip:$port" --upload-certs
  kubeconfig
  echo "token:$(sudo kubeadm token create)"
  echo "server:https://$cluster_ip:$port"
  sudo cat /etc/kubernetes/pki/ca.crt
  echo "ssl_ca_cert_hash:$(sudo openssl x509 -pubkey -noout -in /etc/kubernetes/pki/ca.crt | openssl pkey -pubin -outform der | openssl dgst -sha256 -r | cut -d ' ' -f 1)"
fi
