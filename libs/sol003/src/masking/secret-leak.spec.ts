import { Secret } from '@windlass/foundation';
import { describe, expect, it } from 'vitest';
import { guideInstantiate, sampleInstance, sampleOpOcc } from '../testing/samples.js';
import { maskedOpOcc, maskedParams, maskedVnfInstance, secretPathsOf } from './masking.js';

describe('masking', () => {
  it('hides the passwords of the guide and the users in its proxies, and nothing else', () => {
    const shown = maskedParams(guideInstantiate());
    const expected = guideInstantiate();
    const params = expected.additionalParams.k8s_cluster_installation_param;
    params.master_node.password = '***';
    params.worker_node.password = '***';
    params.proxy.http_proxy = 'http://***@host1:3128';
    params.proxy.https_proxy = 'https://***@host2:3128';
    expect(shown).toEqual(expected);
  });

  it('hides structures and numbers under the name of a secret', () => {
    expect(maskedParams({ token: { value: 'a', list: ['b', 3, null] }, password: 12_345, api_key: ['k'] })).toEqual({
      token: { value: '***', list: ['***', '***', null] },
      password: '***',
      api_key: ['***'],
    });
  });

  it('hides secrets in texts that hold JSON or a Python literal', () => {
    const helm = "{'masternode_ip': ['10.0.0.1'], 'masternode_username': 'ubuntu', 'masternode_password': 'it\\'s \"pw\"'}";
    const json = JSON.stringify({ bearer_token: 'tok"en', name: 'n' });
    const shown = maskedParams({ extra: { helm_info: helm, json } });
    expect(shown.extra.helm_info).toBe(
      "{'masternode_ip': ['10.0.0.1'], 'masternode_username': 'ubuntu', 'masternode_password': '***'}",
    );
    expect(JSON.parse(shown.extra.json)).toEqual({ bearer_token: '***', name: 'n' });
  });

  it('hides Secret values wherever they are', () => {
    expect(maskedParams({ a: new Secret('s'), list: [new Secret('s')] })).toEqual({ a: '***', list: ['***'] });
  });

  it('hides what a driver’s schema marks writeOnly, whatever its name', () => {
    const secrets = secretPathsOf({
      type: 'object',
      properties: {
        license: { type: 'string', writeOnly: true },
        nodes: { type: 'array', items: { $ref: '#/$defs/node' } },
        registries: { type: 'object', additionalProperties: { oneOf: [{ properties: { login: { writeOnly: true } } }] } },
      },
      allOf: [{ properties: { pin: { type: 'integer', writeOnly: true } } }],
      $defs: { node: { properties: { phrase: { writeOnly: true }, name: {}, next: { $ref: '#/$defs/node' } } } },
    });
    const additionalParams = {
      license: 'L',
      nodes: [{ phrase: 'P', name: 'n', next: { phrase: 'Q' } }],
      registries: { main: { login: { user: 'u' } } },
      pin: 7,
      other: 'kept',
    };
    const expected = {
      license: '***',
      nodes: [{ phrase: '***', name: 'n', next: { phrase: '***' } }],
      registries: { main: { login: { user: '***' } } },
      pin: '***',
      other: 'kept',
    };
    expect(maskedOpOcc(sampleOpOcc({ operationParams: { additionalParams } }), secrets).operationParams).toEqual({
      additionalParams: expected,
    });
    const info = { ...sampleInstance().instantiatedVnfInfo!, additionalParams };
    const shown = maskedVnfInstance(sampleInstance({ instantiatedVnfInfo: info }), secrets);
    expect(shown.instantiatedVnfInfo?.additionalParams).toEqual(expected);
  });

  it('leaves the original alone and keeps the shape', () => {
    const record = sampleInstance();
    const shown = maskedVnfInstance(record);
    expect(record).toEqual(sampleInstance());
    expect(shown.vimConnectionInfo?.[0]?.accessInfo?.password).toBe('***');
    expect({ ...shown, vimConnectionInfo: record.vimConnectionInfo }).toEqual(record);
  });

  it('takes a long text without losing time', () => {
    const text = `"a":"${'\\'.repeat(200_000)}`.repeat(3);
    const started = performance.now();
    maskedParams({ text, quotes: '"'.repeat(200_000) });
    expect(performance.now() - started).toBeLessThan(2_000);
  });
});
