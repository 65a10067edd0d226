import { crashSuite } from '@windlass/driver-kit/testing';
import type { JsonObject } from '@windlass/foundation';
import { compilePlan } from '@windlass/saga';
import { describe, expect, it } from 'vitest';
import { bench } from '../testing/bench.js';
import { CALICO, MANIFESTS, packages, withCalico, withManifests, withNetwork } from '../testing/network-addons.js';
import { healed, scaled, script } from '../testing/requests.js';
import { defaultSettings } from '../settings/settings.js';
import { readManifest } from './manifests.js';
import { workloadsOf } from './workloads.js';

const calico = readManifest(CALICO, 'calico.yaml');
const PATHS = Object.keys(MANIFESTS);

const withPackage = (more: Parameters<typeof bench>[0] = {}) =>
  bench({
    params: withNetwork(['./Files/net/1-rights.yaml', 'Files/net/2-agents.yaml']),
    packages,
    hook: { files: withManifests() },
    ...more,
  });

const stepsOf = (options: Parameters<typeof bench>[0]) => compilePlan(bench(options).plan).steps;
const graph = (options: Parameters<typeof bench>[0]): string[] =>
  stepsOf(options).map(({ id, deps }) => `${id} after [${deps.join(' ')}]`);

/** What the step that waits for the cluster is told of its network. */
const addonOf = (options: Parameters<typeof bench>[0]): unknown =>
  (stepsOf(options).find(({ id }) => id === 'verify-cluster')!.input as JsonObject).network;

describe('the network add-on that a cluster was asked for', () => {
  it('is flannel where nobody says otherwise, as it was', () => {
    const plan = JSON.stringify(bench().plan);
    expect(plan).toContain('"install-network"');
    expect(plan).not.toContain('install-network-manifests');
    expect(bench({ params: withNetwork('flannel') }).plan).toEqual(bench().plan);
  });

  it.each([
    ['calico', 'calico', 'calico'],
    ['manifests of the package', PATHS, 'manifests'],
  ] as const)('is %s: nobody joins before it is applied, and the cluster is waited for by its rule', (_, given, addon) => {
    const params = withNetwork(given as string | string[]);
    const hook = { files: withManifests() };
    const lines = graph({ params, hook, workers: 1 });
    expect(lines).toContain('install-network-manifests after [init-control-plane:master24]');
    expect(lines).toContain('join-worker:worker31 after [install-kubernetes:worker31 install-network-manifests]');
    expect(addonOf({ params, hook })).toBe(addon);
  });

  it('is none: nothing is installed, and nodes join when there is a control plane', () => {
    const lines = graph({ params: withNetwork('none'), workers: 1 });
    expect(lines.join('\n')).not.toContain('install-network');
    expect(lines).toContain('join-worker:worker31 after [install-kubernetes:worker31 init-control-plane:master24]');
  });

  it('stays with the cluster: later operations ask neither the service’s default nor for its manifest', () => {
    const others = { ...defaultSettings, networkAddon: 'none' as const };
    for (const hook of [scaled('scale_end'), healed('heal_end', ['worker-2'])]) {
      expect(addonOf({ hook, settings: others })).toBeUndefined();
      expect(addonOf({ hook, params: withNetwork('calico'), settings: others })).toBe('calico');
      expect(addonOf({ hook, params: withNetwork('none'), settings: defaultSettings })).toBe('none');
    }
  });

  it('is nothing that a packaged script is told of', () => {
    expect(addonOf({ params: withNetwork('none'), hook: { files: [script('#!/bin/bash')] } })).toBeUndefined();
  });
});

