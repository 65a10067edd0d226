import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CRI_UP } from '../testing/apt-node.js';
import { ScriptBench } from '@windlass/driver-kit/testing';
import { INIT_CONTROL_PLANE, JOIN_WORKER, RESET_NODE } from './scripts.js';

/** A node on which an attempt did not end. containerd behaves as 2.1 does: it dies when its folder of networks is removed. */
function halfDone(): ScriptBench {
  const node = new ScriptBench();
  const folder = node.at('etc/cni/net.d');
  return node
    .file('etc/cni/net.d/10-flannel.conflist', '{}')
    .file('var/lib/cni/networks/cbr0/10.244.0.2', '')
    .file('etc/kubernetes/admin.conf', 'admin')
    .file('etc/kubernetes/kubelet.conf', 'kubelet')
    .file('links', 'cni0\nflannel.1\n')
    .file('inode', '')
    .program(
      'kubeadm',
      `if [ "$1" = reset ]; then rm ${node.at('etc/kubernetes')}/*; else touch ${node.at('etc/kubernetes/admin.conf')}; fi`,
    )
    .program('ip', `case $2 in show) grep -qx "$3" ${node.at('links')} ;; delete) sed -i "/^$3$/d" ${node.at('links')} ;; esac`)
    .program('systemctl', `if [ "$1" = restart ]; then stat -c %i ${folder} > ${node.at('watched')}; fi`)
    .program('ctr', `[ -e ${node.at('watched')} ] && [ "$(stat -c %i ${folder})" = "$(cat ${node.at('watched')})" ] && ${CRI_UP}`)
    .program('getent', `echo ubuntu:x:1000:1000::${node.at('home/ubuntu')}:/bin/bash`)
    .program('id', 'echo root')
    .program('install', `mkdir -p ${node.at('home/ubuntu/.kube')}`)
    .program('sleep', '/bin/sleep 0.02');
}

describe('a node that is reset', () => {
  let node: ScriptBench;
  beforeEach(() => {
    node = halfDone();
  });
  afterEach(() => node.remove());

  const isClean = () => {
    expect(node.has('etc/cni/net.d'), 'the folder that containerd watches').toBe(true);
    expect(node.has('etc/cni/net.d/10-flannel.conflist'), 'a network of the attempt before').toBe(false);
    expect(node.has('var/lib/cni'), 'addresses of the attempt before').toBe(false);
    expect(node.read('links')).toBe('');
  };

  it.each([
    ['a control plane', INIT_CONTROL_PLANE, 'kubeadm init --config'],
    ['a worker', JOIN_WORKER, 'kubeadm join --config'],
  ])('keeps containerd’s folder of networks, so that %s made anew gets its network', async (_what, script, next) => {
    expect(await node.run(script, ['/dev/null', 'root'])).toMatchObject({ status: 0, stderr: '' });
    isClean();
    const order = ['kubeadm reset', 'systemctl restart containerd', 'ctr', next].map((call) =>
      node.calls.findIndex((line) => line.startsWith(call)),
    );
    expect(order).toEqual([...order].sort((one, other) => one - other));
    expect(order).not.toContain(-1);
  });

  it('keeps what the kubelet logs in to registries with, though kubeadm empties its folder', async () => {
    const credentials = '{"auths":{"registry.example.com":{"auth":"eA=="}}}';
    node
      .file('var/lib/kubelet/config.json', credentials)
      .file('var/lib/kubelet/config.yaml', 'kind: KubeletConfiguration')
      .program('install', '/usr/bin/install "$@"')
      .program('kubeadm', `if [ "$1" = reset ]; then rm -r ${node.at('etc/kubernetes')}/* ${node.at('var/lib/kubelet')}/*; fi`);
    expect(await node.run(JOIN_WORKER, ['/dev/null'])).toMatchObject({ status: 0, stderr: '' });
    expect(node.read('var/lib/kubelet/config.json')).toBe(credentials);
    expect(node.has('var/lib/kubelet/config.yaml')).toBe(false);
  });

  it('is right where nothing was made: no kubeadm, no containerd, no network', async () => {
    const fresh = new ScriptBench().program('systemctl', 'exit 1').program('ip', 'exit 1');
    try {
      expect(await fresh.run(RESET_NODE, [''])).toMatchObject({ status: 0, stderr: '' });
    } finally {
      fresh.remove();
    }
  });

  it('has a containerd that does not come up again: the same may work later, and where to look is said', async () => {
    node.program('ctr', 'exit 1').program('sleep');
    const end = await node.run(RESET_NODE, ['']);
    expect(end.status).toBe(75);
    expect(end.stderr).toContain('journalctl -u containerd');
  });

  it('waits for the moment in which containerd lists its CRI plugin and does not answer yet', async () => {
    node.program('crictl', `echo x >> ${node.at('asked')}; [ "$(wc -l < ${node.at('asked')})" -ge 3 ]`);
    expect(await node.run(RESET_NODE, [''])).toMatchObject({ status: 0 });
    expect(node.calls.filter((line) => line.startsWith('crictl'))).toHaveLength(3);
  });
});
