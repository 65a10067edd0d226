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

/** Windlass over an emulated OpenStack, and the command line that speaks to it. */
export interface ClientRig {
  system: System;
  client: OpenStackClient;
  /** The default VIM. */
  vimId: string;
  close(): Promise<void>;
}

/** Tokens of the emulator's Keystone open the REST API, as under `./windlass up --lab`; a static token does, too, for what tests look at beside the client. */
async function access(emulator: OpenStackEmulator, folder: string, token: string): Promise<Access> {
  const vnfmPasswordFile = join(folder, 'vnfm-password');
  await writeFile(vnfmPasswordFile, emulator.vnfm.password, { mode: 0o600 });
  const lab = { keystoneUrl: emulator.url, project: emulator.tenant.project, vnfmPasswordFile, emulator };
  return accessBy({ ...labEnvironment(lab)('lcm-api'), LCM_TOKEN: token });
}

/** The client is told nothing but the tenant's `OS_*`: it finds the VNFM in Keystone's catalog. Subscribers and packages' repositories on this machine are reached. */
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

/** Onboards a package of its own by the command line; the VNFD's id. */
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

/** The id of a new instance. */
export const createdVnf = async (client: OpenStackClient, vnfdId: string): Promise<string> =>
  String((await client.show('vnflcm', 'create', vnfdId)).ID);

/** The file of an instantiation on the emulator's network, as that version of the API has it. */
export const instantiation = (client: OpenStackClient, version: string): Promise<string> =>
  client.file(`instantiate-${version}.json`, version === '1' ? scalingRequest('net0') : scalingRequestV2('net0'));

/** Looks with the command line until something is so. */
export async function until(look: () => Promise<boolean>, what: string): Promise<void> {
  await waitUntil(async () => (await look()) || undefined, { for: what, within: seconds(180), every: millis(100) });
}

/** The newest operation of an instance, when it stands at one of these states. */
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

/** Clears the VIM's faults when a test ends. */
export function withFaults({ system }: ClientRig, ...faults: Parameters<System['emulator']['faults']['add']>[0][]): void {
  for (const fault of faults) system.emulator.faults.add(fault);
  onTestFinished(() => system.emulator.faults.clear());
}
