import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonObject } from '@windlass/foundation';
import { testServer } from '@windlass/outbound/testing';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { scalingPackage } from '../support/scaling-package.js';
import { startClientRig, until, type ClientRig } from './support/rig.js';

let rig: ClientRig;
beforeAll(async () => {
  rig = await startClientRig();
});
afterAll(() => rig.close());

describe('openstack vnf package', () => {
  it('takes a package from its creation to its deletion, each command with its own columns', async () => {
    const { client } = rig;
    const vnfdId = randomUUID();
    const zip = scalingPackage(vnfdId);
    const created = await client.show('vnf', 'package', 'create', '--user-data', 'site=north');
    expect(created).toMatchObject({
      'Onboarding State': 'CREATED',
      'Operational State': 'DISABLED',
      'Usage State': 'NOT_IN_USE',
      'User Defined Data': { site: 'north' },
    });
    const id = String(created.ID);
    expect(await client.ok('vnf', 'package', 'upload', '--path', await client.file('one.zip', zip), id)).toBe(
      `Upload request for VNF package ${id} has been accepted.`,
    );
    await until(async () => (await client.show('vnf', 'package', 'show', id))['Onboarding State'] === 'ONBOARDED', 'onboarding');
    expect(await client.show('vnf', 'package', 'show', id)).toMatchObject({
      'VNF Product Name': 'Scaling',
      'VNF Provider': 'Me',
      'VNF Software Version': '1.0',
      'VNFD ID': vnfdId,
      'VNFD Version': '1.0',
      'Operational State': 'ENABLED',
      Checksum: { algorithm: 'SHA-512' },
      Links: { self: { href: expect.stringContaining(id) as string } },
    });
    await downloads(id, zip);
    await updates(id);
    expect(await client.ok('vnf', 'package', 'delete', id)).toBe('All specified vnf-package(s) deleted successfully');
    const gone = await client.run('vnf', 'package', 'show', id);
    expect([gone.status, gone.stderr]).toEqual([1, expect.stringContaining(id)]);
  });

  it('has a package fetched from a URL with a name and a password, and is told why another is not taken', async () => {
    const { client } = rig;
    const password = randomUUID();
    const login = `Basic ${Buffer.from(`me:${password}`).toString('base64')}`;
    const zip = scalingPackage(randomUUID());
    const repository = await testServer((request, response) => {
      const right = request.path === '/scaling.zip' && request.headers.authorization === login;
      response.writeHead(right ? 200 : 403).end(right ? zip : 'no');
    });
    onTestFinished(() => repository.close());
    const fetched = async (file: string): Promise<string> => {
      const id = String((await client.show('vnf', 'package', 'create')).ID);
      const url = `${repository.url}/${file}`;
      expect(await client.ok('vnf', 'package', 'upload', '--url', url, '--user-name', 'me', '--password', password, id)).toBe(
        `Upload request for VNF package ${id} has been accepted.`,
      );
      return id;
    };
    const shown = (id: string) => client.show('vnf', 'package', 'show', id);
    const [good, bad] = [await fetched('scaling.zip'), await fetched('other.zip')];
    await until(async () => (await shown(good))['Onboarding State'] === 'ONBOARDED', 'onboarding');
    await until(async () => (await shown(bad))['Onboarding State'] === 'CREATED', 'the refusal');
    // The client has a row for the reason, and nothing in it: it looks for a name in lower case. Other clients read it.
    expect(await shown(bad)).toMatchObject({ onboardingFailureDetails: '' });
    const { data: reason } = await rig.system.api.get<JsonObject>(`/vnfpkgm/v1/vnf_packages/${bad}`);
    expect(reason.onboardingFailureDetails).toMatchObject({ detail: expect.stringContaining('403') as string });
    expect(JSON.stringify([await shown(good), reason])).not.toContain(password);
    await client.show('vnf', 'package', 'update', '--operational-state', 'DISABLED', good);
    expect(await client.ok('vnf', 'package', 'delete', good, bad)).toBe('All specified vnf-package(s) deleted successfully');
    const id = String((await client.show('vnf', 'package', 'create')).ID);
    const foreign = await client.run('vnf', 'package', 'upload', '--url', 'http://127.0.0.2/x.zip', id);
    expect([foreign.status, foreign.stderr]).toEqual([1, expect.stringContaining('127.0.0.2')]);
    await client.ok('vnf', 'package', 'delete', id);
  });

  async function downloads(id: string, zip: Buffer): Promise<void> {
    const { client } = rig;
    const file = join(client.folder, 'fetched.zip');
    await client.ok('vnf', 'package', 'download', '--file', file, id);
    expect((await readFile(file)).equals(zip)).toBe(true);
    const vnfd = async (type: string): Promise<Buffer> => {
      const path = join(client.folder, `vnfd-${type.replace('/', '-')}`);
      await client.ok('vnf', 'package', 'download', '--vnfd', '--type', type, '--file', path, id);
      return readFile(path);
    };
    expect((await vnfd('text/plain')).toString()).toContain('tosca_definitions_version');
    expect((await vnfd('application/zip')).subarray(0, 2).toString()).toBe('PK');
    const none = await client.run('vnf', 'package', 'artifact', 'download', '--file', file, id, 'Scripts/none.sh');
    expect([none.status, none.stderr]).toEqual([1, expect.stringContaining('declares no such artifact')]);
  }

  async function updates(id: string): Promise<void> {
    const { client } = rig;
    const twice = await client.run('vnf', 'package', 'update', '--operational-state', 'ENABLED', id);
    expect([twice.status, twice.stderr]).toEqual([1, expect.stringContaining('ENABLED')]);
    const enabled = await client.run('vnf', 'package', 'delete', id);
    expect([enabled.status, enabled.stderr]).toEqual([1, expect.stringContaining('ENABLED')]);
    expect(await client.show('vnf', 'package', 'update', '--operational-state', 'DISABLED', id)).toEqual({
      'Operational State': 'DISABLED',
    });
    expect(await client.show('vnf', 'package', 'update', '--user-data', 'site=south', id)).toEqual({
      'User Defined Data': { site: 'south' },
    });
  }

  it('lists what a filter and the selectors of the command ask for, with underscores or a hyphen', async () => {
    const { client, system } = rig;
    const { ID } = await client.show('vnf', 'package', 'create', '--user-data', 'site=north');
    await client.show('vnf', 'package', 'create');
    expect(await client.list('vnf', 'package', 'list', '--filter', `(eq,id,${String(ID)})`)).toEqual([
      expect.objectContaining({ Id: ID, 'Onboarding State': 'CREATED', 'Usage State': 'NOT_IN_USE' }),
    ]);
    const fields = async (...more: string[]): Promise<string[]> =>
      Object.keys((await client.list('vnf', 'package', 'list', '--filter', `(eq,id,${String(ID)})`, ...more))[0] ?? {});
    expect(await fields('--fields', 'userDefinedData')).toContain('User Defined Data');
    expect(await fields('--all_fields')).toEqual(expect.arrayContaining(['User Defined Data', 'Software Images', 'Checksum']));
    expect(await fields('--exclude_fields', 'userDefinedData')).not.toContain('User Defined Data');
    expect(await fields('--exclude_default')).not.toContain('User Defined Data');
    const hyphen = await system.api.get<object[]>('/vnfpkgm/v1/vnf_packages?exclude-fields=userDefinedData');
    expect([hyphen.status, hyphen.data.some((one) => 'userDefinedData' in one)]).toEqual([200, false]);
  });
});

