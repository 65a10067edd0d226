import type { JsonObject } from '@windlass/foundation';
import type { HookContext } from '@windlass/mgmt-driver';
import { readConfig } from '@windlass/service-kit';
import { describe, expect, it } from 'vitest';
import { K8sMgmtConfig } from '../config.js';
import { settingsOf } from '../service.js';
import { bench } from '../testing/bench.js';
import { FakeCluster } from '../testing/fake-cluster.js';
import { healed, PARAMS, plainParams, scaled, script, validateRequest } from '../testing/requests.js';
import { checkInstantiation } from './checks/check-instantiation.js';

/** Who is on the internet alone. */
const OUTSIDE = /registry\.k8s\.io|ghcr\.io|docker\.(io|com)|pkgs\.k8s\.io/;

/** What every service must be told. */
const GIVEN = {
  NATS_URL: 'nats://127.0.0.1:4222',
  NATS_USER: 'k8s-mgmt',
  NATS_PASSWORD: 'x',
  WORKER_KEY: 'x',
  ENROLMENT_TOKEN: 'x',
};

/** The settings of a service that is told this environment, and nothing else. */
const told = (environment: Readonly<Record<string, string>>) =>
  settingsOf(readConfig(K8sMgmtConfig, { ...GIVEN, ...environment }));

/** One registry, and one mirror of packages. */
const SITE = told({
  KUBERNETES_IMAGE_REPOSITORY: 'registry.site:5000/k8s',
  KUBERNETES_APT_URL: 'http://mirror.site/kubernetes/v{minor}/deb/',
  CONTAINERD_APT_SOURCE: 'http://mirror.site/docker {codename} stable',
});

const withParams = (more: JsonObject): JsonObject => {
  const params = plainParams();
  Object.assign(params[PARAMS] as JsonObject, more);
  return params;
};

/** Every step's input as its action gets it, and what the cluster's API was given. */
async function asked(options: Parameters<typeof bench>[0]) {
  const made = bench(options);
  const { world, runner } = made;
  await runner.run();
  const inputs = runner.steps.map(({ id }) => runner.runOf(id).input);
  return { ...made, all: JSON.stringify([inputs, world.configurations, [...(world.api ?? [])]]) };
}

const images = (text: string): string[] => [...new Set(text.match(/[a-z.]+(:5000)?\/[a-z0-9./-]+:v?\d[\w.-]*/g))].sort();

