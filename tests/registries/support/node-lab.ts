import { mkdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import type { PackageFileRef, RegistryInput } from '@windlass/driver-kit';
import { FakeVims, INSTANCE, packagesOf, vnfc } from '@windlass/driver-kit/testing';
import { testCertificates, type TestCertificates } from '@windlass/embedded/testing';
import { millis, minutes, seconds, waitUntil } from '@windlass/foundation';
import { GUEST_NODE, HostFleet, imageContent, installHostPackages, sharedCache, type Finished } from '@windlass/lab';
import { registryParts } from '@windlass/registry-mgmt';
import { MemoryHostKeys, RemoteHosts } from '@windlass/remote-host';
import type { BoundAction, StepRun } from '@windlass/saga';
import { evidence } from '@windlass/foundation/testing';
import { rigFolder } from '../../support/rig-folder.js';
import { DockerRegistry } from './docker-registry.js';
import { PULL_IMAGE } from './pull-image.js';

/** The user of the closed registry, and the bcrypt hash of the password. */
export const USER = 'puller';
export const PASSWORD = 'hunter2-of-the-registry';
const HTPASSWD = `${USER}:$2b$05$abcdefghijklmnopqrstuuJQ0OEfoQ1jvzDwPykoQtl7vEtSYYygy`;

/** The name in the registries' certificate. */
export const NAME = 'registry.windlass.test';

/** The path of the authority's certificate in the package. */
export const CERTIFICATE = 'Files/ca.crt';

/** Three registries with the same images on the lab's bridge: over HTTP, over TLS by an authority of their own, and over TLS with a login. */
export interface Registries {
  http: string;
  tls: string;
  login: string;
}

/** A VM of the lab with Debian's containerd, and registries within its reach. */
export class NodeLab {
  #epoch = 0;

  private constructor(
    readonly fleet: HostFleet,
    readonly registries: Registries,
    /** The address of the bridge, to which all names of registries lead. */
    readonly address: string,
    private readonly actions: readonly BoundAction[],
    private readonly certificates: TestCertificates,
    private readonly clean: () => Promise<void>,
  ) {}

  static async start(): Promise<NodeLab> {
    const log = (line: string): void => void process.stderr.write(`${line}\n`);
    await installHostPackages(log);
    const dataDir = await rigFolder('windlass-registries-');
    const fleet = await HostFleet.start({ dataDir, cacheDir: sharedCache(), log, standins: [], containers: true });
    const hosts = new RemoteHosts({ hostKeys: new MemoryHostKeys() });
    const servers: DockerRegistry[] = [];
    const clean = async (): Promise<void> => {
      hosts.close();
      await Promise.all(servers.map((server) => server.stop()));
      await fleet.stop();
      await rm(dataDir, { recursive: true });
    };
    try {
      const { hostname: host } = new URL(fleet.repositoryUrl);
      const certificates = testCertificates(path.join(dataDir, 'tls'), 'registries of a test', [`DNS:${NAME}`]);
      const tls = { certificate: certificates.at('server.pem'), key: certificates.at('server.key') };
      const storage = path.join(dataDir, 'images');
      mkdirSync(storage);
      const started = async (name: string, options: Partial<Parameters<typeof DockerRegistry.start>[1]>) => {
        const server = await DockerRegistry.start(path.join(dataDir, name), { host, storage, ...options });
        servers.push(server);
        return server;
      };
      const http = await started('http', {});
      const withTls = await started('tls', { tls });
      const login = await started('login', { tls, htpasswd: HTPASSWD });
      await http.push('team/app', '1.0', imageContent('team/app:1.0'));
      const registries = { http: `${host}:${http.port}`, tls: `${NAME}:${withTls.port}`, login: `${NAME}:${login.port}` };
      const packages = packagesOf({ [CERTIFICATE]: certificates.read('ca.pem') });
      const actions = registryParts.actions({ hosts, vims: new FakeVims(() => INSTANCE), packages });
      const lab = new NodeLab(fleet, registries, host, actions, certificates, clean);
      await lab.#boot();
      return lab;
    } catch (error) {
      await evidence.setAside(dataDir);
      await clean();
      throw error;
    }
  }

  /** The authority's certificate, as a plan refers to it. */
  get certificate(): PackageFileRef {
    return { vnfPkgId: 'package', path: CERTIFICATE, size: this.certificates.read('ca.pem').length, sha256: 'not compared here' };
  }

  /** Configures registries on the node, as a worker would. */
  async connect(registries: RegistryInput[]): Promise<void> {
    await this.#action.apply(this.#run(registries));
  }

  async isConnected(registries: RegistryInput[]): Promise<boolean> {
    return (await this.#action.check?.(this.#run(registries))) !== false;
  }

  async disconnect(registries: RegistryInput[]): Promise<void> {
    await this.#action.undo?.({ ...this.#run(registries), phase: 'undo' });
  }

  /** The answer of containerd to a kubelet that wants an image; empty where the image is there. */
  async pulled(server: string): Promise<string> {
    const { stdout, stderr } = await this.on([GUEST_NODE, '-e', PULL_IMAGE, `${server}/team/app:1.0`]);
    return `${stdout}${stderr}`.trim();
  }

  /** Runs a line of shell on the node. Returns the output. */
  async said(script: string): Promise<string> {
    const { stdout } = await this.on(['sh', '-c', script]);
    return stdout.trim();
  }

  on(argv: string[]): Promise<Finished> {
    return this.fleet.exec(SERVER, argv, { within: minutes(4) });
  }

  end(): Promise<void> {
    return this.clean();
  }

  async #boot(): Promise<void> {
    const nics = [{ mac: 'fa:16:3e:00:03:01', address: this.#own, prefixLength: 24, allowedAddresses: [] }];
    await this.fleet.boot({ serverId: SERVER, name: 'node', imageName: 'debian-12', nics, volumes: [] });
    await this.fleet.ready(SERVER);
    const { status, stderr } = await this.on([
      'sh',
      '-c',
      'apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends containerd',
    ]);
    if (status !== 0) throw new Error(`containerd could not be installed: ${stderr}`);
    const up = async () => ((await this.said('ctr plugins ls | grep -w cri')).endsWith('ok') ? true : undefined);
    await waitUntil(up, { for: 'containerd', within: seconds(30), every: millis(100) });
  }

  get #own(): string {
    return this.fleet.network.firstAddress.replace(/\d+$/, '21');
  }

  get #action(): BoundAction {
    return this.actions.find(({ key }) => key.startsWith('connect-registries@'))!;
  }

  #run(registries: RegistryInput[]): StepRun {
    const epoch = ++this.#epoch;
    const machine = { name: 'node', sshCp: 'CP1', username: 'ubuntu', password: 'ubuntu' };
    return {
      operationId: '00000000-0000-4000-8000-0000000000ab',
      stepId: 'connect-registries:node',
      epoch,
      attempt: 1,
      attemptEpoch: epoch,
      resumed: false,
      phase: 'do',
      target: 'node',
      tenant: 'demo',
      input: JSON.parse(
        JSON.stringify({
          instance: INSTANCE,
          machine: { ...machine, vnfc: vnfc('node', 'CP1', this.#own, { resourceId: SERVER, createdAt: null }) },
          registries,
        }),
      ) as StepRun['input'],
      signal: new AbortController().signal,
      assertLease: () => undefined,
      leaseLeft: () => seconds(60),
      onlyWaits: () => undefined,
      progress: () => undefined,
    };
  }
}

const SERVER = '00000000-0000-4000-8000-000000000301';
