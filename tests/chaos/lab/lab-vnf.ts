import { minutes, seconds, TransientError, waitUntil, type JsonObject } from '@windlass/foundation';
import type { StepView } from '@windlass/windlass';
import { folderOf, readHostJobs } from '../../crash-points/lab/host-jobs.js';
import type { Deployed } from '../../support/deployed.js';
import type { ShownVnfc } from '../../support/shown-vnfc.js';

/** The steps of each completed operation, by the operation's id. */
export type DoneSteps = Map<string, StepView[]>;

/** One VNF instance on the lab's machines, whose operations must be COMPLETED whichever service dies meanwhile. */
export class LabVnf {
  constructor(
    private readonly deployed: Deployed,
    readonly path: string,
    private readonly done: DoneSteps,
  ) {}

  static async of(deployed: Deployed, vnfdId: unknown, done: DoneSteps): Promise<LabVnf> {
    const { id } = await deployed.api.post<{ id: string }>('/vnflcm/v1/vnf_instances', { vnfdId });
    return new LabVnf(deployed, `/vnflcm/v1/vnf_instances/${id}`, done);
  }

  /** @throws Error where the operation does not end COMPLETED, with the steps that failed */
  async operate(task: 'instantiate' | 'scale' | 'heal' | 'terminate', body: JsonObject): Promise<void> {
    const { api } = this.deployed;
    const operation = await this.#accepted(task, body);
    const { operationState } = await api.follow(operation, minutes(20), () => undefined);
    const id = operation.split('/').at(-1) ?? '';
    const steps = await api.get<StepView[]>(`/windlass/v1/operations/${id}/steps`);
    this.done.set(id, steps);
    if (operationState === 'COMPLETED') return;
    const failed = steps.filter(({ error }) => error !== null);
    throw new Error(`${task} of ${this.path} is ${String(operationState)}: ${JSON.stringify(failed)}`);
  }

  /** Sends a request again after a 503: a service that lcm-api asks before the 202 may have been killed. */
  #accepted(task: string, body: JsonObject): Promise<string> {
    return waitUntil(
      async (seen) => {
        try {
          return await this.deployed.api.accept(`${this.path}/${task}`, body);
        } catch (error) {
          if (!(error instanceof TransientError)) throw error;
          seen(error.message);
          return undefined;
        }
      },
      { for: `${task} of ${this.path} to be accepted`, within: minutes(3), every: seconds(2) },
    );
  }

  async vnfcs(vduId: string): Promise<ShownVnfc[]> {
    const { instantiatedVnfInfo } = await this.deployed.api.get<{ instantiatedVnfInfo: { vnfcResourceInfo: ShownVnfc[] } }>(
      this.path,
    );
    return instantiatedVnfInfo.vnfcResourceInfo.filter((vnfc) => vnfc.vduId === vduId);
  }

  /** The first VNFC of a VDU. */
  async vnfc(vduId: string): Promise<ShownVnfc> {
    const [found] = await this.vnfcs(vduId);
    if (found === undefined) throw new Error(`${this.path} has no VNFC of ${vduId}`);
    return found;
  }

  addressOf({ computeResource }: ShownVnfc): string {
    return this.deployed.lab.fleet.addresses(computeResource.resourceId)[0] ?? 'nowhere';
  }

  /** Runs a program on a VM as root. Returns the output of a program that ended with 0. */
  async on({ computeResource: { resourceId } }: ShownVnfc, argv: readonly string[], input = ''): Promise<string> {
    const { status, stdout, stderr } = await this.deployed.lab.fleet.exec(resourceId, argv, { input });
    if (status !== 0) throw new Error(`${argv.join(' ')} ended with ${String(status)}: ${stdout}${stderr}`);
    return stdout.trim();
  }
}

/** Jobs on the present machines that were started more often than their steps had attempts: a worker that takes an attempt over must attach to the job. */
export async function doubledJobs({ lab }: Deployed, done: DoneSteps): Promise<string[]> {
  const found: string[] = [];
  for (const server of lab.emulator.inventory().flatMap(({ servers }) => servers)) {
    const { jobs, starts } = await readHostJobs(lab.fleet, server.id);
    const allowed = new Map<string, number>();
    for (const { operationId, step, job } of jobs) {
      const { attempt = 0 } = done.get(operationId)?.find(({ id }) => folderOf(id) === step) ?? {};
      allowed.set(job, (allowed.get(job) ?? 0) + attempt);
    }
    for (const [job, times] of starts) {
      const attempts = allowed.get(job) ?? 0;
      if (times > attempts) found.push(`${job} on ${server.name}: started ${times} times in ${attempts} attempts`);
    }
  }
  return found;
}
