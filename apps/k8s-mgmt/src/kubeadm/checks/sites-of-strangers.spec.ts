import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject, type JsonObject } from '@windlass/foundation';
import { readConfig } from '@windlass/service-kit';
import { describe, expect, it } from 'vitest';
import { K8sMgmtConfig } from '../../config.js';
import { settingsOf } from '../../service.js';
import { bench } from '../../testing/bench.js';
import { FakeCluster } from '../../testing/fake-cluster.js';
import { PARAMS, script, validateRequest, vnfc, withVms } from '../../testing/requests.js';
import { checkInstantiation } from './check-instantiation.js';

/** The bodies of cases 16 and 22 of tests/packages/cases, as they are. */
const bodyOf = (folder: string): JsonObject => {
  const path = join(import.meta.dirname, '../../../../../tests/packages/cases', folder, 'instantiate.json');
  const { additionalParams } = JSON.parse(readFileSync(path, 'utf8')) as JsonObject;
  if (!isJsonObject(additionalParams)) throw new Error(`${path} has no additionalParams`);
  return additionalParams;
};
const settings = settingsOf(
  readConfig(K8sMgmtConfig, {
    ...{ NATS_URL: 'nats://127.0.0.1:4222', NATS_USER: 'k8s-mgmt', NATS_PASSWORD: 'x' },
    ...{ WORKER_KEY: 'x', ENROLMENT_TOKEN: 'x' },
  }),
);

describe('case 16, IPv6 before IPv4', () => {
  const params = bodyOf('16-dual-stack-first-address');
  const V6 = 'fd16:16::f816:3eff:fe00:1';
  const withAddresses = (role: 'master' | 'worker', addresses: (own: string) => string[]) => {
    const vm = vnfc(role, 1, role === 'master' ? '10.16.0.7' : '10.16.0.8');
    return { ...vm, cps: vm.cps.map((cp) => ({ ...cp, addresses: cp.addresses.flatMap(addresses) })) };
  };

  it.each([
    ['IPv6 first', (own: string) => [V6, own]],
    ['IPv4 first', (own: string) => [own, V6]],
    ['between two of IPv6, one of them by the link alone', (own: string) => ['fe80::1', own, V6]],
    ['IPv6 in capitals', (own: string) => [V6.toUpperCase(), own]],
  ])('makes the cluster by its addresses of IPv4: %s', async (_, addresses) => {
    const vms = [withAddresses('master', addresses), withAddresses('worker', addresses)];
    const { plan, runner, world } = bench({ params, hook: withVms(vms) });
    expect(plan.common).toMatchObject({
      cluster: { address: '10.16.0.7', nodes: [{ address: '10.16.0.7' }, { address: '10.16.0.8' }] },
    });
    await runner.run();
    expect([...world.listed.values()].map(({ address }) => address)).toEqual(['10.16.0.7', '10.16.0.8']);
  });
});

describe('case 22, no way to the internet', () => {
  const OUTSIDE = /registry\.k8s\.io|ghcr\.io|docker\.io/;
  const given = bodyOf('22-air-gapped-images');
  const mirrored: JsonObject = {
    ...given,
    [PARAMS]: { ...(given[PARAMS] as JsonObject), image_repository: 'mirror.example.net:5000' },
  };
  const mirror = {
    path: 'Files/registries/mirror-ca.crt',
    size: 900,
    sha256: 'ab'.repeat(32),
    firstLine: '-----BEGIN CERTIFICATE-----',
  };

  it('is a request that is taken, with the mirror as image_repository and without', () => {
    for (const params of [given, mirrored]) {
      const said = checkInstantiation(validateRequest(params, { files: [script(), mirror] }), settings);
      expect(JSON.stringify(said)).not.toContain('unknown');
    }
  });

  it('asks nothing outside for images where the mirror is named: control plane, pause, network and verification', async () => {
    const world = new FakeCluster();
    world.configuration = { imageRepository: 'mirror.example.net:5000' };
    const { runner } = bench({ world, params: mirrored, settings, hook: { files: [script(), mirror] } });
    await runner.run();
    const inputs = JSON.stringify([
      runner.steps.map(({ id }) => runner.runOf(id).input),
      world.configurations,
      [...(world.api ?? [])],
    ]);
    expect(inputs).toContain('imageRepository: mirror.example.net:5000');
    expect(inputs).toContain('mirror.example.net:5000/pause');
    expect(inputs).not.toMatch(OUTSIDE);
  });
});
