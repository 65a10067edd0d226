#!/bin/bash
# A script of the contract that packages of the reference system have (docs/guides/kubernetes-simple.md): for tests.
set -euo pipefail

masters='' cluster_ip='' pods='' services='' worker='' token='' hash=''
while getopts 'm:i:p:a:w:t:s:k:' option; do
  case $option in
    m) masters=$OPTARG ;;
    i) cluster_ip=$OPTARG ;;
    p) pods=$OPTARG ;;
    a) services=$OPTARG ;;
    w) worker=$OPTARG ;;
    t) token=$OPTARG ;;
    s) hash=$OPTARG ;;
    *) exit 64 ;;
  esac
done

if [ -n "$masters" ]; then
  name=master${masters##*.}
else
  name=worker${worker##*.}
fi
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

if [ -n "$masters" ]; then
  sudo kubeadm init --pod-network-cidr "$pods" --service-cidr "$services" --control-plane-endpoint "$cluster_ip:6443" --upload-certs
  mkdir -p "$HOME/.kube"
  sudo cp /etc/kubernetes/admin.conf "$HOME/.kube/config"
  sudo chown "$(id -u):$(id -g)" "$HOME/.kube/config"
  # A network add-on of the package's own; here just the configuration that one would leave.
  sudo mkdir -p /etc/cni/net.d
  echo '{"cniVersion":"0.3.1","name":"test","plugins":[{"type":"bridge"}]}' | sudo tee /etc/cni/net.d/10-test.conflist > /dev/null
  echo "token:$(sudo kubeadm token create)"
  echo "server:https://$cluster_ip:6443"
  sudo cat /etc/kubernetes/pki/ca.crt
  echo "ssl_ca_cert_hash:$(sudo openssl x509 -pubkey -noout -in /etc/kubernetes/pki/ca.crt | openssl pkey -pubin -outform der | openssl dgst -sha256 -r | cut -d ' ' -f 1)"
else
  [ "${ha_flag:-True}" = False ]
  sudo mkdir -p /etc/cni/net.d
  echo '{"cniVersion":"0.3.1","name":"test","plugins":[{"type":"bridge"}]}' | sudo tee /etc/cni/net.d/10-test.conflist > /dev/null
  sudo kubeadm join "$cluster_ip:6443" --token "$token" --discovery-token-ca-cert-hash "sha256:$hash"
fi
