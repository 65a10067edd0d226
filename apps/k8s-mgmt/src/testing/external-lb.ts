import { API_PORT, type MachineInput, type MasterInput } from '@windlass/driver-kit';
import { FakeVims, hookContextOf, INSTANCE, packagesOf, PlanRunner, type CrashPoints } from '@windlass/driver-kit/testing';
import type { JsonObject } from '@windlass/foundation';
import { FakeHosts, type FakeCall, type FakeReply } from '@windlass/mgmt-driver/testing';
import { sequence, stepOf, type Plan } from '@windlass/saga';
import type { Route, Routes } from '../external-lb/external-lb-input.js';
import { installExternalLb } from '../external-lb/install-external-lb.action.js';
import { noteExposedPorts } from '../external-lb/note-exposed-ports.action.js';
import { restoreNodePorts } from '../external-lb/restore-node-ports.action.js';
import { routeExternalLb } from '../external-lb/route-external-lb.action.js';
import { runExternalLbScript } from '../external-lb/run-external-lb-script.action.js';
import * as scripts from '../external-lb/scripts.js';
import { verifyExternalLb } from '../external-lb/verify-external-lb.action.js';
import { allActions } from './all-actions.js';
import { vnfc } from './requests.js';

const route = (role: 'master' | 'worker', last: number): Route => ({
  name: `${role}${last}`,
  address: `10.10.0.${last}`,
});

/** The routes to one master and two workers. */
export const ROUTES: Routes = {
  masters: [route('master', 24)],
  workers: [route('worker', 31), route('worker', 32)],
};

/** The routes after a scale out. */
export const MORE: Route[] = [...ROUTES.masters, ...ROUTES.workers, route('worker', 33)];

export const BALANCER: MachineInput = {
  name: 'externalLB',
  vnfc: {
    ...vnfc('master', 9, '10.10.0.9'),
    id: 'externalLB-1',
    name: 'externalLB',
    vduId: 'externalLB',
    resourceId: 'server-externalLB-1',
    cps: [
      { cpdId: 'externalLB_CP1', resourceId: 'port-1', mac: null, addresses: ['203.0.113.9'], floatingIp: null },
      { cpdId: 'externalLB_CP2', resourceId: 'port-2', mac: null, addresses: ['10.10.0.9'], floatingIp: null },
    ],
  },
  sshCp: 'externalLB_CP1',
  username: 'ubuntu',
  password: 'secret-of-the-balancer',
};

export const MASTER: MasterInput = {
  name: '10.10.0.24',
  address: '10.10.0.24',
  vnfc: vnfc('master', 1, '10.10.0.24'),
  sshCp: 'masterNode_CP1',
  username: 'ubuntu',
};

/** The Services of a cluster: one is internal, one has a UDP port. */
export const SERVICES = {
  items: [
    { metadata: { namespace: 'default', name: 'kubernetes' }, spec: { type: 'ClusterIP', ports: [{ port: 443 }] } },
    {
      metadata: { namespace: 'default', name: 'web' },
      spec: { type: 'NodePort', ports: [{ nodePort: 30_080, protocol: 'TCP' }, { nodePort: 30_443 }] },
    },
    {
      metadata: { namespace: 'voice', name: 'sip' },
      spec: { type: 'NodePort', ports: [{ nodePort: 30_060, protocol: 'UDP' }] },
    },
  ],
};

/** The frontend before the machine's replacement: one of the two ports of a Service. */
export const WEB = { name: 'default_web', ports: [30_080] };

export const SCRIPT = { vnfPkgId: 'pkg', path: 'Scripts/ExternalLB_installation.sh', size: 12, sha256: '0'.repeat(64) };

/** HAProxy's configuration on a machine. */
interface Configured {
  /** The text of the file; undefined without the file. */
  file?: string | undefined;
  /** The text with which HAProxy runs. */
  read?: string | undefined;
}

/** Machines in memory on which the balancer's scripts work, and a master beside them. */
export class FakeExternalLb {
  readonly hosts: FakeHosts;
  /** HAProxy's configuration, by the machine. */
  readonly configured = new Map<string, Configured>();
  /** The number of HAProxy's reloads. */
  reloads = 0;
  /** The text that the package's script writes. */
  scriptWrites = `backend kubernetes-nodeport\n    server master24 10.10.0.24 check\n    server worker31 10.10.0.31 check\n`;
  scriptEnds: FakeReply = { status: 0 };
  /** The balancer's addresses at which the cluster's API answers a master; undefined: at every address with a balancer. */
  answersAt: string[] | undefined = ['203.0.113.9'];
  refusal = 'Unable to connect to the server: dial tcp: connection refused';
  readonly asked: string[] = [];
  /** The cluster's Services. */
  services: JsonObject = SERVICES;
  /** The cluster's ConfigMap of open ports. */
  record: JsonObject | undefined;

