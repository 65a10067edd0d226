import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MemoryHostKeys, RemoteHosts } from '@windlass/remote-host';
import { TestSshd, TestUser } from '@windlass/remote-host/testing';
import type { Command, Host, Hosts, RunResult } from '@windlass/mgmt-driver';
import { seconds, type JsonObject } from '@windlass/foundation';
import { rawNode } from '../../testing/raw-objects.js';
import { ansibleCore, type AnsibleCore } from './ansible-core.js';
import { PARAMS, plainParams } from './requests.js';

/** Our small playbooks under kubespray's names, which mark nodes. */
const PLAYBOOKS = fileURLToPath(new URL('./playbooks', import.meta.url));

const NODE = { runtime: 'containerd://1.7.24', version: 'v1.34.1' };

/**
 * An Ansible server and its nodes, all on this machine behind a real sshd; nodes are told apart by their names. Needs root, Debian's
 * openssh-server, ansible-core and sshpass.
 */
export class RealServer {
  readonly folder = mkdtempSync(join(tmpdir(), 'windlass-ansible-'));
  readonly root = join(this.folder, 'kubespray');
  readonly inventories = join(this.folder, 'inventories');
  /** The folder in which playbooks mark nodes, a file each. */
  readonly marks = join(this.folder, 'marks');
  readonly user = new TestUser('no', '/bin/bash');
  /** The login user of the nodes. */
  readonly nodeUser = new TestUser('password', '/bin/bash');
  /** The nodes' password, which Ansible would read as a template unless it is marked. */
  readonly nodePassword = `{{ 6 * 7 }} ${this.nodeUser.password.reveal()}`;
  readonly #hosts = new RemoteHosts({ hostKeys: new MemoryHostKeys(), patience: seconds(2), stopGrace: seconds(1) });

  private constructor(
    readonly sshd: TestSshd,
    core?: AnsibleCore,
  ) {
    execFileSync('chpasswd', { input: `${this.nodeUser.name}:${this.nodePassword}\n`, stdio: 'pipe' });
    chmodSync(this.folder, 0o755);
    cpSync(PLAYBOOKS, this.root, { recursive: true });
    const vars = join(this.root, 'inventory/sample/group_vars/all');
    mkdirSync(vars, { recursive: true });
    mkdirSync(this.inventories);
    mkdirSync(this.marks);
    chmodSync(this.inventories, 0o777);
    // An ansible-core of PyPI finds the nodes' Python by itself.
    const python = core === undefined ? 'ansible_python_interpreter: /usr/bin/python3' : `ansible_core: '${core}'`;
    writeFileSync(join(vars, 'all.yml'), `ansible_port: ${sshd.port}\nmarks: ${this.marks}\n${python}\n`);
  }

  /** @param core an ansible-core of PyPI in a virtual environment beside kubespray's folder; Debian's unless given */
  static async start(core?: AnsibleCore): Promise<RealServer> {
    const server = new RealServer(await TestSshd.start('PasswordAuthentication yes'), core);
    if (core === undefined) return server;
    try {
      await ansibleCore(core, join(server.folder, 'kubespray-venv'));
      return server;
    } catch (error) {
      await server.stop();
      throw error;
    }
  }

  /** Hosts that reach this machine's sshd, for every target. */
  get hosts(): Hosts {
    const here = (target: Parameters<Hosts['host']>[0]) => ({ ...target, address: '127.0.0.1', port: this.sshd.port });
    return {
      host: (target, run) => this.#withKubectl(this.#hosts.host(here(target), run)),
      endJobs: (target, step) => this.#hosts.endJobs(here(target), step),
    };
  }

  /** A host whose kubectl lists the marked nodes: there is no cluster. */
  #withKubectl(host: Host): Host {
    const answer = (text: string): RunResult => {
      const items = this.marked().map((name) =>
        rawNode(name, { ready: true, address: name.split('-').slice(1).join('.'), labels: {} }, NODE),
      );
      return {
        status: 0,
        signal: undefined,
        truncated: false,
        stdout: text.includes('get nodes') ? JSON.stringify({ items }) : 'ok',
        stderr: '',
      };
    };
    return new Proxy(host, {
      get: (of, name) => {
        if (name === 'run')
          return (command: Command, options: Parameters<Host['run']>[1]) =>
            command.text.startsWith('kubectl ') ? Promise.resolve(answer(command.text)) : of.run(command, options);
        const member: unknown = Reflect.get(of, name, of);
        return typeof member === 'function' ? (member.bind(of) as unknown) : member;
      },
    });
  }

  /** The parameters of a request for this server. */
  params(more: JsonObject = {}): JsonObject {
    const params = plainParams();
    const cluster = params[PARAMS] as Record<string, JsonObject>;
    Object.assign(cluster.ansible!, {
      username: this.user.name,
      password: this.user.password.reveal(),
      kubespray_root_path: this.root,
      transferring_inventory_path: this.inventories,
      ...more,
    });
    for (const nodes of [cluster.master_node!, cluster.worker_node!])
      Object.assign(nodes, { username: this.nodeUser.name, password: this.nodePassword });
    return params;
  }

  /** Sets a variable of the playbooks; the empty text removes it. */
  set(name: string, value: string): void {
    mkdirSync(join(this.root, 'group_vars/all'), { recursive: true });
    writeFileSync(join(this.root, 'group_vars/all/told.yml'), value === '' ? '{}\n' : `${name}: ${JSON.stringify(value)}\n`);
  }

  /** Makes a folder that is not the driver's. */
  foreign(folder: string): void {
    mkdirSync(folder);
    writeFileSync(join(folder, 'precious'), '');
  }

  /** The nodes that a playbook has marked. */
  marked(): string[] {
    return readdirSync(this.marks).sort();
  }

  mark(name: string): string {
    return readFileSync(join(this.marks, name), 'utf8');
  }

  /** The processes of Ansible under the server's user. */
  playing(): number[] {
    const uid = Number(execFileSync('id', ['-u', this.user.name], { encoding: 'utf8' }));
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .filter((pid) => {
        try {
          return (
            statSync(`/proc/${pid}`).uid === uid && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('ansible-playbook')
          );
        } catch {
          // The process has ended meanwhile.
          return false;
        }
      })
      .map(Number);
  }

  async stop(): Promise<void> {
    this.#hosts.close();
    await this.sshd.stop();
    this.user.remove();
    this.nodeUser.remove();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
