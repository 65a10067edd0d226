import type { FakeCall, FakeMachine, FakeReply } from '@windlass/mgmt-driver/testing';
import type { FakeCluster } from '../../testing/fake-cluster.js';
import { LOOK_AT_SERVER, PREPARE_FOLDER, REMOVE_FOLDER } from '../server-scripts.js';
import { readByAnsible } from './read-by-ansible.js';
import { ROOT, SERVER_ID } from './requests.js';

interface Host {
  ip: string;
  ansible_host: string;
  /** The arguments that name the VM. */
  ansible_ssh_common_args: string;
}

/** A run of Ansible on the server. */
export interface AnsibleRun {
  program: string;
  playbook: string;
  words: string[];
  env: Readonly<Record<string, string>>;
  /** The names of the inventory's hosts. */
  hosts: string[];
  logins: string;
}

/** An Ansible server with kubespray, whose playbooks change a {@link FakeCluster} as kubespray's do. Written from kubespray's documentation, not from the actions. */
export class FakeAnsible {
  programs = ['ansible-playbook', 'ansible', 'sshpass'];
  release: string | undefined = '2.26.1';
  groups = ['all', 'kube_control_plane', 'etcd', 'kube_node', 'calico_rr', 'k8s_cluster'];
  playbooks = new Set(['cluster.yml', 'scale.yml', 'remove-node.yml', 'facts.yml']);
  /** The inventory names of nodes that the server does not reach. */
  readonly away = new Set<string>();
  /** The reply of a playbook in the place of its work, by the playbook's name. */
  readonly instead = new Map<string, FakeReply>();
  readonly runs: AnsibleRun[] = [];
  /** The status where a node is not reached, which ends kubespray's playbooks for all nodes: 2 in ansible-core 2.14, 4 in 2.17. */
  unreachableStatus = 4;
  /** The addresses whose kubelet has joined, without those that were reset. */
  readonly made = new Set<string>();

  /** @param serverId the machine's id: `<VNF instance>:<address>` */
  constructor(
    private readonly world: FakeCluster,
    private readonly serverId = SERVER_ID,
  ) {
    world.hosts
      .on(/^\/bin\/bash -s \S*kubespray/, (call) => this.#look(call))
      .on(/^\/bin\/bash -s '?\d+\.\d+\.\d+\.\d+'?$/, { stdout: '1450\n' })
      .on(/script\.sh/, (call) => this.script(call))
      .on(/run\.sh/, (call) => this.#run(call));
  }

  get machine(): FakeMachine {
    return this.world.hosts.machine(this.serverId);
  }

  /** The text of a file on the server. */
  file(path: string): string | undefined {
    return this.machine.files.get(path)?.content.toString();
  }

  #look({ input, command }: FakeCall): FakeReply {
    if (input !== LOOK_AT_SERVER) return { status: 127 };
    if (!command.includes(ROOT)) return { stdout: `${this.#programs}noroot\n` };
    const [, ...lines] = [...command.matchAll(/'([^']*)'/g)]
      .map(([, line = '']) => line)
      .reduce<string[]>((all, line) => [...all, line], ['']);
    const found = lines.flatMap((line) => {
      const [kind = '', ...paths] = line.split(' ');
      const path = paths.find((each) => this.playbooks.has(each));
      return path === undefined ? [] : [`playbook ${kind} ${path}\n`];
    });
    const release = this.release === undefined ? '' : `release ${this.release}\n`;
    return { stdout: `${this.#programs}${found.join('')}${release}${this.groups.map((group) => `group ${group}\n`).join('')}` };
  }

  get #programs(): string {
    return this.programs.map((program) => `program ${program}\n`).join('');
  }