describe('a site with one registry and one mirror', () => {
  const made = async (workers: number) => {
    const world = new FakeCluster();
    world.configuration = { imageRepository: 'registry.site:5000/k8s' };
    return { ...(await asked({ world, workers, settings: SITE })), world };
  };
  const later = async (world: FakeCluster, hook: Partial<HookContext>) => {
    const { all } = await asked({ world, workers: 2, hook, settings: SITE, requestParams: {} });
    expect(all).not.toMatch(OUTSIDE);
    return all;
  };

  it('makes clusters with nothing of the internet', async () => {
    const { all, world } = await made(1);
    expect(all).not.toMatch(OUTSIDE);
    expect(images(all)).toEqual([
      'registry.site:5000/k8s/busybox:1.36',
      'registry.site:5000/k8s/flannel-cni-plugin:v1.9.1-flannel3',
      'registry.site:5000/k8s/flannel:v0.28.10',
      'registry.site:5000/k8s/pause:3.10.1',
    ]);
    expect(world.configurations[0]).toContain('imageRepository: registry.site:5000/k8s\n');
  });

  it('scales them so', async () => {
    const { world } = await made(1);
    expect(images(await later(world, scaled('scale_end')))).toContain('registry.site:5000/k8s/pause:3.10.1');
  });

  it('heals them so', async () => {
    const { world } = await made(2);
    await later(world, healed('heal_start', ['worker-2']));
    world.destroy('server-worker-2');
    expect(images(await later(world, healed('heal_end', ['worker-2'])))).toContain('registry.site:5000/k8s/pause:3.10.1');
  });

  it('can be that of one cluster alone, by its parameter; nodes that come take it from the cluster', async () => {
    const world = new FakeCluster();
    world.configuration = { imageRepository: 'one.example/mirror' };
    const params = withParams({ image_repository: 'one.example/mirror' });
    const settings = told({ KUBERNETES_IMAGE_REPOSITORY: 'all.example', FLANNEL_IMAGE: 'all.example/net/flannel:v9' });
    const made = await asked({ world, workers: 1, params, settings });
    expect(images(made.all)).toEqual([
      'one.example/mirror/busybox:1.36',
      'one.example/mirror/flannel-cni-plugin:v1.9.1-flannel3',
      'one.example/mirror/flannel:v9',
      'one.example/mirror/pause:3.10.1',
    ]);
    world.configuration = { imageRepository: 'moved.example/by-its-user' };
    world.upgrade(world.version);
    const { all } = await asked({ world, workers: 2, params, requestParams: {}, hook: scaled('scale_end'), settings });
    expect(images(all)).toEqual(expect.arrayContaining(['moved.example/by-its-user/pause:3.10.1']));
  });

  it('is warned that a script of the package is not told of its registry', () => {
    const request = validateRequest(withParams({ image_repository: 'one.example/mirror' }), { files: [script('#!/bin/bash')] });
    expect(checkInstantiation(request, SITE).warnings).toContainEqual(
      expect.stringMatching(/^image_repository is not told to Scripts/),
    );
    const ours = checkInstantiation({ ...request, files: [script()] }, SITE).warnings;
    expect(ours.filter((line) => line.startsWith('image_repository'))).toEqual([]);
  });

  it('may have images under names of their own', async () => {
    const settings = told({
      KUBERNETES_IMAGE_REPOSITORY: 'a.example/k',
      FLANNEL_IMAGE: 'b.example/flannel:v1',
      FLANNEL_PLUGIN_IMAGE: 'c.example/plugin:v2',
      VERIFICATION_IMAGE: 'd.example/box:3',
    });
    const { all } = await asked({ workers: 1, settings });
    expect(images(all)).toEqual(['a.example/k/pause:3.10.1', 'b.example/flannel:v1', 'c.example/plugin:v2', 'd.example/box:3']);
  });
});

describe('a setting that names images', () => {
  it.each([
    ['KUBERNETES_IMAGE_REPOSITORY', 'https://registry.site/k8s'],
    ['KUBERNETES_IMAGE_REPOSITORY', 'registry.site/k8s/'],
    ['FLANNEL_IMAGE', 'flannel v1'],
    ['FLANNEL_PLUGIN_IMAGE', 'site/Plugin'],
    ['VERIFICATION_IMAGE', 'busybox;reboot'],
  ])('is refused where it names none: %s=%s', (name, value) => {
    expect(() => told({ [name]: value })).toThrow(`${name} is "${value}"; expected`);
  });
});

describe('the image that tries a cluster', () => {
  const IN = { 'the instantiation': {}, 'a later request': { verification_image: 'later.example/box:2' } } as const;

  const imageIn = (
    hook: Partial<HookContext>,
    requestParams: JsonObject,
    params = plainParams(),
    settings = told({}),
  ): unknown => {
    const { runner } = bench({ workers: 2, hook, requestParams, params, settings, world: new FakeCluster() });
    return (runner.steps.find(({ id }) => id === 'verify-cluster')?.input as { image?: unknown } | undefined)?.image;
  };

  it.each([
    ['scale_end', scaled('scale_end')],
    ['heal_end', healed('heal_end', ['worker-2'])],
  ] as const)('is that of the request at %s, else the cluster’s, else the service’s', (_hook, hook) => {
    const first = withParams({ verification_image: 'first.example/box:1' });
    expect(imageIn(hook, IN['a later request'], first)).toBe('later.example/box:2');
    expect(imageIn(hook, { verification_image: 'none' }, first)).toBe('none');
    expect(imageIn(hook, withParams({ verification_image: 'again.example/box:4' }), first)).toBe('again.example/box:4');
    expect(imageIn(hook, IN['the instantiation'], first)).toBe('first.example/box:1');
    expect(imageIn(hook, {}, plainParams(), told({ VERIFICATION_IMAGE: 'none' }))).toBe('none');
    expect(imageIn(hook, {})).toBe('docker.io/library/busybox:1.36');
  });
});
