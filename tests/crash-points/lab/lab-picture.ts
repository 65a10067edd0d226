import type { JsonObject } from '@windlass/foundation';
import type { StepView } from '@windlass/windlass';
import type { Deployed } from '../../support/deployed.js';
import { blank, sorted } from '../support/blanked.js';
import { folderOf, readHostJobs } from './host-jobs.js';
import { kindOf } from './points.js';

/** The state of everything after an operation, in a form in which two runs can be compared. */
export interface LabPicture {
  operation: unknown;
  steps: unknown;
  instance: unknown;
  vim: unknown;
  registeredVims: unknown;
  /** The objects of the cluster's API; undefined where there is no cluster. */
  cluster: unknown;
  /** The jobs of all machines as `step job`, sorted. */
  jobs: string[];
}

/** The instance and the product whose picture is taken. */
export interface LabScene {
  /** The instance's path in the API. */
  path: string;
  opOcc: JsonObject;
  steps: readonly StepView[];
}

interface Vnfc {
  vduId: string;
  computeResource: { resourceId: string };
}

export const vnfcsOf = (instance: JsonObject): Vnfc[] =>
  ((instance.instantiatedVnfInfo as JsonObject | undefined)?.vnfcResourceInfo ?? []) as unknown as Vnfc[];

export async function pictureOfLab({ api, lab }: Deployed, { path, opOcc, steps }: LabScene): Promise<LabPicture> {
  const instance = await api.get(path);
  const { operation, operationState, error, resourceChanges } = opOcc;
  const master = vnfcsOf(instance).find(({ vduId }) => vduId === 'masterNode')?.computeResource.resourceId;
  return {
    operation: unnumbered({ operation, operationState, error, resourceChanges: inOrder(resourceChanges) }),
    steps: sorted(steps.map(({ id, phase, state }) => ({ kind: kindOf(id), phase, state }))),
    instance: unnumbered(inOrder(instance)),
    vim: unnumbered(inOrder(lab.emulator.inventory())),
    registeredVims: unnumbered(inOrder(await api.get('/v1.0/vims'))),
    cluster: master === undefined ? null : unnumbered(await listOf(lab, master)),
    jobs: (await jobsOf(lab, instance)).sort(),
  };
}

/** The objects of the cluster by their names, without pods, whose names are random. */
async function listOf({ fleet }: Deployed['lab'], master: string): Promise<string[]> {
  const kinds = 'nodes,namespaces,serviceaccounts,secrets,configmaps,daemonsets,deployments,clusterrolebindings';
  const list = ['kubectl', '--kubeconfig=/etc/kubernetes/admin.conf', 'get', kinds, '-A', '-o', 'name'];
  const { stdout, stderr, status } = await fleet.exec(master, list);
  if (status !== 0) throw new Error(`${list.join(' ')}: ${stderr}`);
  return stdout.trim().split('\n').sort();
}

/** The jobs on the machines, without those that make and revoke tokens, whose names are random. */
async function jobsOf({ fleet }: Deployed['lab'], instance: JsonObject): Promise<string[]> {
  const found = new Set<string>();
  for (const { computeResource } of vnfcsOf(instance))
    for (const { step, job } of (await readHostJobs(fleet, computeResource.resourceId)).jobs)
      if (!isOfToken(job)) found.add(`${kindOf(step.replace(/-(?=(master|worker)\d)/, ':'))} ${job}`);
  return [...found];
}

export const isOfToken = (job: string): boolean => /^(mint|revoke)-token-/.test(job);

/**
 * Jobs that were started more often than their steps had attempts: a worker that takes an attempt over must attach to the job. The starts that the machine's systemd
 * saw are counted; each job in the jobs' folders must be among them.
 */
export async function doubledJobs({ lab }: Deployed, steps: readonly StepView[]): Promise<string[]> {
  const found: string[] = [];
  for (const server of lab.emulator.inventory().flatMap(({ servers }) => servers)) {
    const { jobs, starts } = await readHostJobs(lab.fleet, server.id);
    const allowed = new Map<string, number>();
    for (const { step, job } of jobs) {
      const attempts = steps.find(({ id }) => folderOf(id) === step)?.attempt ?? 0;
      allowed.set(job, (allowed.get(job) ?? 0) + attempts);
      if (!starts.has(job)) found.push(`${job} on ${server.name}: systemd saw no start of it`);
    }
    for (const [job, times] of starts) {
      const attempts = allowed.get(job) ?? 0;
      if (times > attempts) found.push(`${job} on ${server.name}: started ${times} times in ${attempts} attempts`);
    }
  }
  return found;
}

/** The value with its lists sorted, at every depth. */
const inOrder = (value: unknown): unknown => {
  if (Array.isArray(value)) return sorted(value.map((one) => blankNumbers(blank(inOrder(one)))));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, inOrder(inner)]));
};

/** The value without addresses and without node names, which have a part of the address. */
const blankNumbers = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value ?? null)
      .replaceAll(/-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----/g, '<certificate>')
      .replaceAll(/\b10\.\d+\.\d+\.\d+\b/g, '<address>')
      .replaceAll(/\b(master|worker)\d+\b/g, '$1<n>'),
  ) as unknown;

const unnumbered = (value: unknown): unknown => blankNumbers(blank(value));
