import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isJsonObject, type JsonObject } from '@windlass/foundation';
import type { ValidateRequest } from '@windlass/mgmt-driver';
import { readConfig } from '@windlass/service-kit';
import { afterAll, describe, expect, it } from 'vitest';
import { K8sMgmtConfig } from '../../config.js';
import { readManifest } from '../../network/manifests.js';
import { settingsOf } from '../../service.js';
import { defaultSettings, type K8sMgmtSettings } from '../../settings/settings.js';
import { bench } from '../../testing/bench.js';
import { CALICO, MANIFESTS, withCalico, withManifests, withNetwork } from '../../testing/network-addons.js';
import { PARAMS, plainParams, script, validateRequest } from '../../testing/requests.js';

const FIELD = `/additionalParams/${PARAMS}/network_addon`;
const calico = withCalico(readManifest(CALICO, 'calico'));

const validated = (params: JsonObject, settings: K8sMgmtSettings = defaultSettings, more: Partial<ValidateRequest> = {}) =>
  bench({ settings }).driver.validate(validateRequest(params, { files: withManifests(), ...more }));

describe('the network add-on of a request', () => {
  it('is taken by its name, or as manifests that the package has', () => {
    for (const addon of ['flannel', 'none', Object.keys(MANIFESTS).map((path) => `./${path}`)])
      expect(validated(withNetwork(addon)).invalidParams).toEqual([]);
    expect(validated(withNetwork('calico'), calico).invalidParams).toEqual([]);
  });

  it('is refused as calico where the service has no manifest of it, with the setting and the other way', () => {
    expect(validated(withNetwork('calico')).invalidParams).toEqual([
      { path: FIELD, reason: expect.stringMatching(/CALICO_MANIFEST, or put one into the package/) as string },
    ]);
  });

  it('is refused beside a script of the package, which installs what it likes', () => {
    const { invalidParams } = validated(withNetwork('none'), defaultSettings, { files: [script('#!/bin/bash')] });
    expect(invalidParams.map(({ path }) => path)).toEqual([FIELD]);
  });

  it('is refused where its manifests are larger than what a machine takes', () => {
    const files = withManifests().map((file) => ({ ...file, size: 3 * 1024 * 1024 }));
    const { invalidParams } = validated(withNetwork(Object.keys(MANIFESTS)), defaultSettings, { files });
    expect(invalidParams.map(({ path }) => path)).toEqual([`${FIELD}/1`]);
  });

  it('is warned of where nodes are not to be Ready', () => {
    expect(validated(withNetwork('none')).warnings.join('\n')).toContain('network_addon is none: nodes are not Ready');
    expect(validated(plainParams()).warnings.join('\n')).not.toContain('network_addon');
  });

  it('becomes part of the parameters where the service’s default is another than flannel', () => {
    const normalised = (settings: K8sMgmtSettings, params = plainParams(), more = {}) =>
      validated(params, settings, more).normalised[PARAMS];
    expect(normalised({ ...calico, networkAddon: 'calico' })).toEqual({ network_addon: 'calico' });
    expect(normalised({ ...calico, networkAddon: 'calico' }, withNetwork('flannel'))).toBeUndefined();
    expect(normalised(defaultSettings)).toBeUndefined();
    const packaged = { files: [script('#!/bin/bash')] };
    expect(normalised({ ...defaultSettings, networkAddon: 'none' }, plainParams(), packaged)).toBeUndefined();
  });
});

describe('an operation on a cluster', () => {
  const asked = (operation: ValidateRequest['operation'], made: JsonObject, repeated: JsonObject, heal?: { whole: boolean }) =>
    bench({ settings: defaultSettings }).driver.validate(
      validateRequest(repeated, {
        operation,
        instantiateParams: made,
        ...(heal === undefined
          ? {}
          : {
              instance: { vnfcs: [], heal: { vnfcIds: [], recreates: false, ...heal } } as unknown as NonNullable<
                ValidateRequest['instance']
              >,
            }),
      }),
    );

  it.each(['SCALE', 'SCALE_TO_LEVEL', 'HEAL', 'CHANGE_EXT_CONN'] as const)('%s exchanges no network add-on', (operation) => {
    const paths = (made: JsonObject, repeated: JsonObject) =>
      asked(operation, made, repeated).invalidParams.map(({ path }) => path);
    expect(paths(plainParams(), withNetwork('none'))).toEqual([FIELD]);
    expect(paths(withNetwork('calico'), withNetwork('flannel'))).toEqual([FIELD]);
    expect(paths(withNetwork(['a.yaml']), withNetwork(['b.yaml']))).toEqual([FIELD]);
    expect(paths(withNetwork(['a.yaml']), withNetwork(['./a.yaml']))).toEqual([]);
    expect(paths(plainParams(), withNetwork('flannel'))).toEqual([]);
    expect(paths(withNetwork('calico'), {})).toEqual([]);
  });

  it('that makes a cluster anew with calico is refused where the service has its manifest no more', () => {
    expect(asked('HEAL', withNetwork('calico'), {}, { whole: true }).refusal).toMatchObject({
      code: 'cluster.no-calico-manifest',
    });
    expect(asked('HEAL', withNetwork('calico'), {}, { whole: false }).refusal).toBeUndefined();
    expect(asked('HEAL', plainParams(), {}, { whole: true }).refusal).toBeUndefined();
  });
});

describe('the service', () => {
  const folder = mkdtempSync(join(tmpdir(), 'windlass-calico-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const GIVEN = { NATS_URL: 'nats://127.0.0.1:4222', NATS_USER: 'k', NATS_PASSWORD: 'x', WORKER_KEY: 'x', ENROLMENT_TOKEN: 'x' };
  const told = (more: Readonly<Record<string, string>>) => settingsOf(readConfig(K8sMgmtConfig, { ...GIVEN, ...more }));
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };

  it('has Calico’s manifest of the file that its operator names', () => {
    const { calicoManifest = [] } = told({ CALICO_MANIFEST: file('calico.yaml', CALICO), NETWORK_ADDON: 'calico' });
    expect(calicoManifest.filter(isJsonObject).map(({ kind }) => kind)).toEqual(['ConfigMap', 'DaemonSet', 'Deployment']);
  });

  it.each([
    ['is not there', '/nowhere/calico.yaml'],
    ['is relative', 'calico.yaml'],
    ['is a folder', folder],
    ['is no YAML', file('no.yaml', 'a: [')],
    ['is another manifest', file('other.yaml', MANIFESTS['Files/net/2-agents.yaml'] ?? '')],
    ['is too large', file('large.yaml', CALICO + '# more\n'.repeat(400_000))],
  ])('does not start with a manifest that %s', (_, path) => {
    expect(() => told({ CALICO_MANIFEST: path })).toThrow(/CALICO_MANIFEST is .*expected the absolute path/);
  });

  it('does not start with calico for all clusters and without its manifest', () => {
    expect(() => told({ NETWORK_ADDON: 'calico' })).toThrow(/NETWORK_ADDON is "calico" without CALICO_MANIFEST/);
    expect(() => told({ NETWORK_ADDON: 'weave' })).toThrow(/one of flannel, calico, none/);
  });
});