  /** Answers a script of the driver on the server. */
  script({ machine, command, files }: FakeCall): FakeReply {
    const content = (name: string): string => [...files].find(([path]) => path.endsWith(`/${name}`))?.[1] ?? '';
    const words = command.replaceAll("'", '').split(' ');
    const [folder = '', second = '', instance = '', group = ''] = words.slice(2);
    const put = (path: string, text: string): void =>
      void machine.files.set(path, { content: Buffer.from(text), mode: 0o600, owner: 'ansible' });
    const text = content('script.sh');
    if (text === REMOVE_FOLDER)
      return {
        effect: () => {
          if (this.file(`${folder}/.windlass`) === undefined) return;
          for (const path of [...machine.files.keys()]) if (path.startsWith(`${folder}/`)) machine.files.delete(path);
        },
      };
    if (text !== PREPARE_FOLDER || second !== ROOT) return { status: 127, stderr: 'no such script' };
    return {
      effect: () => {
        put(`${folder}/.windlass`, instance);
        put(`${folder}/group_vars/${group}/zz-windlass.yml`, content('variables.yml'));
      },
    };
  }

  /** Runs a playbook on the reached nodes: those in the inventory, with a login, and not away. */
  #run({ machine, command, files, env }: FakeCall): FakeReply {
    const words = command.replaceAll("'", '').split(' ').slice(2);
    const [, program = '', ...rest] = words;
    const inventories = rest.flatMap((word, at) => (rest[at - 1] === '-i' ? [word] : []));
    const own = machine.files.get(inventories[0] ?? '')?.content.toString() ?? '';
    const logins = files.get(inventories[1] ?? '') ?? '';
    const { all } = (readByAnsible(own) ?? { all: { hosts: {}, children: {} } }) as {
      all: { hosts: Record<string, Host>; children: Groups };
    };
    const playbook = program === 'ansible' ? 'ansible' : (rest.at(-1) ?? '');
    this.runs.push({ program, playbook, words: rest, env, hosts: Object.keys(all.hosts), logins });
    const extra = JSON.parse(rest.find((word) => word.startsWith('{')) ?? '{}') as Record<string, unknown>;
    const limit = /--limit=(\S+)/.exec(command)?.[1]?.split(',');
    const wanted = program === 'ansible' ? (rest[4] ?? '').split(',') : (extra.node as string | undefined)?.split(',');
    const named = Object.keys(all.hosts).filter((name) => limit?.includes(name) ?? true);
    const about = wanted === undefined || playbook === 'facts.yml' ? named : named.filter((name) => wanted.includes(name));
    const skipped = extra.reset_nodes === false;
    // Playbooks gather the facts of all nodes first, also remove-node.yml, unless it resets no nodes.
    const touched = program === 'ansible' ? about : named;
    const missed = skipped
      ? []
      : touched.filter((name) => this.away.has(name) || !logins.includes(`"${name}": !unsafe {ansible`));
    const instead = this.instead.get(playbook);
    if (instead !== undefined) return instead;
    if (wanted?.some((name) => all.hosts[name] === undefined) === true)
      return { status: 1, stderr: 'ERROR! Specified hosts and/or --limit does not match any hosts\n' };
    const failed = missed.map((host) => ({ host, task: 'Gather facts', status: 'unreachable', message: 'no route to host' }));
    const stdout = `${JSON.stringify({ event: 'task', task: `${playbook} works` })}\n${JSON.stringify({ event: 'end', failed, more: 0 })}\n`;
    const reached = missed.length === 0 ? about : [];
    return {
      status: missed.length === 0 ? 0 : this.unreachableStatus,
      stdout,
      effect: () => this.#effect(playbook, reached, all),
    };
  }

  #effect(
    playbook: string,
    names: readonly string[],
    { hosts, children }: { hosts: Record<string, Host>; children: Groups },
  ): void {
    const masters = Object.keys(children.kube_control_plane?.hosts ?? {});
    for (const name of names) {
      const { ip: address, ansible_ssh_common_args: alias } = hosts[name]!;
      if (playbook === 'cluster.yml' && masters[0] === name && this.world.api === undefined)
        this.world.begin(alias.replace(/.*HostKeyAlias=/, ''), name, address);
      if (playbook === 'cluster.yml' || playbook === 'scale.yml') this.world.listed.set(name, { ready: true, address });
      if (playbook === 'remove-node.yml') this.world.listed.delete(name);
    }
  }
}

type Groups = Record<string, { hosts?: Record<string, unknown> }>;