  /** @param shared other fakes' machines, which answer what masters are asked beside the balancer's port, and which call {@link script} themselves */
  constructor(options: CrashPoints = {}, shared?: FakeHosts) {
    this.hosts = shared ?? new FakeHosts(options).on(/cloud-init|boot-finished/, { status: 0 });
    this.hosts
      .on(/^cat .*haproxy\.cfg/, ({ machine }) => this.#shown(machine.resourceId))
      .on(/kubectl .*get services/, () => ({ stdout: JSON.stringify(this.services) }))
      .on(/kubectl .*:8383/, ({ command }) => this.#asks(command))
      .on(/external-lb\.sh/, ({ machine }) => ({
        ...this.scriptEnds,
        effect: () => this.#reads(machine.resourceId, this.scriptWrites),
      }));
    if (shared === undefined)
      this.hosts
        .on(/^\/bin\/bash -s/, (call) => this.looks(call))
        .on(/kubectl .*get configmap /, () =>
          this.record === undefined
            ? { status: 1, stderr: 'Error from server (NotFound): configmaps "windlass-external-lb" not found' }
            : { stdout: JSON.stringify(this.record) },
        )
        .on(/kubectl .*apply -f -/, ({ input }) => ({ effect: () => void (this.record = JSON.parse(input) as JsonObject) }))
        .on(new RegExp(`kubectl .*:${API_PORT}.* /readyz`), { stdout: 'ok' })
        .on(/\/script\.sh/, (call) => this.script(call));
  }

  /** Has HAProxy on {@link BALANCER}'s machine run with this text, as another person would. */
  has(text: string): void {
    this.configured.set(BALANCER.vnfc.resourceId, { file: text, read: text });
  }

  /** Sets the cluster's record of the machine that {@link BALANCER} replaces. */
  keeps(frontends: readonly { name: string; ports: number[] }[], others: readonly string[] = [], server = 'server-gone'): void {
    const data = { server, frontends: JSON.stringify(frontends), others: JSON.stringify(others) };
    this.record = { metadata: { name: 'windlass-external-lb' }, data };
  }

  /** HAProxy's file on {@link BALANCER}'s machine. */
  get file(): string | undefined {
    return this.configured.get(BALANCER.vnfc.resourceId)?.file;
  }

  get read(): string | undefined {
    return this.configured.get(BALANCER.vnfc.resourceId)?.read;
  }

  /** Answers whether HAProxy runs with its present file. */
  looks({ machine }: FakeCall): FakeReply {
    const { file, read } = this.configured.get(machine.resourceId) ?? {};
    return { status: file !== undefined && read === file ? 0 : 1 };
  }

  /** Answers a script of the balancer on a machine. */
  script({ machine, files }: FakeCall): FakeReply {
    const byName = new Map([...files].map(([path, content]) => [path.split('/').at(-1)!, content]));
    const script = byName.get('script.sh') ?? '';
    if (script === scripts.REMOVE_EXTERNAL_LB) return { effect: () => void this.configured.delete(machine.resourceId) };
    const known = [scripts.INSTALL_EXTERNAL_LB, scripts.SET_EXTERNAL_LB].includes(script);
    return known
      ? { effect: () => this.#reads(machine.resourceId, byName.get('haproxy.cfg') ?? '') }
      : { status: 127, stderr: 'no such script' };
  }

  #shown(resourceId: string): FakeReply {
    const { file } = this.configured.get(resourceId) ?? {};
    return file === undefined ? { status: 1 } : { stdout: file };
  }

  #asks(command: string): FakeReply {
    this.asked.push(command);
    const answers = this.answersAt?.some((address) => command.includes(`https://${address}:8383`)) ?? this.configured.size > 0;
    return answers ? { stdout: 'ok' } : { status: 1, stderr: this.refusal };
  }

  #reads(resourceId: string, text: string): void {
    if (this.configured.get(resourceId)?.read !== text) this.reloads += 1;
    this.configured.set(resourceId, { file: text, read: text });
  }
}

const on = { instance: INSTANCE, machine: BALANCER };

/** The inputs of the steps. */
export const inputs = {
  install: { ...on, routes: ROUTES },
  script: { ...on, routes: ROUTES, script: SCRIPT, withinMs: 60_000 },
  route: { ...on, nodes: MORE, before: [...ROUTES.masters, ...ROUTES.workers] },
  asked: { ...on, masters: [MASTER] },
};

/** A plan that installs the balancer, restores and notes its ports, verifies it by the cluster's API, and adds routes. */
const ours = (): Plan => ({
  root: sequence(
    stepOf(installExternalLb, { id: 'install', input: inputs.install }),
    stepOf(restoreNodePorts, { id: 'restore', input: inputs.asked }),
    stepOf(noteExposedPorts, { id: 'note', input: { ...inputs.asked, takesOver: true } }),
    stepOf(verifyExternalLb, { id: 'verify', input: inputs.asked }),
    stepOf(routeExternalLb, { id: 'route', input: inputs.route }),
  ),
});

/** The same plan with a package's script. */
const packaged = (): Plan => ({
  root: sequence(
    stepOf(runExternalLbScript, { id: 'script', input: inputs.script }),
    stepOf(routeExternalLb, { id: 'route', input: inputs.route }),
  ),
});

/** The balancer's actions on a fake machine, with a plan that has every action. */
export function externalLbBench(points: CrashPoints = {}, plan = ours()) {
  const world = new FakeExternalLb(points);
  world.keeps([WEB]);
  const packages = packagesOf({ [SCRIPT.path]: '#!/bin/bash\n' });
  const actions = allActions({ hosts: world.hosts, packages });
  const vims = new FakeVims(() => INSTANCE);
  const runner = new PlanRunner(plan, { actions, hook: hookContextOf(), params: {}, ...points });
  return { world, hosts: world.hosts, vims, runner };
}

/** The bench with a package's script. */
export const scriptedLbBench = (points: CrashPoints = {}) => externalLbBench(points, packaged());