describe('manifests of the package', () => {
  it('are applied as they are, in their order, by the server; what is secret in them stands in no command', async () => {
    const made = withPackage();
    await made.runner.run();
    const { api } = made.world;
    expect([...(api?.keys() ?? [])].filter((key) => /agent|ruler|secret\/key/.test(key))).toEqual([
      'daemonset/agent',
      'secret/key',
      'deployment/ruler',
    ]);
    expect(JSON.stringify(api?.get('daemonset/agent'))).toContain('own.example/agent:1');
    const said = made.lines.join('\n') + JSON.stringify(made.plan);
    expect(said).not.toContain('hush');
  });

  it('leave word of themselves in the cluster when all are applied, and are not applied again where that stands', async () => {
    const made = withPackage();
    await made.runner.run();
    const record = made.world.api?.get('configmap/windlass-network-addon')?.data as JsonObject;
    expect(JSON.parse(String(record.workloads))).toEqual([
      { kind: 'DaemonSet', namespace: 'net', name: 'agent' },
      { kind: 'Deployment', namespace: 'net', name: 'ruler' },
    ]);
    const { check } = made.runner.action('install-network-manifests');
    const run = made.runner.runOf('install-network-manifests');
    expect(await check?.(run)).toBe(true);
    record.sha256 = 'another';
    expect(await check?.(run)).toBe(false);
  });

  it.each([
    ['is no YAML', 'a: [', 'document 1, is no YAML map'],
    ['is empty', '# nothing\n---\n', 'is empty'],
    ['has what is no object', 'kind: DaemonSet\n', 'document 1, has no apiVersion and kind'],
    ['has an object without a name', 'apiVersion: v1\nkind: Secret\n', '(Secret) has no metadata.name'],
    ['has a list of texts', 'apiVersion: v1\nkind: List\nitems: [a]\n', 'is a list of what are no objects'],
  ])('end the operation where one %s, with file and document', (_, text, reason) => {
    expect(() => readManifest(text, 'Files/net/a.yaml of the package')).toThrow(
      expect.objectContaining({
        code: 'cluster.bad-manifest',
        message: expect.stringMatching(/^Files\/net\/a\.yaml of the package/) as string,
      }),
    );
    expect(() => readManifest(text, 'a')).toThrow(reason);
  });

  it.each([
    ['TerminalError', 'cluster.manifest-refused', 'The DaemonSet "agent" is invalid: spec.selector: Required value'],
    [
      'TransientError',
      'cluster.refused',
      'no matches for kind "Pool" in version "net.example/v1"; ensure CRDs are installed first',
    ],
  ])('end as %s %s where the cluster says: %s', async (name, code, stderr) => {
    const made = withPackage();
    for (const { id } of made.runner.steps) {
      if (id === 'install-network-manifests') break;
      await made.runner.performOnce(id);
    }
    made.world.hosts.on(/apply --server-side/, () => ({ status: 1, stderr }));
    const work = made.runner.action('install-network-manifests');
    await expect(work.apply(made.runner.runOf('install-network-manifests'))).rejects.toMatchObject({ name, code });
  });

  it('with names that are none of Kubernetes are waited for by nobody', () => {
    const named = (name: unknown) => ({ kind: 'DaemonSet', metadata: { name } }) as JsonObject;
    expect(workloadsOf([named('--all'), named('$(id)'), named(3), named('fine')])).toEqual([
      { kind: 'DaemonSet', namespace: 'default', name: 'fine' },
    ]);
  });
});

crashSuite('an installation with manifests of the package', {
  bench: (points) => withPackage({ workers: 1, ...points }),
  stands: ({ world }) => {
    expect([...world.listed.keys()]).toEqual(['master24', 'worker31']);
    expect(world.api?.has('daemonset/agent')).toBe(true);
    expect(world.api?.has('configmap/windlass-network-addon')).toBe(true);
  },
});

describe('calico', () => {
  const made = async (objects: readonly JsonObject[], more: JsonObject = {}) => {
    const run = bench({ params: withNetwork('calico', more), settings: withCalico(objects) });
    await run.runner.run();
    return run.world.api!;
  };

  it('gets the cluster’s addresses of pods, and the node’s own address: the first may be the virtual one', async () => {
    const text = JSON.stringify((await made(calico)).get('daemonset/calico-node'));
    expect(text).toContain('{"name":"CALICO_IPV4POOL_CIDR","value":"192.168.0.0/16"}');
    expect(text).not.toContain('10.1.0.0/16');
    expect(text).toContain('{"name":"IP_AUTODETECTION_METHOD","value":"kubernetes-internal-ip"}');
    expect(text).toContain('docker.io/calico/node:v3.31.3');
  });

  it('finds addresses as its manifest says, where that says it', async () => {
    const own = CALICO.replace('name: IP, value: autodetect', 'name: IP_AUTODETECTION_METHOD, value: "interface=eth1"');
    const text = JSON.stringify((await made(readManifest(own, 'own'))).get('daemonset/calico-node'));
    expect(text.match(/IP_AUTODETECTION_METHOD/g)).toHaveLength(1);
    expect(text).toContain('interface=eth1');
  });

  it('has all its images of the cluster’s one registry, where there is one', async () => {
    const api = await made(calico, { image_repository: 'one.example/k8s' });
    const images = [...api.values()].flatMap(
      (object) => JSON.stringify(object).match(/"[a-z0-9./]+\/(cni|node|kube-controllers):v[^"]+"/g) ?? [],
    );
    expect(images).toEqual([
      '"one.example/k8s/cni:v3.31.3"',
      '"one.example/k8s/node:v3.31.3"',
      '"one.example/k8s/kube-controllers:v3.31.3"',
    ]);
  });

  it('ends the operation with what to do at a k8s-mgmt that has no manifest of it', async () => {
    await expect(bench({ params: withNetwork('calico') }).runner.run()).rejects.toMatchObject({
      code: 'cluster.no-calico-manifest',
      message: expect.stringContaining('CALICO_MANIFEST') as string,
    });
  });
});
