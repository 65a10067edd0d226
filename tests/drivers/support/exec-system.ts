import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { ExecutableDriver, execParts, newDriver, startDrivers, type DriverLanguage } from '@windlass/driver-kit';
import { testFolder } from '@windlass/embedded/testing';
import { millis, seconds, waitUntil, type JsonObject } from '@windlass/foundation';
import { NatsCoordinatorClient, RequestClient } from '@windlass/messaging';
import { FakeHosts } from '@windlass/mgmt-driver/testing';
import { newToken, startEnrolment, taken } from '../../support/enrolment.js';
import { scalingPackage, scalingRequest } from '../../support/scaling-package.js';
import { createVnf, onboardZip, quiet, type System } from '../../support/system.js';

export const NOTICE = 'Maintained by Windlass: "changes" by $(hand) are lost.';
const PASSWORD = 'hunter2-of-the-vms';

/** Machines in memory that run the sample's scripts, and the notice on each, by the resource id. */
export function noticeMachines(): { hosts: FakeHosts; notices: Map<string, string> } {
  const notices = new Map<string, string>();
  const hosts = new FakeHosts().on(/script\.sh/, ({ machine: { resourceId }, files }) => {
    const content = (name: string): string => [...files].find(([path]) => path.endsWith(`/${name}`))?.[1] ?? '';
    const effect = content('script.sh').startsWith('install')
      ? () => void notices.set(resourceId, content('notice'))
      : () => void notices.delete(resourceId);
    return { effect };
  });
  return { hosts, notices };
}

/** Makes the sample of a language by "driver new" in a temporary folder. */
export function sampleDriver(language: DriverLanguage, name: string): { path: string; remove: () => void } {
  const folder = testFolder();
  newDriver({ language, folder: join(folder.path, 'it'), name, service: `${name}-mgmt` });
  return { path: join(folder.path, 'it', 'driver'), remove: () => folder.remove() };
}

export const executableAt = (path: string) => ({ path, environment: { PATH: '/usr/bin:/bin', LANG: 'C.UTF-8' }, log: quiet });

/** Starts an executable driver on the system's NATS as "driver exec" does, with these machines. Returns when lcm-api has kept the driver. */
export async function startExecutable({ link, database, masterKeys }: System, path: string, hosts: FakeHosts, replica = 'one') {
  const driver = await ExecutableDriver.of(executableAt(path));
  const { service } = driver.describe();
  const worker = { service, worker: `${service}@${replica}`, link, log: quiet };
  const enrolment = startEnrolment({ ...worker, token: (await newToken(database, masterKeys, worker)).text });
  await taken(enrolment);
  const coordinator = new NatsCoordinatorClient(new RequestClient(link), enrolment);
  const running = await startDrivers({
    ...execParts(driver),
    link,
    enrolment,
    coordinator,
    hosts,
    replica: worker.worker,
    log: quiet,
  });
  const ready = () => Promise.resolve(running.ready || undefined);
  await waitUntil(ready, { for: 'the driver to be kept', within: seconds(60), every: millis(50) });
  return {
    stop: async () => {
      await running.stop();
      await enrolment.stop();
    },
  };
}

/** Onboards a package whose VM has the driver at a hook. Returns the VNFD's id. */
export async function packageWith(system: System, driver: string, hook = 'instantiate_end'): Promise<string> {
  const vnfdId = randomUUID();
  const interfaces = `\n      interfaces:\n        Vnflcm:\n          ${hook}: { implementation: ${driver} }\n    VDU1:`;
  await onboardZip(
    system.api,
    scalingPackage(vnfdId, (vnfd) => vnfd.replace('\n    VDU1:', interfaces)),
  );
  return vnfdId;
}

/** Instantiates the package, with the notice's text as parameter. */
export async function instantiateNotice(system: System, vnfdId: string, cp = 'VDU1_CP1') {
  const path = await createVnf(system.api, vnfdId);
  const notice = { text: NOTICE, ssh_cp_name: cp, username: 'ubuntu', password: PASSWORD };
  const body: JsonObject = { ...scalingRequest('net0'), additionalParams: { notice } };
  return { path, answer: await system.api.post<JsonObject>(`${path}/instantiate`, body) };
}
