import { MASK, Secret, SecretPlaces } from '@windlass/foundation';
import { describe, expect, it } from 'vitest';
import { guideInstantiate, sampleInstance, sampleOpOcc } from '../testing/samples.js';
import { hiddenTexts, maskedAttributes, maskedOpOcc, maskedVnfInstance } from './masking.js';
import { processorTime } from '@windlass/foundation/testing';

const marks = SecretPlaces.of({
  properties: { pin: { writeOnly: true }, nodes: { items: { properties: { phrase: { writeOnly: true } } } } },
});

describe('masking', () => {
  it('hides the passwords of the guide and the users in its proxies, and nothing else', () => {
    const shown = maskedAttributes(guideInstantiate());
    const expected = guideInstantiate();
    const params = expected.additionalParams.k8s_cluster_installation_param;
    params.master_node.password = '***';
    params.worker_node.password = '***';
    params.proxy.http_proxy = 'http://***@host1:3128';
    params.proxy.https_proxy = 'https://***@host2:3128';
    expect(shown).toEqual(expected);
  });

  it('shows of credentials and of extra what is known to be none, and hides the rest whatever its name', () => {
    const accessInfo = { username: 'u', project: 'p', region: 'r', password: 'a', community: 'b', pin: 1, more: { x: 'c' } };
    const extra = { use_helm: true, helm_info: "{'masternode_username': 'd'}", zone: new Secret('e') };
    const connection = { id: 'c', vimType: 'openstack', interfaceInfo: { endpoint: 'http://u:f@h/' }, accessInfo, extra };
    const hidden = {
      id: 'c',
      vimType: 'openstack',
      interfaceInfo: { endpoint: 'http://***@h/' },
      accessInfo: { username: 'u', project: 'p', region: 'r', password: MASK, community: MASK, pin: MASK, more: { x: MASK } },
      extra: { use_helm: true, helm_info: MASK, zone: MASK },
    };
    expect(maskedVnfInstance({ vimConnectionInfo: [connection] })).toEqual({ vimConnectionInfo: [hidden] });
    // As version 2 has them.
    expect(maskedVnfInstance({ vimConnectionInfo: { c: connection } })).toEqual({ vimConnectionInfo: { c: hidden } });
    const changedInfo = { vimConnectionInfo: [connection] };
    expect(maskedOpOcc({ operationParams: changedInfo, changedInfo })).toEqual({
      operationParams: { vimConnectionInfo: [hidden] },
      changedInfo: { vimConnectionInfo: [hidden] },
    });
  });

  it('hides what a driver’s schema marks, whatever its name', () => {
    const additionalParams = { pin: 7, nodes: [{ phrase: 'P', name: 'n' }], other: 'kept' };
    const expected = { pin: MASK, nodes: [{ phrase: MASK, name: 'n' }], other: 'kept' };
    expect(maskedOpOcc(sampleOpOcc({ operationParams: { additionalParams } }), marks).operationParams).toEqual({
      additionalParams: expected,
    });
    const info = { ...sampleInstance().instantiatedVnfInfo!, additionalParams };
    const shown = maskedVnfInstance(sampleInstance({ instantiatedVnfInfo: info }), marks);
    expect(shown.instantiatedVnfInfo?.additionalParams).toEqual(expected);
  });

  it('hides it in an error that quotes the request, too', () => {
    const operationParams = { additionalParams: { pin: 'p-1-n' }, vimConnectionInfo: [{ accessInfo: { community: 'c-0-m' } }] };
    const error = { status: 500, detail: 'parameter pin: "p-1-n" is no number; c-0-m was refused' };
    expect(maskedOpOcc({ operationParams, error }, marks).error).toEqual({
      status: 500,
      detail: 'parameter pin: "***" is no number; *** was refused',
    });
    expect(hiddenTexts(operationParams, marks)).toEqual(['p-1-n', 'c-0-m']);
  });

  it('hides all parameters where nobody can tell', () => {
    expect(maskedOpOcc({ operationParams: { flavourId: 'f', additionalParams: { a: 'x' } } }, SecretPlaces.everything)).toEqual({
      operationParams: { flavourId: 'f', additionalParams: { a: MASK } },
    });
  });

  it('hides in metadata what a name tells, and nothing else', () => {
    expect(maskedVnfInstance({ metadata: { owner: 'me', api_key: 'k' } })).toEqual({ metadata: { owner: 'me', api_key: MASK } });
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
    const started = processorTime();
    maskedAttributes({ text, quotes: '"'.repeat(200_000) });
    expect(processorTime() - started).toBeLessThan(2_000);
  });
});
