import {
  connectRegistries,
  defineDriver,
  machineReference,
  paramsSource,
  type DriverParts,
  type Login,
  type PackageFileRef,
  type RegistryInput,
} from '@windlass/driver-kit';
import { driverBench, hookContextOf, packagesOf, vnfc, type CrashPoints } from '@windlass/driver-kit/testing';
import { toJsonObject, type JsonObject } from '@windlass/foundation';
import { FakeHosts, type FakeCall, type FakeMachine } from '@windlass/mgmt-driver/testing';
import { parallel, stepOf } from '@windlass/saga';
import { createHash } from 'node:crypto';
import { boundActions } from '../actions.js';
import { CONNECT_REGISTRIES } from '../nodes/scripts.js';
import { HOSTS_BEGIN, HOSTS_END } from '../nodes/registry-files.js';

/** `additionalParams` of the plans here: a login, and the registries of each node. */
interface Params {
  node: Login;
  registries: RegistryInput[];
}

const PARAMS = paramsSource<Params>();

/** A driver that connects the nodes `a` and `b` to the parameters' registries. */
const connecting: DriverParts = {
  driver: defineDriver({
    name: 'nodes-of-tests',
    version: '0.1.0',
    service: connectRegistries.service,
    actions: [connectRegistries],
    parameters: {
      type: 'object',
      properties: {
        registries: { type: 'array', items: { type: 'object', properties: { password: { writeOnly: true } } } },
        node: { type: 'object', properties: { password: { writeOnly: true } } },
      },
    },
    hooks: {
      instantiate_end: ({ vnfcs, vnfInstanceId }) => ({
        root: parallel(
          vnfcs.map(({ id, name, resourceId }) =>
            stepOf(connectRegistries, {
              id: `connect-registries:${id}`,
              target: name,
              limits: [`host:${resourceId}`],
              input: {
                instance: vnfInstanceId,
                machine: machineReference({
                  name,
                  vnfcId: id,
                  sshCp: 'CP1',
                  params: PARAMS,
                  login: ({ node }) => node,
                  shown: { username: 'ubuntu', password: '***' },
                }),
                registries: { $from: 'instantiate-params', at: '/registries' } as never,
              },
            }),
          ),
        ),
      }),
    },
  }),
  actions: boundActions,
};

const text = (machine: FakeMachine, path: string): string | undefined => machine.files.get(path)?.content.toString('utf8');

const sha256 = (of: string): string => createHash('sha256').update(of).digest('hex');

const NAMES = new RegExp(`${HOSTS_BEGIN}\n[^]*?${HOSTS_END}\n`);

const contentOf = ({ files }: FakeCall, name: string): string | undefined =>
  [...files].find(([path]) => path.endsWith(`/${name}`))?.[1];

/** Changes a machine as our script does. `restarts` takes the restarted services. */
function connects(call: FakeCall, restarts: string[]): void {
  const { machine } = call;
  const content = (name: string): string => contentOf(call, name) ?? '';
  const changes = (path: string): void => void restarts.push(`${machine.resourceId} ${path}`);
  const names = `${(text(machine, '/etc/hosts') ?? '').replace(NAMES, '')}${content('names')}`;
  machine.files.set('/etc/hosts', { content: Buffer.from(names), mode: 0o644, owner: 'root' });
  for (const line of content('manifest').trimEnd().split('\n')) {
    const [what, ...words] = line.split(' ') as [string, ...string[]];
    const path = words.at(-1)!;
    if (what === 'links') continue;
    if (what === 'gone') {
      if (machine.files.delete(path)) changes(path);
    } else {
      const [mode, name] = words as [string, string];
      if (text(machine, path) === content(name)) continue;
      machine.files.set(path, { content: Buffer.from(content(name)), mode: Number.parseInt(mode, 8), owner: 'root' });
      changes(path);
    }
  }
}

/**
 * Fake machines with containerd (Docker, or both) on which our script works.
 * @param shared other fakes' machines, which answer all commands but those for registries
 */
export function nodes(
  points: CrashPoints = {},
  runtimes = 'containerd\n',
  shared?: FakeHosts,
): { hosts: FakeHosts; changes: string[]; manifests: string[][] } {
  const changes: string[] = [];
  /** The manifests of our scripts, in their order. */
  const manifests: string[][] = [];
  const hosts = (shared ?? new FakeHosts(points))
    .on(/^for name in containerd dockerd/, { stdout: runtimes })
    .on(/^sha256sum/, ({ machine, input }) => {
      const fits = input
        .trimEnd()
        .split('\n')
        .every((line) => sha256(text(machine, line.slice(66)) ?? '') === line.slice(0, 64));
      return { status: fits ? 0 : 1 };
    })
    .on(/^for theirs in/, {})
    .on(/^for path in /, ({ machine, command }) => {
      const names = NAMES.exec(text(machine, '/etc/hosts') ?? '')?.[0] ?? '';
      const there = (/^for path in (.*); do/.exec(command)?.[1] ?? '').split(' ').some((path) => machine.files.has(path));
      return { status: !there && command.includes(sha256(names)) ? 0 : 1 };
    })
    .on(/script\.sh/, (call) => {
      if (contentOf(call, 'script.sh') !== CONNECT_REGISTRIES) return undefined;
      manifests.push((contentOf(call, 'manifest') ?? '').trimEnd().split('\n'));
      return { effect: () => connects(call, changes) };
    });
  return { hosts, changes, manifests };
}

/** The files of a package, by path. */
export type Package = Readonly<Record<string, string>>;

export const fileOf = (files: Package, path: string): PackageFileRef => ({
  vnfPkgId: 'pkg',
  path,
  size: files[path]!.length,
  sha256: sha256(files[path]!),
});

export interface NodesOptions extends CrashPoints {
  registries: RegistryInput[];
  files?: Package;
  runtimes?: string;
  /** Existing machines. */
  on?: ReturnType<typeof nodes>;
  /** The operation's id. */
  operationId?: string;
}

/** A plan that connects two nodes, and fake machines to run it on. */
export function bench({ registries, files = {}, runtimes, on, operationId, ...points }: NodesOptions) {
  const { hosts, changes } = on ?? nodes(points, runtimes);
  const params: JsonObject = toJsonObject({ node: { username: 'ubuntu', password: 'of-the-node' }, registries });
  const hook = hookContextOf({
    vnfcs: [vnfc('a', 'CP1', '10.0.0.1'), vnfc('b', 'CP1', '10.0.0.2')],
    ...(operationId === undefined ? {} : { operationId }),
  });
  const file = (path: string, node = 'a'): string | undefined => text(hosts.machine(`server-${node}`), path);
  return { changes, file, ...driverBench({ parts: connecting, hook, params, hosts, packages: packagesOf(files), ...points }) };
}
