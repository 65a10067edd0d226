import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { seconds } from '@windlass/foundation';
import type { HostFleet } from '@windlass/lab';

const run = promisify(execFile);

const OPTIONS = ['StrictHostKeyChecking=no', 'UserKnownHostsFile=/dev/null', 'LogLevel=ERROR'].flatMap((option) => [
  '-o',
  option,
]);

const MEMBERS =
  'crictl exec $(crictl ps -q --name etcd --state Running | head -n 1) etcdctl --cacert=/etc/kubernetes/pki/etcd/ca.crt --cert=/etc/kubernetes/pki/etcd/server.crt --key=/etc/kubernetes/pki/etcd/server.key member list -w simple';

/** A cluster as seen by a person who logs in to its nodes. */
export class ClusterBySsh {
  /** @param address an address of the cluster, such as the masters' virtual address */
  constructor(
    private readonly fleet: HostFleet,
    private readonly address: string,
  ) {}

  /** Runs a command as the sample's user does after `ssh ubuntu@<address>`. Returns the output. */
  async said(command: string): Promise<string> {
    const argv = ['-e', 'ssh', ...OPTIONS, `ubuntu@${this.address}`, command];
    const { stdout } = await run('sshpass', argv, { env: { PATH: process.env.PATH, SSHPASS: 'ubuntu' }, timeout: seconds(60) });
    return stdout.trim();
  }

  /** NAME, STATUS and ROLES of `kubectl get node`. */
  async nodes(): Promise<string[]> {
    const [, ...lines] = (await this.said('kubectl get node')).split('\n');
    return lines.map((line) => line.split(/\s+/).slice(0, 3).join(' ')).sort();
  }

  /** The labels of each node by `kubectl get node --show-labels`, without labels whose values are the node's own. */
  async labels(): Promise<Map<string, string[]>> {
    const [, ...lines] = (await this.said('kubectl get node --show-labels')).split('\n');
    return new Map(
      lines.map((line) => {
        const fields = line.split(/\s+/);
        return [fields[0] ?? '', (fields.at(-1) ?? '').split(',').sort()];
      }),
    );
  }

  /** etcd's members, asked of a master's own member, each with whether it is a learner. */
  async members(master: string): Promise<string[]> {
    const { stdout } = await this.fleet.exec(master, ['bash', '-c', MEMBERS]);
    const fields = stdout.trim().split('\n').map((line) => line.split(', ')); // prettier-ignore
    return fields.map((of) => `${of[2] ?? ''} ${of[5] ?? ''}`).sort();
  }

  /** HAProxy's back ends, as in its configuration. */
  async backends(master: string): Promise<string[]> {
    const { stdout } = await this.fleet.exec(master, ['cat', '/etc/haproxy/haproxy.cfg']);
    return [...new Set(Array.from(stdout.matchAll(/^\s*server (\S+ \S+)/gm), ([, server]) => server ?? ''))].sort();
  }

  /** The lines of a node's /etc/hosts between our marks. */
  async peers(node: string): Promise<string[]> {
    const { stdout } = await this.fleet.exec(node, ['sed', '-n', '/^# windlass: begin$/,/^# windlass: end$/p', '/etc/hosts']);
    return stdout.trim().split('\n').filter((line) => !line.startsWith('#')).sort(); // prettier-ignore
  }
}
