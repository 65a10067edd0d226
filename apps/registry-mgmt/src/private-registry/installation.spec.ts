import { crashSuite } from '@windlass/driver-kit/testing';
import type { Vnfc } from '@windlass/mgmt-driver';
import { describe, expect, it } from 'vitest';
import { registryParts } from '../service.js';
import { bench, healOf, hookOf, params, paramsOf, PASSWORD, REGISTRY, type RegistryBenchOptions } from './testing/bench.js';
import { PULLED } from './step-inputs.js';
import { accessLabel, DROP_IN, OWN, PROXIES, APT_PROXY } from './scripts.js';

const run = async (options: RegistryBenchOptions = {}) => {
  const made = bench(options);
  await made.runner.run();
  return made;
};
const stepsOf = ({ runner }: Pick<ReturnType<typeof bench>, 'runner'>) => runner.steps.map(({ id }) => id);
const OPEN = accessLabel({ login: false });
const STEPS = ['install-engine', 'load-image', 'run-registry', 'verify-registry'].map((name) => `${name}:${REGISTRY.id}`);

crashSuite('an installation with the image of the package', {
  bench,
  stands: ({ vm, hosts }) => {
    expect(vm.container).toBe(`true always 10.0.0.5 5000 ${OPEN} registry:2`);
    expect([...hosts.machine(REGISTRY.resourceId).files.keys()], 'the archive is gone once it was loaded').toEqual([]);
  },
});

crashSuite('an installation where no container runs', {
  bench: (points) => bench({ params: paramsOf({ port_no: 5001 }), runsContainers: false, ...points }),
  stands: ({ vm, runner }) => {
    expect(vm).toMatchObject({ container: undefined, program: '10.0.0.5:5001', docker: false });
    expect(runner.outputs.get(STEPS[2] ?? '')).toEqual({
      notes: [expect.stringMatching(/^no container runs on vm-registry: no cgroups here; .*docker-registry serves in its place/)],
    });
  },
});

describe('an installation', () => {
  it('does what the document’s sequence says, in its order', async () => {
    expect(stepsOf(await run())).toEqual(STEPS);
  });

  it('pulls the image where the package has none, at the port that was asked for, and says nothing of it', async () => {
    const { vm, runner } = await run({ params: paramsOf({ port_no: '443' }) });
    expect(vm.container).toBe(`true always 10.0.0.5 443 ${OPEN} ${PULLED}`);
    expect(runner.outputs.get(STEPS[2] ?? '')).toEqual({});
  });

  it('pulls an image that a digest names, and the one that the request names in its place', async () => {
    expect(PULLED).toMatch(/^registry:[0-9.]+@sha256:[0-9a-f]{64}$/);
    const registry_image = `mirror.example:5000/registry@sha256:${'0'.repeat(64)}`;
    expect((await run({ params: paramsOf({ registry_image }) })).vm.images).toEqual(new Set([registry_image]));
  });

  it.each([
    ['http_proxy', { http_proxy: 'http://a:b@p:1' }, 'HTTP_PROXY=http://a:b@p:1\n', 'Acquire::http::Proxy "http://a:b@p:1";\n'],
    ['https_proxy', { https_proxy: 'http://p:2' }, 'HTTPS_PROXY=http://p:2\n', 'Acquire::https::Proxy "http://p:2";\n'],
    ['no_proxy', { no_proxy: 'a.example, b' }, 'NO_PROXY=a.example, b\n', undefined],
  ])('takes %s by itself', async (_, proxy, engine, apt) => {
    const { vm } = await run({ params: paramsOf({ proxy }) });
    expect(vm.files.get(PROXIES)).toBe(engine);
    expect(vm.files.get(APT_PROXY)).toBe(apt);
    expect(vm.files.get(DROP_IN)).toContain(`EnvironmentFile=${PROXIES}`);
  });

  it('finds every step done when it is asked again, and no longer when a proxy changes', async () => {
    const { runner } = await run({ params: paramsOf({ proxy: { http_proxy: 'http://p:1' } }) });
    for (const id of STEPS.slice(0, 3)) {
      const there = await runner.action(id).check?.(runner.runOf(id, { epoch: 2, attemptEpoch: 2 }));
      expect(there, id).toEqual({ output: runner.outputs.get(id) });
    }
    const [id = ''] = STEPS;
    const { input } = runner.runOf(id);
    const otherwise = { ...input, proxy: { http_proxy: 'http://p:2' } };
    expect(await runner.action(id).check?.(runner.runOf(id, { epoch: 3, attemptEpoch: 3, input: otherwise }))).toBe(false);
  });

  it('shows no password, neither of the login nor of the proxies', async () => {
    const { runner, plan, lines, hosts } = await run({ params: paramsOf({ proxy: { http_proxy: 'http://me:proxy-word@p:1' } }) });
    const seen = JSON.stringify([plan, lines, [...runner.outputs], hosts.processes, hosts.looks]);
    expect(seen).not.toContain(PASSWORD);
    expect(seen).not.toContain('proxy-word');
  });

  it('refuses a VM whose packages it does not know, before anything is changed there', async () => {
    const made = bench();
    made.hosts.machine(REGISTRY.resourceId).facts = { osId: 'rocky', osVersion: '9', arch: 'x86_64' };
    await expect(made.runner.run()).rejects.toThrow('vm-registry runs rocky 9; the registry is installed on debian and ubuntu');
    expect(made.hosts.processes).toEqual([]);
  });

  it('goes on at the step that failed, and sends the image once more only where it is not there whole', async () => {
    const made = bench();
    const [, load = ''] = STEPS;
    const { runner, hosts } = made;
    await runner.performOnce(STEPS[0] ?? '');
    const machine = hosts.machine(REGISTRY.resourceId);
    await runner.performOnce(load);
    made.vm.files.clear();
    made.vm.images.clear();
    const content = Buffer.from('half of it');
    machine.files.set(`${OWN}/image.tar`, { content, mode: 0o600, owner: 'root' });
    await runner.performOnce(load, { epoch: 2, attemptEpoch: 2 });
    expect(made.vm.images).toEqual(new Set(['registry:2']));
  });
});

