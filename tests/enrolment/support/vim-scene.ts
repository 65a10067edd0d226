import { randomUUID } from 'node:crypto';
import type { JsonObject } from '@windlass/foundation';
import {
  ClaimVimClient,
  NatsCoordinatorClient,
  NatsHostKeys,
  RequestClient,
  type ClaimKey,
  type Enrolment,
} from '@windlass/messaging';
import type { Vnfc } from '@windlass/mgmt-driver';
import { startVimRegistry } from '@windlass/vim-registry';
import { newToken, startEnrolment, taken } from '../../support/enrolment.js';
import { MemoryLog } from '../../support/memory-log.js';
import { EnrolmentBench } from './bench.js';

/** A worker with its NATS user, its enrolled key, and its clients. */
export interface Worker {
  client: RequestClient;
  enrolment: Enrolment & { tokenFile: string };
  coordinator: NatsCoordinatorClient;
  clusters: ClaimVimClient;
  hostKeys: NatsHostKeys;
}

/** A claimed step of an operation, on a new VNF instance. */
export interface ClaimedStep extends ClaimKey {
  vnfInstanceId: string;
  /** The server of the instance's one VNFC. */
  server: string;
}

export interface InstanceOptions {
  /** The id of the VNFC's server in the VIM. */
  server?: string;
  tenant?: string;
  /** The addresses of the server. */
  addresses?: string[];
  /** The host keys of the server that are known beforehand. */
  hostKeys?: string[];
  /** Whether the operation's draft has the server; otherwise the instance has it. */
  inDraft?: boolean;
  /** An existing instance, for another operation on it. */
  vnfInstanceId?: string;
  /** The operation; INSTANTIATE unless given. */
  operation?: string;
}

/** The settings of the registry. */
type RegistrySettings = Pick<Parameters<typeof startVimRegistry>[0], 'snapshots'>;

/** The VIM registry on the bench's PostgreSQL and NATS, and workers that ask it. */
export class VimScene {
  readonly #stops: (() => Promise<unknown>)[] = [];
  #registry: { stop(): Promise<unknown> } | undefined;

  private constructor(
    readonly bench: EnrolmentBench,
    readonly log: MemoryLog,
  ) {}

  static async start(settings: RegistrySettings = {}): Promise<VimScene> {
    const scene = new VimScene(await EnrolmentBench.start(), new MemoryLog());
    const { bench, log } = scene;
    const link = await bench.linkOf('vim-registry');
    const { database, masterKeys } = bench;
    const user = 'vim-registry';
    scene.#registry = await startVimRegistry({ link, database, masterKeys, log, rules: undefined, user, ...settings });
    return scene;
  }

  /** Stops the registry, so that a test can serve its subjects. */
  async stopRegistry(): Promise<void> {
    await this.#registry?.stop();
    this.#registry = undefined;
  }

