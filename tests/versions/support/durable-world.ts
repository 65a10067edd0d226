import { randomBytes } from 'node:crypto';
import { testPostgres, type TestDatabase } from '@windlass/embedded/testing';
import { InvariantError, millis, seconds, waitUntil } from '@windlass/foundation';
import { KUBERNETES_DRIVER } from '@windlass/k8s-mgmt';
import { OFFERED } from '@windlass/driver-kit';
import { FakeVims, OfferedStandIns } from '@windlass/driver-kit/testing';
import { FakeCluster } from '@windlass/k8s-mgmt/testing';
import type { OpenStackEmulator } from '@windlass/lab';
import { BEGIN_STEP, LifecycleOwner, OPERATIONS, type OpOccRecord, type VnfInstanceRecord } from '@windlass/lifecycle';
import { connectDatabase, PgJournal, PgLcmStore, rowsOf, Vault, vimCredentialPlace } from '@windlass/persistence';
import { Coordinator, defaultPolicy, StepWorker, type WakeUp, type OperationStatus } from '@windlass/saga';
import type { DataSource } from 'typeorm';
import { kubernetesDriver, serviceActions, startVim, vimOf } from '../../crash-points/support/services.js';
import { SimulatedCluster } from '../../crash-points/support/simulated-cluster.js';
import { SimulatedSessions } from '../../crash-points/support/simulated-vim.js';
import { INSTANCE } from '../../crash-points/support/world.js';
import type { Sample } from '../../crash-points/support/samples.js';

const RESTS: readonly OperationStatus[] = ['completed', 'rolled-back', 'abandoned', 'suspended'];
/** Longer than any pause of a busy machine. No test waits for a lease: the leases in recorded journals ended long ago. */
const LEASE = seconds(20);

/** Today's coordinator and workers over an empty PostgreSQL; wake-ups in memory, the lab's OpenStack, hosts in memory. */
export class DurableWorld {
  readonly vault = new Vault([randomBytes(32)]);
  readonly troubles: string[] = [];
  readonly store: PgLcmStore;
  readonly #coordinator: Coordinator;
  readonly #workers: ReadonlyMap<string, StepWorker>;
  readonly #sessions: SimulatedSessions;
  readonly #wakeUps: WakeUp[] = [];
  readonly #vims = new FakeVims(() => INSTANCE);

  private constructor(
    private readonly server: TestDatabase,
    readonly database: DataSource,
    readonly emulator: OpenStackEmulator,
    hosts: FakeCluster,
    sample: Sample,
  ) {
    this.store = new PgLcmStore(database, this.vault);
    this.#coordinator = new Coordinator({
      journal: new PgJournal(database, this.vault),
      owner: new LifecycleOwner(this.store, { operations: OPERATIONS }),
      policy: { ...defaultPolicy, lease: LEASE },
      wakeUpSender: { notify: (wakeUps) => Promise.resolve(void this.#wakeUps.push(...wakeUps)) },
    });
    this.#sessions = new SimulatedSessions(emulator, () => undefined);
    const { store } = this;
    const { hosts: machines } = hosts;
    const offered = new OfferedStandIns(OFFERED);
    const cluster = new SimulatedCluster(() => undefined);
    const around = { store, sample, sessions: this.#sessions, cluster, machines, vims: this.#vims, offered, nfvo: undefined };
    const actions = serviceActions(around);
    this.#workers = new Map([...actions].map(([service, bound]) => [service, this.#worker(service, bound)]));
  }

  /** Starts over an empty database, without tables. */
  static async start(sample: Sample): Promise<DurableWorld> {
    const server = await testPostgres();
    const hosts = new FakeCluster({});
    const [database, emulator] = await Promise.all([
      connectDatabase({ url: server.url, applicationName: 'test', poolSize: 8 }),
      startVim(hosts),
    ]);
    return new DurableWorld(server, database, emulator, hosts, sample);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#workers.values()].map((worker) => worker.stop()));
    this.#sessions.close();
    await this.database.destroy();
    await Promise.all([this.emulator.stop(), this.server.close()]);
  }

  /** Adds the VIM and the driver's description to a migrated database, as today's services do. */
  async furnish(): Promise<void> {
    const { id, tenant, access } = vimOf(this.emulator);
    const credentials = { username: access.username, password: access.password, user_domain_name: access.userDomainName };
    await this.database.query(
      `INSERT INTO vim.vim (id, tenant, name, type, auth_url, vim_project, auth_cred, is_default)
       VALUES ($1, $2, 'lab', 'openstack', $3, $4, $5, true)`,
      [
        id,
        tenant,
        access.authUrl,
        JSON.stringify({ name: access.projectName, project_domain_name: access.projectDomainName }),
        this.vault.sealJson(credentials, vimCredentialPlace(id)),
      ],
    );
    const description = JSON.stringify(kubernetesDriver().describe());
    await this.database.query('INSERT INTO lcm.driver (name, description) VALUES ($1, $2)', [KUBERNETES_DRIVER, description]);
  }

  /** Answers wake-ups, and sweeps when none is left, until the operation rests. Returns the operation's status. */
  settle(id: string): Promise<OperationStatus> {
    return waitUntil(
      async (seen) => {
        for (let wakeUp = this.#wakeUps.shift(); wakeUp !== undefined; wakeUp = this.#wakeUps.shift()) await this.#answer(wakeUp);
        const status = await this.status(id);
        if (RESTS.includes(status)) return status;
        seen(`${status}; ${JSON.stringify(await rowsOf(this.database.manager, UNDONE, [id]))}`);
        await this.#coordinator.sweep();
        return undefined;
      },
      { for: `operation ${id} to come to rest`, within: seconds(100), every: millis(20) },
    );
  }

  retry(id: string): Promise<void> {
    return this.#coordinator.retry(id);
  }

  async status(id: string): Promise<OperationStatus> {
    const sql = 'SELECT status FROM lcm.operation WHERE id = $1';
    const [row] = await rowsOf<{ status: OperationStatus }>(this.database.manager, sql, [id]);
    if (row === undefined) throw new InvariantError(`there is no operation ${id}`);
    return row.status;
  }

  opOcc(id: string): Promise<OpOccRecord> {
    return this.store.transact((handle) => this.store.opOcc(handle, id));
  }

  instance(): Promise<VnfInstanceRecord> {
    return this.store.transact((handle) => this.store.instance(handle, INSTANCE));
  }

  async #answer(wakeUp: WakeUp): Promise<void> {
    if (wakeUp.stepId === BEGIN_STEP) return this.#coordinator.begin(wakeUp.operationId);
    const worker = this.#workers.get(wakeUp.service);
    if (worker === undefined) throw new InvariantError(`there is no service ${wakeUp.service}`);
    const run = await worker.answer(wakeUp);
    await run?.ended;
  }

  #worker(service: string, actions: ConstructorParameters<typeof StepWorker>[0]['actions']): StepWorker {
    return new StepWorker({
      service,
      worker: 'today',
      actions,
      coordinator: this.#coordinator,
      onTrouble: (_claim, error) => void this.troubles.push(`${service}: ${error.message}`),
    });
  }
}

const UNDONE = `SELECT id, phase, state, lease_until, error FROM lcm.step WHERE operation_id = $1 AND state <> 'done' ORDER BY seq`;
