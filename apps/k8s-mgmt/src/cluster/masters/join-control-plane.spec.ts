import { seconds } from '@windlass/foundation';
import { FakeHosts, type FakeCall, type FakeReply } from '@windlass/mgmt-driver/testing';
import type { StepRun } from '@windlass/saga';
import { describe, expect, it } from 'vitest';
import { FakeEtcd } from '../../testing/fake-etcd.js';
import { vnfc } from '../../testing/requests.js';
import type { NodeInput } from '../node-input.js';
import type { JoinControlPlaneInput } from './control-plane-context.js';
import { ControlPlaneContext } from './control-plane-context.js';
import { joinControlPlane } from './join-control-plane.action.js';

const address = (n: number): string => `10.10.0.${n}`;
const master = (n: number): NodeInput => ({
  name: `master${n}`,
  vnfc: vnfc('master', n, address(n)),
  sshCp: 'masterNode_CP1',
  role: 'master',
  address: address(n),
  username: 'ubuntu',
  password: 'p',
});
const idOf = (n: number): string => master(n).vnfc.resourceId;

const JSON_OF: Record<string, object> = {
  'configmap kubeadm-config': { data: { ClusterConfiguration: 'kind: ClusterConfiguration\nkubernetesVersion: v1.34.1\n' } },
  'secret kubeadm-certs': { metadata: { ownerReferences: [{ kind: 'Secret', name: 'bootstrap-token-owner1' }] } },
};

/** Two masters with etcd, and a third that is to join. What kubectl and kubeadm do is short here: tests/control-plane has the real ones. */
function world() {
  const hosts = new FakeHosts();
  const etcd = new FakeEtcd(hosts);
  etcd.add(idOf(1), address(1));
  etcd.add(idOf(2), address(2));
  const seen = {
    uploads: [] as string[],
    joins: [] as string[],
    applied: [] as string[],
    deleted: [] as string[],
    lines: [] as string[],
  };
  const fails = { api: new Set<string>(), joins: 0 };
  const kubectl = ({ machine, command, input }: FakeCall): FakeReply => {
    if (command.includes('--raw /readyz')) return fails.api.has(machine.resourceId) ? { status: 1, stderr: 'refused' } : {};
    const asked = /get (\w+ [\w-]+) -o json/.exec(command.replaceAll("'", ''))?.[1];
    const ours = seen.applied.filter((text) => text.includes('windlass-certificates-before')).length;
    const forgotten = seen.deleted.filter((text) => text.includes('windlass-certificates-before')).length;
    if (asked === 'secret windlass-certificates-before' && ours > forgotten) return { stdout: '{"metadata":{}}' };
    if (asked === 'secret kubeadm-certs' && seen.uploads.length === 0) return { status: 1, stderr: 'NotFound' };
    if (asked !== undefined && JSON_OF[asked] !== undefined) return { stdout: JSON.stringify(JSON_OF[asked]) };
    if (command.includes('get nodes')) return { stdout: '{"items":[]}' };
    if (command.includes('get secrets ')) return { stdout: '' };
    if (command.includes('apply')) return { effect: () => void seen.applied.push(input) };
    if (command.includes('delete'))
      return { effect: () => void seen.deleted.push(`${command.replace(/^.*delete/, '')} ${input}`) };
    return { status: 1, stderr: 'NotFound' };
  };
  const content = ({ files }: FakeCall, name: string): string =>
    [...files].find(([path]) => path.endsWith(`/${name}`))?.[1] ?? '';
  hosts
    .on(/^kubectl /, kubectl)
    .on(/^date -u/, { stdout: '1700000000\n' })
    .on(/openssl x509/, { stdout: `${'ab'.repeat(32)}\n` })
    .on(/^kubeadm init phase upload-certs/, (call) => ({ effect: () => void seen.uploads.push(content(call, 'upload.yaml')) }))
    .on(/join\.yaml/, (call) => {
      seen.joins.push(content(call, 'join.yaml'));
      return fails.joins-- > 0 ? { status: 1, stderr: 'it was not to be\n' } : { stdout: 'This node has joined\n' };
    });
  let epoch = 0;
  const context = () => {
    const run: StepRun<JoinControlPlaneInput> = {
      operationId: 'operation',
      stepId: 'join-control-plane:master3',
      epoch: ++epoch,
      attempt: 1,
      attemptEpoch: epoch,
      resumed: false,
      phase: 'do',
      target: null,
      tenant: 'demo',
      input: {
        instance: 'vnf',
        cluster: {
          address: address(1),
          publicAddress: null,
          podCidr: '10.244.0.0/16',
          serviceCidr: '10.96.0.0/12',
          nodes: [],
          noProxy: '',
        },
        node: master(3),
        masters: [master(1), master(2), master(3)],
      },
      signal: new AbortController().signal,
      assertLease: () => undefined,
      leaseLeft: () => seconds(30),
      onlyWaits: () => undefined,
      progress: (line) => void seen.lines.push(line),
    };
    return new ControlPlaneContext(run, hosts);
  };
  return { hosts, etcd, seen, fails, join: () => joinControlPlane.apply(context()) };
}

