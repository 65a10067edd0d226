import type { JsonObject } from '@windlass/foundation';
import type { StepView } from '@windlass/windlass';
import type { Deployed } from '../../support/deployed.js';
import { blank, sorted } from '../support/blank.js';
import { folderOf, readHostJobs } from './host-jobs.js';
import { kindOf } from './points.js';

/** All that there is after an operation, in a form in which two runs can be compared. */
export interface LabPicture {
  operation: unknown;
  steps: unknown;
  instance: unknown;
  vim: unknown;
  registeredVims: unknown;
  /** What the cluster's API lists; nothing where there is no cluster. */
  cluster: unknown;
  /** `step job`, of all machines, sorted. */
  jobs: string[];
}

/** What a picture is taken of. */
export interface LabScene {
  /** Of the instance, in the API. */
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

/** Objects of the cluster by their names; the pods' names are random. */
async function listOf({ fleet }: Deployed['lab'], master: string): Promise<string[]> {
  const kinds = 'nodes,namespaces,serviceaccounts,secrets,configmaps,daemonsets,deployments,clusterrolebindings';
  const list = ['kubectl', '--kubeconfig=/etc/kubernetes/admin.conf', 'get', kinds, '-A', '-o', 'name'];
  const { stdout, stderr, status } = await fleet.exec(master, list);
  if (status !== 0) throw new Error(`${list.join(' ')}: ${stderr}`);
  return stdout.trim().split('\n').sort();
}

/** Jobs on the machines, but for the making and revoking of tokens, which bear random names. */
async function jobsOf({ fleet }: Deployed['lab'], instance: JsonObject): Promise<string[]> {
  const found = new Set<string>();
  for (const { computeResource } of vnfcsOf(instance))
    for (const { step, job } of (await readHostJobs(fleet, computeResource.resourceId)).jobs)
      if (!isOfToken(job)) found.add(`${kindOf(step.replace(/-(?=(master|worker)\d)/, ':'))} ${job}`);
  return [...found];
}

export const isOfToken = (job: string): boolean => /^(mint|revoke)-token-/.test(job);

/**
 * Jobs that were started more often than their steps had attempts: whoever takes an attempt over is to attach. What the machine's systemd
 * saw start is counted; each job in the jobs' folders must be there.
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

/** Lists of objects in one order, at every depth. */
const inOrder = (value: unknown): unknown => {
  if (Array.isArray(value)) return sorted(value.map((one) => blankNumbers(blank(inOrder(one)))));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, inOrder(inner)]));
};

/** Without addresses, and the names of nodes that are made of them. */
const blankNumbers = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value ?? null)
      .replaceAll(/-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----/g, '<certificate>')
      .replaceAll(/\b10\.\d+\.\d+\.\d+\b/g, '<address>')
      .replaceAll(/\b(master|worker)\d+\b/g, '$1<n>'),
  ) as unknown;

const unnumbered = (value: unknown): unknown => blankNumbers(blank(value));
