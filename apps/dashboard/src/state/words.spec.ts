import { describe, expect, it } from 'vitest';
import { nextOf, pathOf, pathOfLink } from '../api/client.js';
import { step } from '../testing/steps.js';
import { bodyIn } from './actions.js';
import { topologyOf } from './topology.js';
import { durationText, SIGNS, stepStatusOf } from './words.js';

describe('how a step stands', () => {
  const error = { kind: 'transient', code: 'x', detail: 'busy', status: 503 };
  it.each([
    ['claimed', { state: 'running', attempt: 1 }],
    ['running', { state: 'running', attempt: 1, progress: 'installing' }],
    ['retrying', { state: 'running', attempt: 2 }],
    ['retrying', { state: 'ready', attempt: 1, error }],
    ['undoing', { state: 'running', phase: 'undo', attempt: 2 }],
    ['undone', { state: 'done', phase: 'undo' }],
    ['waiting', { state: 'waiting' }],
  ] as const)('%s', (status, more) => {
    expect(stepStatusOf(step('a', more))).toBe(status);
  });

  it('is told by a sign of its own, not by colour alone', () => {
    const signs = Object.values(SIGNS).map(({ sign }) => sign);
    expect(new Set(signs).size).toBe(signs.length);
  });
});

describe('paths of the API', () => {
  it('keep what a stranger put into an id within its segment', () => {
    expect(pathOf('/a/{id}/b', { id: '../x?y#z' })).toBe('/a/..%2Fx%3Fy%23z/b');
    expect(pathOf('/a', {}, { filter: '(eq,a,b&c)' })).toBe('/a?filter=%28eq%2Ca%2Cb%26c%29');
  });

  it('of next pages and links never leave this API, and lose what the public URL puts before them', () => {
    expect(nextOf('</nfv/vnflcm/v1/x?nextpage_opaque_marker=1>; rel="next"', '/nfv')).toBe(
      '/vnflcm/v1/x?nextpage_opaque_marker=1',
    );
    expect(nextOf('<https://elsewhere.example/a?b=c>; rel=next', '')).toBe('/a?b=c');
    expect(nextOf('<x>; rel="self"', '')).toBeUndefined();
    expect(pathOfLink('https://vnfm.example/nfv/vnflcm/v1/vnf_instances/1/scale', '/nfv')).toBe(
      '/vnflcm/v1/vnf_instances/1/scale',
    );
  });
});

describe('a request that is typed', () => {
  it('is an object of JSON, or told what is wrong', () => {
    expect(bodyIn('{"a":1}')).toEqual({ body: { a: 1 } });
    expect(bodyIn('[]')).toEqual({ wrong: 'The request is an object: { … }' });
    expect(bodyIn('{')).toHaveProperty('wrong');
  });
});

describe('the topology of an instance', () => {
  it('leads from a VM over its ports to external and internal networks, and to its volumes', () => {
    const { vnfcs, networks } = topologyOf({
      vnfcResourceInfo: [
        {
          id: 'c1',
          vduId: 'VDU1',
          computeResource: { resourceId: 's1' },
          storageResourceIds: ['v1'],
          vnfcCpInfo: [
            {
              id: 'p1',
              cpdId: 'CP1',
              vnfExtCpId: 'e1',
              cpProtocolInfo: [{ ipOverEthernet: { ipAddresses: [{ addresses: ['10.0.0.4'] }] } }],
            },
            { id: 'p2', cpdId: 'CP2' },
          ],
        },
      ],
      vnfcInfo: [{ vnfcResourceInfoId: 'c1', vnfcState: 'STARTED' }],
      extVirtualLinkInfo: [
        { id: 'net0', resourceHandle: { resourceId: 'n0' }, extLinkPorts: [{ id: 'l1', cpInstanceId: 'e1' }] },
      ],
      vnfVirtualLinkResourceInfo: [
        {
          id: 'i',
          vnfVirtualLinkDescId: 'inner',
          networkResource: { resourceId: 'n1' },
          vnfLinkPorts: [{ id: 'l2', cpInstanceId: 'p2' }],
        },
      ],
      virtualStorageResourceInfo: [{ id: 'v1', virtualStorageDescId: 'disk', storageResource: { resourceId: 'd1' } }],
    });
    expect(vnfcs).toEqual([
      {
        id: 'c1',
        vdu: 'VDU1',
        state: 'STARTED',
        resource: 's1',
        ports: [
          { id: 'p1', cpd: 'CP1', network: 'net0', addresses: ['10.0.0.4'] },
          { id: 'p2', cpd: 'CP2', network: 'inner', addresses: [] },
        ],
        volumes: [{ id: 'v1', name: 'disk', resource: 'd1' }],
      },
    ]);
    expect(networks.map(({ name, kind, ports }) => [name, kind, ports])).toEqual([
      ['net0', 'external', 1],
      ['inner', 'internal', 1],
    ]);
  });

  it('of an instance that tells little is little, and no error', () => {
    expect(topologyOf({})).toEqual({ vnfcs: [], networks: [] });
  });
});

it('durations are read as people say them', () => {
  expect([-5, 100, 59_960, 3_725_000].map(durationText)).toEqual(['0.0 s', '0.1 s', '1 min 0 s', '1 h 2 min']);
});
