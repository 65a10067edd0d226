import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { minutes } from '@windlass/foundation';
import type { HostFleet } from '@windlass/lab';

const PLAYBOOKS = path.resolve(import.meta.dirname, '../playbooks');
const SERVER = 'ansible-server';

/** The user and password of the document's request. */
export const ANSIBLE_USER = 'ansible';
export const ROOT = '/home/ansible/kubespray';
export const INVENTORIES = '/home/ansible/inventories';

/**
 * A machine of the lab outside its OpenStack, with Debian's Ansible, sshpass, and our playbooks under kubespray's names, which make a
 * cluster with the lab's packages.
 */
export class AnsibleServer {
  private constructor(
    private readonly fleet: HostFleet,
    readonly address: string,
  ) {}

  /** @param ofGroup the operator's group variables in the sample inventory, by kubespray's names, beside the playbooks' own */
  static async start(fleet: HostFleet, ofGroup: Readonly<Record<string, string>> = {}): Promise<AnsibleServer> {
    // The lab's OpenStack gives no address past `lastAddress`.
    const address = fleet.network.lastAddress.replace(/\d+$/, (last) => String(Number(last) + 2));
    const nics = [{ mac: 'fa:16:3e:00:0a:01', address, prefixLength: 24, allowedAddresses: [] }];
    await fleet.boot({ serverId: SERVER, name: 'ansible', imageName: 'debian-12', nics, volumes: [] });
    await fleet.ready(SERVER);
    const server = new AnsibleServer(fleet, address);
    await server.said(
      `apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends ansible-core sshpass
       useradd --create-home --shell /bin/bash ${ANSIBLE_USER} && printf '%s:%s\\n' ${ANSIBLE_USER} ansible | chpasswd
       mkdir ${ROOT} ${INVENTORIES}`,
    );
    const input = execFileSync('tar', ['--create', '--directory', PLAYBOOKS, '.']);
    await fleet.exec(SERVER, ['tar', '--extract', '--no-same-owner', '--directory', ROOT], { input });
    const lines = Object.entries(ofGroup).map(([name, value]) => `${name}: ${value}\n`);
    const site = `${ROOT}/inventory/sample/group_vars/k8s_cluster/site.yml`;
    if (lines.length > 0) await fleet.exec(SERVER, ['tee', site], { input: lines.join('') });
    await server.said(`chown -R ${ANSIBLE_USER}: /home/ansible`);
    return server;
  }

  /** Runs shell text as root. Returns the output of a command that ended with 0. */
  async said(text: string): Promise<string> {
    const { status, stdout, stderr } = await this.fleet.exec(SERVER, ['bash', '-ec', text], { within: minutes(5) });
    if (status !== 0) throw new Error(`${text}: exit status ${String(status)}: ${stdout.slice(-2_000)}${stderr.slice(-2_000)}`);
    return stdout.trim();
  }

  /**
   * The files and processes of the server's user, without Ansible's own folder, and without the jobs' output, which stays for two weeks
   * as on every machine.
   */
  async traces(): Promise<string> {
    const own = ['.ansible', '.local'].map((name) => `-path /home/ansible/${name} -prune -o`).join(' ');
    return this.said(
      `find /home/ansible /tmp /var/tmp ${own} -user ${ANSIBLE_USER} -print | sort; ps -u ${ANSIBLE_USER} -o args= | grep -v '^sshd:' || true`,
    );
  }

  /** The hosts in a VNF instance's inventory. */
  async inventory(vnfInstanceId: string): Promise<string> {
    return this.said(`cat ${INVENTORIES}/windlass-${vnfInstanceId}/hosts.yaml`);
  }
}