describe('a volume of the VM', () => {
  const storageOf = async (volumes: Vnfc['volumes'] = []) => {
    const { offered, runner } = await run({ hook: { vnfcs: [{ ...REGISTRY, volumes }] } });
    return { asked: offered.inputsOf('set-up-storage'), steps: runner.steps };
  };
  const volume = { name: 'data', resourceId: 'volume-1', device: '/dev/vdb' };

  it('is mounted under the images before anything else, and exported to nobody', async () => {
    const { asked, steps } = await storageOf([volume]);
    expect(asked).toMatchObject([
      {
        volumes: [{ volumeId: 'volume-1', device: '/dev/vdb', mountTo: '/private_registry' }],
        exports: [],
        machine: { name: 'vm-registry' },
      },
    ]);
    expect(steps.map(({ id }) => id)).toEqual([`set-up-storage:${REGISTRY.id}`, ...STEPS]);
    expect(steps[0]?.traits).toEqual({ undoable: false, contributes: true });
  });

  it.each([
    ['the one that the VM boots from', { ...volume, device: '/dev/vda' }],
    ['one that is missing', { ...volume, resourceId: '' }],
  ])('is left alone where it is %s; the next is taken', async (_, first) => {
    expect((await storageOf([first])).asked).toEqual([]);
    const { asked } = await storageOf([first, { ...volume, resourceId: 'volume-2', device: null }]);
    expect(asked).toMatchObject([{ volumes: [{ volumeId: 'volume-2', device: null }] }]);
  });
});

describe('a heal', () => {
  it('installs the same again on the new VM', async () => {
    const { vm } = await run({ hook: { hook: 'heal_end', heal: healOf() } });
    expect(vm.container).toBe(`true always 10.0.0.5 5000 ${OPEN} registry:2`);
  });

  it('of the whole takes every VM, whose ids are new', () => {
    const heal = healOf({ vnfcIds: ['of-before'], whole: true, recreates: true });
    expect(stepsOf(bench({ hook: { hook: 'heal_end', heal } }))).toEqual([`secure-registry:${REGISTRY.id}`, ...STEPS]);
  });

  it('of another VNFC does nothing', () => {
    const hook = hookOf({ hook: 'heal_end', heal: healOf({ vnfcIds: ['another'] }), instantiateParams: params });
    expect(registryParts.driver.plan(hook).root).toEqual({ kind: 'parallel', of: [] });
  });
});

describe('a registry that does not answer', () => {
  it('fails the operation with what was said', async () => {
    const made = bench();
    made.hosts.on(/script\.sh '?5000'? docker/, { status: 1, stderr: 'it printed at last: panic: no space left\n' });
    await expect(made.runner.run()).rejects.toThrow('panic: no space left');
  });
});
