import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { minutes } from '@windlass/foundation';
import type { HostFleet } from '@windlass/lab';

const PLAYBOOKS = path.resolve(import.meta.dirname, '../playbooks');
const SERVER = 'ansible-server';

/** As the document's request names them. */
export const ANSIBLE_USER = 'ansible';
export const ROOT = '/home/ansible/kubespray';
export const INVENTORIES = '/home/ansible/inventories';

/**
 * A machine of the lab that is no VM of its OpenStack: Debian's Ansible with sshpass, and playbooks of ours under kubespray's names, which make a
 * cluster of nodes by the lab's packages.
 */
export class AnsibleServer {
  private constructor(
    private readonly fleet: HostFleet,
    readonly address: string,
  ) {}

  /** @param ofGroup what its operator has in the sample inventory's group variables, by kubespray's names, beside what the playbooks bring */
  static async start(fleet: HostFleet, ofGroup: Readonly<Record<string, string>> = {}): Promise<AnsibleServer> {
    // The lab's OpenStack gives nobody an address past the last.
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

  /** What shell text prints there, as root, where it ends well. */
  async said(text: string): Promise<string> {
    const { status, stdout, stderr } = await this.fleet.exec(SERVER, ['bash', '-ec', text], { within: minutes(5) });
    if (status !== 0) throw new Error(`${text}: exit status ${String(status)}: ${stdout.slice(-2_000)}${stderr.slice(-2_000)}`);
    return stdout.trim();
  }

  /**
   * Every file that its user has, and what runs as that user; without Ansible's own folder, and without what jobs printed, which stays for two weeks
   * as on every machine.
   */
  async traces(): Promise<string> {
    const own = ['.ansible', '.local'].map((name) => `-path /home/ansible/${name} -prune -o`).join(' ');
    return this.said(
      `find /home/ansible /tmp /var/tmp ${own} -user ${ANSIBLE_USER} -print | sort; ps -u ${ANSIBLE_USER} -o args= | grep -v '^sshd:' || true`,
    );
  }

  /** Hosts of the inventory of a VNF instance. */
  async inventory(vnfInstanceId: string): Promise<string> {
    return this.said(`cat ${INVENTORIES}/windlass-${vnfInstanceId}/hosts.yaml`);
  }
}