  async close(): Promise<void> {
    for (const stop of this.#stops.reverse()) await stop();
    await this.stopRegistry();
    await this.bench.close();
  }

  async worker(service = 'k8s-mgmt'): Promise<Worker> {
    const { database, masterKeys } = this.bench;
    const link = await this.bench.linkOf(service);
    const { text } = await newToken(database, masterKeys, { service, uses: 1 });
    const enrolment = startEnrolment({ link, service, worker: `${service}-1`, log: new MemoryLog(), token: text });
    this.#stops.push(() => enrolment.stop());
    await taken(enrolment);
    const client = new RequestClient(link);
    const coordinator = new NatsCoordinatorClient(client, enrolment);
    return {
      client,
      enrolment,
      coordinator,
      clusters: new ClaimVimClient(client, coordinator),
      hostKeys: new NatsHostKeys(client, coordinator),
    };
  }

  /** Makes a step of a running operation on a new instance, claimed by the worker. */
  async claimed(worker: Worker, requested: InstanceOptions = {}): Promise<ClaimedStep> {
    const { tenant = 'default', server = randomUUID() } = requested;
    const request = await this.bench.readyStep();
    const { operationId } = request;
    const { vnfInstanceId = randomUUID() } = requested;
    const state = JSON.stringify({ vnfcs: [vnfcOf(server, requested)], sharedCps: [] });
    if (requested.vnfInstanceId === undefined)
      await this.#instance(vnfInstanceId, tenant, requested.inDraft === true ? null : state);
    const draft = requested.inDraft === true ? `{"instantiated": ${state}}` : '{}';
    const { database } = this.bench;
    await database.query('UPDATE lcm.operation SET tenant = $2 WHERE id = $1', [operationId, tenant]);
    await database.query(
      `INSERT INTO lcm.vnf_lcm_op_occ
         (id, tenant, vnf_instance_id, operation, operation_state, state_entered_time, start_time, is_automatic_invocation, request, draft)
       VALUES ($1, $2, $3, $5, 'PROCESSING', now(), now(), false, '', $4)`,
      [operationId, tenant, vnfInstanceId, draft, requested.operation ?? 'INSTANTIATE'],
    );
    const { epoch } = await this.claim(worker, request);
    return { operationId, stepId: 'first', epoch, vnfInstanceId, server };
  }

  /** Makes a step of an instance's scheduled snapshot, claimed by the worker. */
  async claimedBySchedule(worker: Worker, vnfInstanceId: string): Promise<ClaimedStep> {
    const request = await this.bench.readyStep();
    const { operationId } = request;
    await this.rows(`UPDATE lcm.operation SET kind = 'SNAPSHOT', tenant = 'default' WHERE id = $1`, [operationId]);
    await this.rows(`INSERT INTO lcm.internal_operation (id, vnf_instance_id, subject) VALUES ($1, $2, '')`, [
      operationId,
      vnfInstanceId,
    ]);
    const { epoch } = await this.claim(worker, request);
    return { operationId, stepId: 'first', epoch, vnfInstanceId, server: '' };
  }

  async claim({ coordinator }: Worker, request: Awaited<ReturnType<EnrolmentBench['readyStep']>>): Promise<{ epoch: number }> {
    const reply = await coordinator.claim(request);
    if (!reply.granted) throw new Error(`not granted: ${reply.reason}`);
    return reply.claim;
  }

  rows<T = JsonObject>(sql: string, parameters: unknown[] = []): Promise<T[]> {
    return this.bench.database.query<T[]>(sql, parameters);
  }

  async #instance(id: string, tenant: string, instantiated: string | null): Promise<void> {
    const vnfPkgId = randomUUID();
    await this.rows(
      `INSERT INTO package.vnf_package (id, tenant, onboarding_state, operational_state) VALUES ($1, $2, 'CREATED', 'DISABLED')`,
      [vnfPkgId, tenant],
    );
    await this.rows(
      `INSERT INTO lcm.vnf_instance (id, tenant, vnfd_id, vnf_pkg_id, vnf_provider, vnf_product_name, vnf_software_version,
         vnfd_version, instantiation_state, vim_connection_info, instantiated)
       VALUES ($1, $2, 'vnfd', $3, 'p', 'n', '1', '1', 'INSTANTIATED', '', $4)`,
      [id, tenant, vnfPkgId, instantiated],
    );
  }
}

const vnfcOf = (resourceId: string, { addresses = ['127.0.0.1'], hostKeys }: InstanceOptions): Vnfc => ({
  id: `vnfc-of-${resourceId}`,
  vduId: 'VDU',
  aspectId: null,
  memberName: null,
  resourceId,
  name: 'server',
  createdAt: null,
  host: null,
  zone: null,
  cps: [{ cpdId: 'CP', resourceId: 'port', mac: null, addresses, floatingIp: null }],
  ...(hostKeys === undefined ? {} : { hostKeys }),
});
