import { millis, seconds, waitUntil } from '@windlass/foundation';
import type { HostFleet } from '@windlass/lab';

const JOBS = '/var/lib/windlass/jobs';

/** A job on a machine, by its folder. */
export interface JobOnHost {
  operationId: string;
  /** The step's folder: the step's id, in characters that a path may have. */
  step: string;
  job: string;
}

/** The jobs of a machine, by the jobs' folders, and independently by its systemd. */
export interface HostJobs {
  jobs: JobOnHost[];
  /** How often each job was started, by its name. */
  starts: ReadonlyMap<string, number>;
}

export const folderOf = (stepId: string): string => stepId.replaceAll(/[^A-Za-z0-9_-]+/g, '-').slice(0, 40);

/** Waits until a job of the step has begun on its host, or on one of several where the step chooses, such as a living master. */
export async function firstJob(
  fleet: HostFleet,
  operationId: string,
  { id, hosts }: { id: string; hosts: readonly string[] },
): Promise<void> {
  const look = `ls ${JOBS}/"$1"/"$2"*/*/began >/dev/null 2>&1`;
  const argv = ['sh', '-c', look, 'sh', operationId, folderOf(id)];
  await waitUntil(
    async () => {
      const looks = await Promise.all(hosts.map((host) => fleet.exec(host, argv)));
      return looks.some(({ status }) => status === 0) ? true : undefined;
    },
    { for: `a job of ${id} to begin on ${hosts.join(' or ')}`, within: seconds(60), every: millis(10) },
  );
}

export async function readHostJobs(fleet: HostFleet, host: string): Promise<HostJobs> {
  const folders = await fleet.exec(host, ['sh', '-c', `cd ${JOBS} && ls -d */*/*/began`]);
  const journal = await fleet.exec(host, [
    'journalctl',
    '--output=cat',
    '--no-pager',
    '--grep=^Started windlass-.*Windlass job ',
  ]);
  const starts = new Map<string, number>();
  for (const [, job = ''] of journal.stdout.matchAll(/^Started windlass-\S+\.scope - Windlass job (\S+)\.$/gm))
    starts.set(job, (starts.get(job) ?? 0) + 1);
  const jobs = folders.stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [operationId = '', step = '', job = ''] = line.split('/');
      return { operationId, step: step.replace(/\+[0-9a-f]{16}$/, ''), job };
    });
  return { jobs, starts };
}
