import { createHash } from 'node:crypto';
import { FakeHosts, type FakeHostsOptions, type FakeReply } from '@windlass/mgmt-driver/testing';
import { SECURE_REGISTRY } from '../access-scripts.js';
import * as scripts from '../scripts.js';

/** The state of a VM that the scripts change. */
export interface RegistryVm {
  docker: boolean;
  /** The files of the scripts, by path. */
  files: Map<string, string>;
  images: Set<string>;
  /** The container in {@link scripts.CONTAINER_FORMAT}. */
  container: string | undefined;
  /** The address of a registry that runs as a program, without a container. */
  program: string | undefined;
}

type FakeCall = Parameters<Extract<Parameters<FakeHosts['on']>[1], (...args: never[]) => unknown>>[0];

/** Fake VMs on which the scripts work, by their servers' ids. */
export class RegistryVms {
  readonly vms = new Map<string, RegistryVm>();
  readonly hosts: FakeHosts;

  /**
   * @param runsContainers whether a container engine can run on the VMs
   * @param shared other fakes' machines, which answer all commands but a registry's
   */
  constructor(
    options: FakeHostsOptions = {},
    readonly runsContainers = true,
    shared?: FakeHosts,
  ) {
    this.hosts = (shared ?? new FakeHosts(options))
      .on(/command -v cloud-init/, { status: 127 })
      .on(/^docker info/, (call) => ({ status: this.of(call).docker ? 0 : 1 }))
      .on(/^cmp -s - /, (call) => ({ status: this.of(call).files.get(wordsOf(call).at(-1) ?? '') === call.input ? 0 : 1 }))
      .on(/^test ! -e /, (call) => ({ status: this.of(call).files.has(wordsOf(call).at(-1) ?? '') ? 1 : 0 }))
      // The fake keeps the clear users in the place of the users' file.
      .on(/^perl -e /, (call) => ({ status: this.of(call).files.get(scripts.HTPASSWD) === call.input ? 0 : 1 }))
      .on(/^test "\$\(stat -c %a /, (call) => {
        const path = /%a (\S+)\)/.exec(call.command)?.[1] ?? '';
        return { status: this.of(call).files.has(path) ? 0 : 1 };
      })
      .on(/^cat /, (call) => ({ stdout: this.of(call).files.get(scripts.LOADED) ?? '' }))
      .on(/^sha256sum --check/, (call) => ({ status: this.#hasSum(call) ? 0 : 1 }))
      .on(/^docker image inspect/, (call) => ({ status: this.of(call).images.has(wordsOf(call).at(-1) ?? '') ? 0 : 1 }))
      .on(/^docker inspect/, (call) => ({ stdout: `${this.of(call).container ?? ''}\n` }))
      .on(/^systemctl is-active/, (call) => ({ status: this.of(call).program === undefined ? 3 : 0 }))
      .on(/script\.sh/, (call) => this.#script(call));
  }

  vm(resourceId: string): RegistryVm {
    const known = this.vms.get(resourceId);
    if (known !== undefined) return known;
    const made: RegistryVm = { docker: false, files: new Map(), images: new Set(), container: undefined, program: undefined };
    this.vms.set(resourceId, made);
    return made;
  }

  private of({ machine }: FakeCall): RegistryVm {
    return this.vm(machine.resourceId);
  }

  #hasSum(call: FakeCall): boolean {
    const [sum = '', path = ''] = call.input.trim().split('  ');
    return sumOf(call, path) === sum;
  }

  #script(call: FakeCall): FakeReply | undefined {
    const vm = this.of(call);
    const [one = '', two = '', three = ''] = wordsOf(call).slice(2);
    const fileAt = (path: string): string => call.files.get(path) ?? '';
    const text = [...call.files].find(([path]) => path.endsWith('/script.sh'))?.[1];
    switch (text) {
      case SECURE_REGISTRY:
        return {
          effect: () => this.#place(vm, { [scripts.HTPASSWD]: one, [scripts.CERTIFICATE]: two, [scripts.KEY]: three }, fileAt),
        };
      case scripts.INSTALL_ENGINE: {
        const effect = () => {
          vm.docker = this.runsContainers;
          this.#place(vm, { [scripts.APT_PROXY]: one, [scripts.PROXIES]: two, [scripts.DROP_IN]: three }, fileAt);
        };
        return { effect, stdout: this.runsContainers ? 'engine: docker\n' : 'engine: none\nwhy: no cgroups here\n' };
      }
      case scripts.LOAD_IMAGE:
        // docker load fails so on an incomplete archive.
        if (sumOf(call, one) !== two) return { status: 1, stderr: 'unexpected EOF\n' };
        return { effect: () => this.#load(call, two), stdout: 'image: registry:2\n' };
      case scripts.PULL_IMAGE:
        return { effect: () => void vm.images.add(one), stdout: `image: ${one}\n` };
      case scripts.RUN_CONTAINER:
        return { effect: () => void (vm.container = containerOf(one, two, three)) };
      case scripts.RUN_PROGRAM:
        return {
          effect: () => {
            vm.program = one;
            vm.files.set(`/etc/docker/registry/${scripts.NAME}.yml`, fileAt(two));
          },
        };
      case scripts.VERIFY_REGISTRY:
        return (two === 'docker' ? vm.container : vm.program) === undefined ? { status: 1, stderr: 'no answer\n' } : {};
      default:
        return undefined;
    }
  }

  #place(vm: RegistryVm, sources: Record<string, string>, contentOf: (source: string) => string): void {
    for (const [path, source] of Object.entries(sources)) {
      const content = contentOf(source);
      if (content === '') vm.files.delete(path);
      else vm.files.set(path, content);
    }
  }

  #load(call: FakeCall, sum: string): void {
    const vm = this.of(call);
    vm.images.add('registry:2');
    vm.files.set(scripts.LOADED, `${sum} registry:2\n`);
    call.machine.files.delete(`${scripts.OWN}/image.tar`);
  }
}

/** The container as Docker shows it, published at `10.0.0.5:5000:5000`, or without an address. */
function containerOf(publish: string, image: string, access: string): string {
  const [, address = '', port = ''] = /^(?:(.*):)?(\d+):5000$/.exec(publish) ?? [];
  return `true always ${address} ${port} ${access} ${image}`;
}

const wordsOf = ({ command }: FakeCall): string[] => command.split(' ').map((word) => word.replaceAll("'", ''));

const sumOf = ({ machine }: FakeCall, path: string): string =>
  createHash('sha256')
    .update(machine.files.get(path)?.content ?? '')
    .digest('hex');