describe('openstack vim', () => {
  it('registers, lists, shows by name or id, changes and deletes a VIM, and shows no password', async () => {
    const { client, vimId } = rig;
    const file = await client.file('vim.yaml', vimFile());
    const registered = await client.show('vim', 'register', 'second', '--config-file', file, '--description', 'another one');
    expect(registered).toMatchObject({ name: 'second', description: 'another one', type: 'openstack', is_default: false });
    const id = String(registered.id);
    const listed = await client.list('vim', 'list', '--long');
    expect(listed.map(({ ID, Name, 'Is Default': isDefault }) => [ID, Name, isDefault])).toEqual(
      expect.arrayContaining([
        [id, 'second', false],
        [vimId, 'lab', true],
      ]),
    );
    for (const name of ['second', id]) expect(await client.show('vim', 'show', name)).toMatchObject({ id, name: 'second' });
    expect(await client.show('vim', 'set', 'second', '--name', 'third', '--description', 'renamed')).toMatchObject({
      id,
      name: 'third',
      description: 'renamed',
    });
    expect(JSON.stringify(await client.show('vim', 'show', 'third'))).not.toContain(rig.system.emulator.tenant.password);
    expect(await client.ok('vim', 'delete', 'third')).toBe('All specified vim(s) deleted successfully');
    const gone = await client.run('vim', 'show', 'third');
    expect([gone.status, gone.stderr]).toEqual([1, expect.stringContaining('third')]);
  });

  it('says why a VIM is not taken', async () => {
    const { client } = rig;
    const file = await client.file('wrong.yaml', vimFile('not the password'));
    const refused = await client.run('vim', 'register', 'wrong', '--config-file', file);
    expect(refused.status).toBe(1);
    expect(refused.stderr).not.toBe('');
    expect(refused.stderr).not.toContain('not the password');
    expect((await client.list('vim', 'list')).map(({ Name }) => Name)).not.toContain('wrong');
  });

  /** As the reference system's guides write it. */
  function vimFile(password = rig.system.emulator.tenant.password): string {
    const { url, tenant } = rig.system.emulator;
    return [
      `auth_url: ${JSON.stringify(url)}`,
      `username: ${JSON.stringify(tenant.user)}`,
      `password: ${JSON.stringify(password)}`,
      `project_name: ${JSON.stringify(tenant.project)}`,
      'project_domain_name: "Default"',
      'user_domain_name: "Default"',
      'cert_verify: "True"',
      '',
    ].join('\n');
  }
});
