import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { testCertificates, type TestCertificates } from '@windlass/embedded/testing';
import type { RegistryInput } from '@windlass/driver-kit';
import { seconds, waitUntil, type JsonObject } from '@windlass/foundation';
import { imageContent } from '@windlass/lab';
import type { Vnfc } from '@windlass/mgmt-driver';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RegistryClient, type ClientOptions } from './support/registry-client.js';
import { registryArchive } from './support/registry-image.js';
import { IMAGE_PATH, PARAM_OF_REGISTRY, registryLab } from './support/registry-lab.js';

const LAYER = randomBytes(64 * 1024);
const USER = 'puller';
const PASSWORD = 'hunter2 $HOME of the registry';
/** Of the registry that a test makes. */
let port = 5443;

let lab: Awaited<ReturnType<typeof registryLab>>;
let tls: TestCertificates;
let ca: string;
let archive: Buffer;
beforeAll(async () => {
  lab = await registryLab();
  tls = testCertificates(path.join(lab.dataDir, 'tls'), 'registries of a test', [`IP:${lab.address}`]);
  ca = tls.read('ca.pem');
  archive = await registryArchive(lab.fleet.repositoryUrl);
});
afterAll(() => lab.end());

const paramsOf = (more: JsonObject = {}): JsonObject => ({
  [PARAM_OF_REGISTRY]: {
    ssh_cp_name: 'CP1',
    ssh_username: 'ubuntu',
    ssh_password: 'ubuntu',
    port_no: port,
    registry_username: USER,
    registry_password: PASSWORD,
    tls_certificate: tls.read('server.pem'),
    tls_key: tls.read('server.key'),
    ...more,
  },
});

const client = (options: ClientOptions = { ca, login: { user: USER, password: PASSWORD } }, scheme = 'https') =>
  new RegistryClient(`${scheme}://${lab.address}:${port}`, options);

/** Who is let in, and how: the same of the container and of the program. */
async function expectClosed(password = PASSWORD): Promise<void> {
  const status = (login?: ClientOptions['login']) => client({ ca, ...(login === undefined ? {} : { login }) }).status();
  expect(await status(), 'without a login').toBe(401);
  expect(await status({ user: USER, password: `${password}!` }), 'with a wrong password').toBe(401);
  expect(await status({ user: 'somebody', password }), 'as somebody else').toBe(401);
  expect(await status({ user: USER, password })).toBe(200);
  expect(await client({ login: { user: USER, password } }, 'http').status(), 'in the clear').toBe(400);
  await expect(client({}).status(), 'by who trusts another authority').rejects.toThrow(/unable to verify|self-signed|issuer/);
  await expect(client({ ca }).push('team/other', 'v1', LAYER), 'pushing without a login').rejects.toThrow(': 401 ');
}

/** Sockets that listen at the port: their addresses. */
const listening = async (vm: Vnfc): Promise<string[]> =>
  (await lab.said(vm, `ss --no-header --listening --tcp --numeric 'sport = :${port}' | awk '{ print $4 }' | sort -u`)).split(
    '\n',
  );

/** Where on the VM a secret can be read by who looks for it: files beside those that are for it, commands, logs, the container. */
async function placesOf(vm: Vnfc, secret: string): Promise<string> {
  const found = `grep --recursive --files-with-matches --fixed-strings --text --file=/run/looked-for`;
  return lab.said(
    vm,
    // Its own command line has it in another form.
    `printf %s ${Buffer.from(secret).toString('base64')} | base64 --decode > /run/looked-for
${found} /etc /var/lib/windlass /var/log /tmp /root /home 2> /dev/null
cat /proc/[0-9]*/cmdline | tr '\\0' '\\n' | grep --fixed-strings --file=/run/looked-for
journalctl --no-pager | grep --fixed-strings --file=/run/looked-for
docker inspect private_registry 2> /dev/null | grep --fixed-strings --file=/run/looked-for
rm /run/looked-for`,
  );
}

async function expectNothingShown(vm: Vnfc, shown: readonly string[]): Promise<void> {
  const [, line = ''] = tls.read('server.key').split('\n');
  expect(await placesOf(vm, PASSWORD)).toBe('');
  expect(await placesOf(vm, line)).toBe('/etc/windlass-private-registry/tls.key');
  expect(await lab.said(vm, 'stat -c "%a %n" /etc/windlass-private-registry /etc/windlass-private-registry/*')).toBe(
    [
      '700 /etc/windlass-private-registry',
      ...['htpasswd', 'tls.crt', 'tls.key'].map((name) => `600 /etc/windlass-private-registry/${name}`),
    ].join('\n'),
  );
  expect(shown.join('\n')).not.toContain(PASSWORD);
  expect(shown.join('\n')).not.toContain(line);
}

describe('a registry with login and certificate', () => {
  it('as a container lets nobody else in, at its address alone, also after the VM has restarted; nodes pull by login and CA', async () => {
    const vm = await lab.boot();
    const shown: string[] = [];
    expect(await lab.run(vm, paramsOf({ image_path: IMAGE_PATH }), archive, { shown })).toEqual([]);
    await expectClosed();
    const digest = await client().push('team/app', 'v1', LAYER);
    expect(await client().pull('team/app', 'v1')).toEqual({ digest, layer: LAYER });
    expect(await listening(vm)).toEqual([`${lab.address}:${port}`]);
    await expectNothingShown(vm, shown);
    await lab.fleet.reboot(vm.resourceId);
    await lab.fleet.ready(vm.resourceId);
    const again = () =>
      client()
        .pull('team/app', 'v1')
        .catch(() => undefined);
    const terms = { for: 'the registry to come back', within: seconds(60), every: seconds(0.5) };
    expect(await waitUntil(again, terms)).toEqual({ digest, layer: LAYER });
    await expectClosed();

    const server = `${lab.address}:${port}`;
    const certificate = { vnfPkgId: 'package', path: 'Files/ca.crt', size: ca.length, sha256: 'not compared here' };
    const registry: RegistryInput = { server, scheme: 'https', certificate, username: USER, password: PASSWORD };
    await client().pushImage('team/pause', '1.0', imageContent('team/pause:1.0'));
    const node = await lab.node([registry], { 'Files/ca.crt': ca });
    expect(await lab.pulled(node, `${server}/team/pause:1.0`)).toBe('');
  });

  it('is the same after a heal, and by the program itself; a password that the heal gives is the one', async () => {
    // One that only root may listen at, or who was given that right.
    port = 443;
    const vm = await lab.boot();
    await lab.refuseContainers(vm);
    const shown: string[] = [];
    const heal = { vnfcIds: [vm.id], whole: false, recreates: false, cause: null, earlierResourceIds: { [vm.id]: 'gone' } };
    const hook = { hook: 'heal_end', heal } as const;
    await lab.run(vm, paramsOf(), undefined, { hook, requestParams: {}, shown });
    await expectClosed();
    const digest = await client().push('team/app', 'v1', LAYER);
    expect(await client().pull('team/app', 'v1')).toEqual({ digest, layer: LAYER });
    expect(await listening(vm)).toEqual([`${lab.address}:443`]);
    await expectNothingShown(vm, shown);
    const own = { [PARAM_OF_REGISTRY]: { registry_username: USER, registry_password: 'another one' } };
    await lab.run(vm, paramsOf(), undefined, { hook, requestParams: own });
    await expectClosed('another one');
  });
});