const keyOf = (text: string): string => /certificateKey: "?([0-9a-f]{64})\b/.exec(text)?.[1] ?? 'none';
const tokenOf = (text: string): string => /token: ([a-z0-9]{6}\.[a-z0-9]{16})/.exec(text)?.[1] ?? 'none';

describe('a further master that joins', () => {
  it('is told by a file the key with which a living master has sealed the certificates, and no command line has it', async () => {
    const { hosts, seen, join } = world();
    await join();
    const [upload = ''] = seen.uploads;
    const [joined = ''] = seen.joins;
    expect(keyOf(joined)).toMatch(/^[0-9a-f]{64}$/);
    expect(keyOf(joined)).toBe(keyOf(upload));
    // kubeadm reads nothing of the cluster in this phase, and would ask the internet for the version.
    expect(upload).toContain('kubernetesVersion: v1.34.1');
    expect(joined).toContain(`advertiseAddress: ${address(3)}`);
    const shown = [
      ...hosts.processes.map(({ command, job }) => `${command} ${job}`),
      ...hosts.looks.map(({ command }) => command),
    ];
    for (const secret of [keyOf(joined), tokenOf(joined)])
      expect([...shown, ...seen.lines].filter((line) => line.includes(secret))).toEqual([]);
  });

  it('has token and certificates taken back when it has joined, with the token that would have ended them', async () => {
    const { seen, join } = world();
    await join();
    const deleted = seen.deleted.join('\n');
    expect(deleted).toContain(`bootstrap-token-${tokenOf(seen.joins[0]!).split('.')[0]!}`);
    expect(deleted).toContain('"name":"kubeadm-certs"');
    expect(deleted).toContain('"name":"bootstrap-token-owner1"');
  });

  it('has them taken back as well when kubeadm fails, and the next attempt has a key of its own', async () => {
    const { seen, fails, join } = world();
    fails.joins = 1;
    await expect(join()).rejects.toMatchObject({ name: 'TransientError', code: 'node.join-failed' });
    expect(seen.deleted.join('\n')).toContain('kubeadm-certs');
    await join();
    expect(new Set(seen.uploads.map(keyOf)).size).toBe(2);
    expect(keyOf(seen.joins[1]!)).toBe(keyOf(seen.uploads[1]!));
  });

  it('joins through whichever master’s own API answers', async () => {
    const { hosts, fails, join } = world();
    fails.api.add(idOf(1));
    await join();
    const uploads = hosts.processes.filter(({ job }) => job.startsWith('upload-certificates'));
    expect(uploads.map(({ resourceId }) => resourceId)).toEqual([idOf(2)]);
  });

  it('has a member of an attempt that died taken out first, through the others', async () => {
    const { etcd, hosts, join } = world();
    etcd.add(idOf(3), address(3), { voting: false, runs: false, announcedOnly: true });
    await join();
    expect(etcd.members.map((member) => member.address)).toEqual([address(1), address(2)]);
    const order = hosts.processes.map(({ job }) => job.replace(/-[0-9a-f]{8,}$/, ''));
    expect(order.indexOf('remove-etcd-member')).toBeLessThan(order.indexOf('kubeadm-join'));
  });
});
