import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { millis, seconds, waitUntil } from '@windlass/foundation';
import type { OpenStackEmulator } from '@windlass/lab';
import type { Access } from '@windlass/lcm-api';
import { labEnvironment } from '@windlass/workbench';
import { accessBy } from '../../identity/support/access.js';
import { NOTIFYING } from '../../notifications/support/notifying.js';
import { registerVim, startSystem, type System } from '../../support/system.js';
import { scalingPackage, scalingRequest, scalingRequestV2 } from '../../support/scaling-package.js';
import { OpenStackClient } from './client.js';

/** Windlass over an emulated OpenStack, and the command line that asks Windlass. */
export interface ClientRig {
  system: System;
  client: OpenStackClient;
  /** The id of the default VIM. */
  vimId: string;
  close(): Promise<void>;
}

/** The REST API accepts tokens of the emulator's Keystone, as under `./windlass up --lab`, and a static token, for the tests' own requests. */
async function access(emulator: OpenStackEmulator, folder: string, token: string): Promise<Access> {
  const vnfmPasswordFile = join(folder, 'vnfm-password');
  await writeFile(vnfmPasswordFile, emulator.vnfm.password, { mode: 0o600 });
  const lab = { keystoneUrl: emulator.url, project: emulator.tenant.project, vnfmPasswordFile, emulator };
  return accessBy({ ...labEnvironment(lab)('lcm-api'), LCM_TOKEN: token });
}

/** Starts the rig. The client gets the tenant's `OS_*` alone, and finds the VNFM in Keystone's catalog. Windlass may reach subscribers and repositories of packages on this machine. */
export async function startClientRig(): Promise<ClientRig> {
  const folder = await mkdtemp(join(tmpdir(), 'windlass-client-rig-'));
  const token = randomUUID();
  const system = await startSystem({
    access: (emulator) => access(emulator, folder, token),
    lcm: { ...NOTIFYING, packages: { hosts: ['127.0.0.1'] } },
  });
  system.api.defaults.headers['X-Auth-Token'] = token;
  const { emulator } = system;
  emulator.registerVnfm(system.api.defaults.baseURL ?? '');
  const vimId = await registerVim(system);
  const client = await OpenStackClient.with({
    OS_AUTH_URL: emulator.url,
    OS_IDENTITY_API_VERSION: '3',
    OS_USERNAME: emulator.tenant.user,
    OS_PASSWORD: emulator.tenant.password,
    OS_PROJECT_NAME: emulator.tenant.project,
    OS_USER_DOMAIN_NAME: 'Default',
    OS_PROJECT_DOMAIN_NAME: 'Default',
  });
  return {
    system,
    client,
    vimId,
    close: async () => {
      await client.close();
      await system.close();
      await rm(folder, { recursive: true });
    },
  };
}

/** Onboards a new package by the command line. */
export async function onboarded(client: OpenStackClient): Promise<{ vnfdId: string; packageId: string }> {
  const vnfdId = randomUUID();
  const zip = await client.file(`${vnfdId}.zip`, scalingPackage(vnfdId));
  const { ID } = await client.show('vnf', 'package', 'create');
  const packageId = String(ID);
  await client.ok('vnf', 'package', 'upload', '--path', zip, packageId);
  await until(
    async () => (await client.show('vnf', 'package', 'show', packageId))['Onboarding State'] === 'ONBOARDED',
    'onboarded',
  );
  return { vnfdId, packageId };
}

/** Creates an instance. Returns the instance's id. */
export const createdVnf = async (client: OpenStackClient, vnfdId: string): Promise<string> =>
  String((await client.show('vnflcm', 'create', vnfdId)).ID);

/** Writes the request of an instantiation on the emulator's network, for a version of the API. Returns the file's path. */
export const instantiation = (client: OpenStackClient, version: string): Promise<string> =>
  client.file(`instantiate-${version}.json`, version === '1' ? scalingRequest('net0') : scalingRequestV2('net0'));

/** Waits until a look with the command line is true. */
export async function until(look: () => Promise<boolean>, what: string): Promise<void> {
  await waitUntil(async () => (await look()) || undefined, { for: what, within: seconds(180), every: millis(100) });
}

/** Waits until an instance's operation is in one of these states. Returns the operation's id. */
export async function operationAt(client: OpenStackClient, vnf: string, operation: string, ...states: string[]): Promise<string> {
  const found: { id?: string } = {};
  await until(
    async () => {
      const all = await client.list('vnflcm', 'op', 'list', '--filter', `(eq,vnfInstanceId,${vnf});(eq,operation,${operation})`);
      const one = all.find((each) => states.includes(String(each['Operation State'])));
      if (one !== undefined) found.id = String(one.ID);
      return one !== undefined;
    },
    `${operation} of ${vnf} to be ${states.join(' or ')}`,
  );
  return found.id ?? '';
}

/** Adds faults to the VIM, which end with the test. */
export function withFaults({ system }: ClientRig, ...faults: Parameters<System['emulator']['faults']['add']>[0][]): void {
  for (const fault of faults) system.emulator.faults.add(fault);
  onTestFinished(() => system.emulator.faults.clear());
}
