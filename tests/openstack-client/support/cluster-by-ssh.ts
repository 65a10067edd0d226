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

/** What a person sees of a cluster who logs in to it, and what its nodes know of each other. */
export class ClusterBySsh {
  /** @param address whatever of it answers, such as the virtual address of its masters */
  constructor(
    private readonly fleet: HostFleet,
    private readonly address: string,
  ) {}

  /** A command as the user of the sample gives it after `ssh ubuntu@<address>`. */
  async said(command: string): Promise<string> {
    const argv = ['-e', 'ssh', ...OPTIONS, `ubuntu@${this.address}`, command];
    const { stdout } = await run('sshpass', argv, { env: { PATH: process.env.PATH, SSHPASS: 'ubuntu' }, timeout: seconds(60) });
    return stdout.trim();
  }

  /** Of `kubectl get node`: NAME, STATUS and ROLES. */
  async nodes(): Promise<string[]> {
    const [, ...lines] = (await this.said('kubectl get node')).split('\n');
    return lines.map((line) => line.split(/\s+/).slice(0, 3).join(' ')).sort();
  }

  /** Of `kubectl get node --show-labels`: each node's labels, without those whose values are its own. */
  async labels(): Promise<Map<string, string[]>> {
    const [, ...lines] = (await this.said('kubectl get node --show-labels')).split('\n');
    return new Map(
      lines.map((line) => {
        const fields = line.split(/\s+/);
        return [fields[0] ?? '', (fields.at(-1) ?? '').split(',').sort()];
      }),
    );
  }

  /** etcd's members by a master's own, each with whether it is a learner. */
  async members(master: string): Promise<string[]> {
    const { stdout } = await this.fleet.exec(master, ['bash', '-c', MEMBERS]);
    const fields = stdout.trim().split('\n').map((line) => line.split(', ')); // prettier-ignore
    return fields.map((of) => `${of[2] ?? ''} ${of[5] ?? ''}`).sort();
  }

  /** HAProxy's back ends, as the file has them that it runs with. */
  async backends(master: string): Promise<string[]> {
    const { stdout } = await this.fleet.exec(master, ['cat', '/etc/haproxy/haproxy.cfg']);
    return [...new Set(Array.from(stdout.matchAll(/^\s*server (\S+ \S+)/gm), ([, server]) => server ?? ''))].sort();
  }

  /** What a node's /etc/hosts has between our marks. */
  async peers(node: string): Promise<string[]> {
    const { stdout } = await this.fleet.exec(node, ['sed', '-n', '/^# windlass: begin$/,/^# windlass: end$/p', '/etc/hosts']);
    return stdout.trim().split('\n').filter((line) => !line.startsWith('#')).sort(); // prettier-ignore
  }
}
