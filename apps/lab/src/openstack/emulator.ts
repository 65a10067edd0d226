import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { assemble, type Assembly, type People } from './assembly.js';
import type { Faults } from './faults/faults.js';
import type { ServedRequest } from './server.js';
import { inventoryOf, type ProjectInventory } from './state/inventory.js';
import type { EmulatorOptions, TenantSeed } from './options.js';
import { scratchFolder } from './scratch.js';
import type { CloudState } from './state/state.js';
import { Store } from './state/store.js';

/** Requests that are remembered; older ones are forgotten. */
const MAX_REQUESTS = 10_000;
const secretText = (): string => randomBytes(18).toString('base64url');

/** An OpenStack in one process: Keystone, Heat, Nova, Neutron, Glance and Cinder on one port. */
export class OpenStackEmulator {
  /** The requests that were served, oldest first. */
  readonly requests: ServedRequest[] = [];
  /** Errors that are the emulator's own; a test that finds one here has found a bug. */
  readonly brokenness: unknown[] = [];

  private constructor(
    private readonly assembly: Assembly,
    private readonly kept: { state: CloudState; store: Store; scratch: string | undefined },
    private readonly people: People,
    /** Opens `/_faults` and `/_inventory`, as `X-Lab-Token`. */
    readonly labToken: string,
    readonly port: number,
  ) {}

  /** Starts an emulator; it answers when this resolves. Machines of a kept state run again by then. */
  static async start(options: EmulatorOptions = {}): Promise<OpenStackEmulator> {
    const state = await Store.read(options.dataDir);
    const scratch = options.dataDir === undefined ? await scratchFolder() : undefined;
    try {
      return await OpenStackEmulator.started(options, state, scratch);
    } catch (error) {
      if (scratch !== undefined) await rm(scratch, { recursive: true, force: true });
      throw error;
    }
  }

  private static async started(
    options: EmulatorOptions,
    state: CloudState,
    scratch: string | undefined,
  ): Promise<OpenStackEmulator> {
    const store = new Store(state, options.dataDir);
    const people = peopleOf(options);
    const labToken = options.labToken ?? secretText();
    const told: { emulator?: OpenStackEmulator } = {};
    const assembly = await assemble({
      options,
      state,
      people,
      labToken,
      imageDir: join(options.dataDir ?? scratch ?? '', 'images'),
      changed: () => store.changed(),
      served: (request) => told.emulator?.remember(request),
      broken: (error) => told.emulator?.brokenness.push(error),
    });
    await assembly.nova.resume();
    const port = await assembly.server.listen(options.host ?? '127.0.0.1', options.port ?? 0, options.reachedBy);
    for (const fault of options.faults ?? []) assembly.faults.add(fault);
    told.emulator = new OpenStackEmulator(assembly, { state, store, scratch }, people, labToken, port);
    return told.emulator;
  }

  /** The Keystone v3 URL, as `OS_AUTH_URL` takes it. */
  get url(): string {
    return `${this.assembly.server.base}/identity/v3`;
  }

  /** Faults on demand. */
  get faults(): Faults {
    return this.assembly.faults;
  }

  /** The tenant that the options name, with its password. */
  get tenant(): TenantSeed {
    return this.people.tenant;
  }

  get secondTenant(): TenantSeed {
    return this.people.secondTenant;
  }

  get admin(): TenantSeed {
    return this.people.admin;
  }

  /** The VNFM's own user, of the services' project: it may validate tokens, and has nothing else. */
  get vnfm(): TenantSeed {
    return this.people.vnfm;
  }

  /** The id that Keystone gives a project. */
  projectId(name: string): string {
    const project = this.assembly.keystone.projectNamed(name);
    if (project === undefined) throw new Error(`the lab's Keystone has no project ${name}`);
    return project.id;
  }

  /** Names the VNFM in the catalog, where clients look for it. @param url the root of its REST API */
  registerVnfm(url: string): void {
    this.assembly.keystone.register({ type: 'nfv-orchestration', name: 'windlass', url });
  }

  /** Everything that exists, by project. */
  inventory = (): ProjectInventory[] => inventoryOf(this.kept.state);

  /** How many requests of this method and path pattern were served. */
  count = (method: string, path: RegExp): number =>
    this.requests.filter((request) => request.method === method && path.test(request.path)).length;

  /** Keystone's tokens that hold now: secrets of whoever got them. */
  get tokens(): string[] {
    return [...this.kept.state.tokens.keys()];
  }

  /** Resolves when no work runs on any stack, and no server is being stopped or started: for tests that don't want to look again and again. */
  settled = async (): Promise<void> => {
    await this.assembly.engine.settled();
    await this.assembly.nova.power.settled();
  };

  /** Stops answering, ends the work on stacks, writes the state. Machines are the fleet's to end. */
  async stop(): Promise<void> {
    await this.assembly.server.close();
    await this.assembly.engine.stop();
    await this.kept.store.flush();
    if (this.kept.scratch !== undefined) await rm(this.kept.scratch, { recursive: true, force: true });
  }

  private remember(request: ServedRequest): void {
    this.requests.push(request);
    if (this.requests.length > MAX_REQUESTS) this.requests.splice(0, this.requests.length - MAX_REQUESTS);
  }
}

function peopleOf(options: EmulatorOptions): People {
  return {
    tenant: {
      project: options.project ?? 'vnfm',
      user: options.user ?? 'vnfm',
      password: options.password ?? secretText(),
    },
    secondTenant: options.secondTenant ?? { project: 'vnfm2', user: 'vnfm2', password: secretText() },
    admin: { project: 'admin', user: 'admin', password: options.adminPassword ?? secretText() },
    vnfm: { project: 'service', user: 'windlass', password: options.vnfmPassword ?? secretText() },
  };
}
