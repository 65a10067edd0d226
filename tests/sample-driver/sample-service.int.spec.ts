import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { oneDriver, startDrivers } from '@windlass/driver-kit';
import { testFolder } from '@windlass/embedded/testing';
import { millis, seconds, waitUntil, type JsonObject } from '@windlass/foundation';
import { CoreKeys, DriverAsker, mgmtContracts, NatsCoordinatorClient, RequestClient } from '@windlass/messaging';
import { PgDrivers, PgEnrolments } from '@windlass/persistence';
import { startService, type RunningService, type StartedService } from '@windlass/service-kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newToken, startEnrolment, taken } from '../support/enrolment.js';
import { scalingPackage, scalingRequest } from '../support/scaling-package.js';
import { atRest, createVnf, onboardZip, quiet, registerVim, startSystem, type System } from '../support/system.js';
import { noticeMgmt, noticeParts } from './product/service.js';
import { hook, machines, paramsFor, PASSWORD, TEXT } from './support.js';

const CP = 'VDU1_CP1';
const folder = testFolder();
let system: System;
let vnfdId: string;

const untilReady = (is: () => boolean | Promise<boolean>): Promise<true> =>
  waitUntil(async () => ((await is()) ? true : undefined), { for: 'the driver', within: seconds(60), every: millis(50) });

const withHook = (vnfd: string): string =>
  vnfd.replace(
    '\n    VDU1:',
    '\n      interfaces:\n        Vnflcm:\n          instantiate_end: { implementation: mgmt-drivers-notice }\n    VDU1:',
  );

/** Asks for an instance that has the notice on its VM. */
async function instantiate(cp = CP) {
  const path = await createVnf(system.api, vnfdId);
  const body: JsonObject = { ...scalingRequest('net0'), additionalParams: paramsFor(cp) };
  return { path, answer: await system.api.post<JsonObject>(`${path}/instantiate`, body) };
}

beforeAll(async () => {
  system = await startSystem();
  await registerVim(system);
  vnfdId = randomUUID();
  await onboardZip(system.api, scalingPackage(vnfdId, withHook));
});
afterAll(async () => {
  await system.close();
  folder.remove();
});

describe('the sample as a service of its own', () => {
  let service: StartedService;
  const logged: string[] = [];

  beforeAll(async () => {
    const { database, masterKeys, servers } = system;
    const tokenFile = join(folder.path, 'token');
    writeFileSync(tokenFile, (await newToken(database, masterKeys, { service: 'notice-mgmt' })).text, { mode: 0o600 });
    const { url, user, password } = servers.nats;
    service = await startService(noticeMgmt, {
      environment: {
        NATS_URL: url,
        NATS_USER: user,
        NATS_PASSWORD: password,
        WORKER_KEY_FILE: join(folder.path, 'worker.key'),
        ENROLMENT_TOKEN_FILE: tokenFile,
        // Where the VIM says that the VM is.
        VIM_DENY: '10.0.0.0/8',
      },
      sink: { write: (line) => void logged.push(line) },
      onFailure: (error) => console.error(error),
    });
    await untilReady(() => service.isReady());
  });
  afterAll(() => service.stop());

  it('is announced: what it says of itself is kept', async () => {
    expect(await new PgDrivers(system.database).find('mgmt-drivers-notice')).toEqual(noticeParts.driver.describe());
  });

  it('is asked for a plan, and proves its answer', async () => {
    const { link, database, masterKeys } = system;
    const asker = new DriverAsker({
      link,
      coreKeys: new CoreKeys(masterKeys),
      enrolments: new PgEnrolments(database),
      log: quiet,
    });
    const context = { ...hook, instantiateParams: paramsFor('CP1') };
    const answer = await asker.ask(noticeParts.driver.describe(), mgmtContracts('mgmt-drivers-notice').plan, context);
    expect(answer).toEqual(noticeParts.driver.plan(context));
  });

  it('refuses a request before it is accepted', async () => {
    const { answer } = await instantiate('nobody');
    expect(answer.status, JSON.stringify(answer.data)).toBe(400);
    expect(answer.data).toMatchObject({ invalidParams: [{ path: '/additionalParams/notice/ssh_cp_name' }] });
  });

  it('connects to no machine where its operator does not let it', async () => {
    const { answer } = await instantiate();
    const ended = await atRest(system.api, answer);
    expect(ended).toMatchObject({ operationState: 'FAILED_TEMP' });
    expect(JSON.stringify(ended)).toMatch(/10\.\d+\.\d+\.\d+:22 is not where this VNFM may connect to/);
  });

  it('ends when it is told to, and logged no secret', async () => {
    expect(await service.stop()).toBe(true);
    expect(logged.join('')).not.toContain(PASSWORD);
  });
});

describe('an operation with the sample’s step', () => {
  const { hosts, notices } = machines();
  let driver: RunningService;
  let stop: () => Promise<void>;

  beforeAll(async () => {
    const { link, database, masterKeys } = system;
    const worker = { service: 'notice-mgmt', worker: 'notice-mgmt@test', link, log: quiet };
    const enrolment = startEnrolment({ ...worker, token: (await newToken(database, masterKeys, worker)).text });
    await taken(enrolment);
    const coordinator = new NatsCoordinatorClient(new RequestClient(link), enrolment);
    driver = await startDrivers({
      ...oneDriver(noticeParts),
      link,
      enrolment,
      coordinator,
      hosts,
      replica: worker.worker,
      log: quiet,
    });
    stop = async () => {
      await driver.stop();
      await enrolment.stop();
    };
    await untilReady(() => driver.ready);
  });
  afterAll(() => stop());

  it('ends with the notice on the VM', async () => {
    const { answer } = await instantiate();
    const ended = await atRest(system.api, answer);
    expect(ended, JSON.stringify(ended)).toMatchObject({ operationState: 'COMPLETED' });
    expect([...notices.values()]).toEqual([TEXT]);
  });

  it('is rolled back without it, also where the step failed when it was half done', async () => {
    notices.clear();
    hosts.on(/script\.sh.*\/notice/, ({ machine }) => ({
      status: 1,
      effect: () => void notices.set(machine.resourceId, 'half a notice'),
    }));
    const { answer } = await instantiate();
    const failed = await atRest(system.api, answer);
    expect(failed, JSON.stringify(failed)).toMatchObject({ operationState: 'FAILED_TEMP' });
    expect(notices.size).toBe(1);
    await system.api.post(`/vnflcm/v1/vnf_lcm_op_occs/${String(failed.id)}/rollback`);
    await waitUntil(
      async () => {
        const { data } = await system.api.get<JsonObject>(`/vnflcm/v1/vnf_lcm_op_occs/${String(failed.id)}`);
        return data.operationState === 'ROLLED_BACK' ? true : undefined;
      },
      { for: 'the roll-back', within: seconds(30), every: millis(50) },
    );
    expect(notices.size).toBe(0);
  });
});
