import { createHash } from 'node:crypto';
import { kubernetesSkeleton, sha256, zipOf } from '@windlass/vnf-package/testing';

/** Its way of failing is that of scripts whose repository is gone: each command fails, and the last one ends with 0. */
const SCRIPT = `#!/bin/bash
# Installs a node; -m masters, -w worker.
install_packages() {
  curl -fsSL https://packages.cloud.google.com/apt/doc/apt-key.gpg | sudo apt-key add -
  echo 'deb https://apt.kubernetes.io/ kubernetes-xenial main' | sudo tee /etc/apt/sources.list.d/kubernetes.list
  sudo apt-get update
  sudo apt-get install -y kubelet kubeadm kubectl
}
if ! install_packages; then
  echo 'installation failed'
  exit 0
fi
sudo kubeadm init
`;

const IMAGE = Buffer.alloc(300_000, 'an image of the user ');
const IMAGE_PATH = 'Files/images/ubuntu-20.04-server-cloudimg-amd64.img';
const DECLARED = /fb1a1e50[0-9a-f]{120}/g;

/**
 * A zip in the shape of the packages that users have: declares images of 2 GB under names of its own and carries some that are smaller, and an
 * install script that can't work any more and ends with 0.
 */
export function packageAsUsersHaveIt(): Buffer {
  const files = kubernetesSkeleton({ 'Scripts/install_k8s_cluster.sh': SCRIPT, [IMAGE_PATH]: IMAGE });
  const [was, is] = [sha256(String(kubernetesSkeleton()['Scripts/install_k8s_cluster.sh'])), sha256(SCRIPT)];
  const hash = createHash('sha512').update(IMAGE).digest('hex');
  for (const [name, content] of Object.entries(files))
    if (typeof content === 'string') files[name] = content.replace(was, is).replace(DECLARED, hash);
  return zipOf(files);
}
