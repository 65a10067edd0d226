import { RequestError, type JsonObject } from '@windlass/foundation';
import { describe, expect, it } from 'vitest';
import { validateBody } from '../validation/index.js';
import { guideInstantiate, INSTANCE_ID, OP_OCC_ID, sampleInstance, sampleOpOcc } from '../testing/samples.js';
import { V2_BODIES } from './bodies.js';
import { fromV2, vnfcInfoId, type InstanceForV2 } from './from-v2.js';
import { renderInstanceV2, renderOpOccV2, toV1, toV2 } from './to-v2.js';

const ROOT = 'http://host:9890/vnflcm/v2';
const VIM = { vimType: 'ETSINFV.OPENSTACK_KEYSTONE.V_3', vimId: 'v' };

const instance: InstanceForV2 = {
  vnfcs: [
    { id: 'one', vduId: 'web' },
    { id: 'two', vduId: 'db' },
  ],
  connections: [
    { id: 'vim1', vimType: 'openstack', vimId: 'a' },
    { id: 'vim2', vimType: 'kubernetes' },
  ],
};

/** As a client of v2 writes it. */
const instantiation = (config: JsonObject = {}): JsonObject => ({
  flavourId: 'simple',
  extVirtualLinks: [
    {
      id: 'net0',
      resourceId: 'network',
      extCps: [
        {
          cpdId: 'CP1',
          cpConfig: {
            first: { cpProtocolData: [{ layerProtocol: 'IP_OVER_ETHERNET' }], ...config },
            second: { linkPortId: 'p' },
          },
        },
      ],
    },
  ],
  vimConnectionInfo: { vim1: VIM },
});

/** Where a request is refused, and why. */
function refusal(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof RequestError) return error.message;
    throw error;
  }
  return 'not refused';
}

describe('a request of v2', () => {
  it('is what v1 has with lists in place of maps, and comes back as it was', () => {
    const body = validateBody(V2_BODIES.INSTANTIATE!, instantiation()) as JsonObject;
    const shared = fromV2('INSTANTIATE', body, instance);
    expect(shared).toEqual({
      ...instantiation(),
      extVirtualLinks: [
        {
          id: 'net0',
          resourceId: 'network',
          extCps: [
            {
              cpdId: 'CP1',
              cpConfig: [
                { cpProtocolData: [{ layerProtocol: 'IP_OVER_ETHERNET' }], cpConfigId: 'first' },
                { linkPortId: 'p', cpConfigId: 'second' },
              ],
            },
          ],
        },
      ],
      vimConnectionInfo: [{ id: 'vim1', ...VIM }],
    });
    expect(toV2(shared)).toEqual(instantiation());
    expect(JSON.stringify(toV1(shared))).not.toContain('cpConfigId');
  });

  it('that describes its VIM in full means that description, though it names a VIM, too', () => {
    const described = { ...VIM, interfaceInfo: { endpoint: 'http://k' }, accessInfo: { username: 'u' } };
    const { vimConnectionInfo } = fromV2('INSTANTIATE', { vimConnectionInfo: { x: described } }, instance);
    expect(vimConnectionInfo).toEqual([
      { id: 'x', vimType: VIM.vimType, interfaceInfo: { endpoint: 'http://k' }, accessInfo: { username: 'u' } },
    ]);
    const partly = { ...VIM, accessInfo: { username: 'u' } };
    expect(fromV2('INSTANTIATE', { vimConnectionInfo: { x: partly } }, instance)).toEqual({
      vimConnectionInfo: [{ id: 'x', ...partly }],
    });
  });

  it('is refused where it wants what nothing behind the API could do, at its own path', () => {
    const at = '/extVirtualLinks/0/extCps/0/cpConfig/first';
    expect(refusal(() => fromV2('INSTANTIATE', instantiation({ parentCpConfigId: 'second' }), instance))).toContain(
      `${at}/parentCpConfigId`,
    );
    const addressRange = { minAddress: '10.0.0.1', maxAddress: '10.0.0.9' };
    const ranged = {
      cpProtocolData: [{ layerProtocol: 'IP_OVER_ETHERNET', ipOverEthernet: { ipAddresses: [{ addressRange }] } }],
    };
    expect(refusal(() => fromV2('INSTANTIATE', instantiation(ranged), instance))).toContain(
      `${at}/cpProtocolData/0/ipOverEthernet/ipAddresses/0/addressRange`,
    );
  });

  it('heals VNFCs by their vnfcInfo, their VMs alone unless it says all', () => {
    expect(fromV2('HEAL', { vnfcInstanceId: ['db-two'] }, instance)).toEqual({
      vnfcInstanceId: ['two'],
      additionalParams: { all: false },
    });
    expect(fromV2('HEAL', { additionalParams: { all: true, more: 1 } }, instance)).toEqual({
      additionalParams: { all: true, more: 1 },
    });
    expect(refusal(() => fromV2('HEAL', { vnfcInstanceId: ['db-two', 'two'] }, instance))).toContain('/vnfcInstanceId/1');
  });

  it('starts and stops VNFCs by their vnfcInfo', () => {
    const stop = { changeStateTo: 'STOPPED' };
    expect(fromV2('OPERATE', { ...stop, vnfcInstanceId: ['db-two'] }, instance)).toEqual({ ...stop, vnfcInstanceId: ['two'] });
    expect(fromV2('OPERATE', stop, instance)).toEqual(stop);
    expect(refusal(() => fromV2('OPERATE', { ...stop, vnfcInstanceId: ['two'] }, instance))).toContain('/vnfcInstanceId/0');
  });

  it('that terminates with grace does so for ten seconds where it names no time', () => {
    const graceful = { terminationType: 'GRACEFUL' };
    expect(fromV2('TERMINATE', graceful, instance)).toEqual({ ...graceful, gracefulTerminationTimeout: 10 });
    expect(fromV2('TERMINATE', { ...graceful, gracefulTerminationTimeout: 3 }, instance)).toMatchObject({
      gracefulTerminationTimeout: 3,
    });
    expect(fromV2('TERMINATE', { terminationType: 'FORCEFUL' }, instance)).toEqual({ terminationType: 'FORCEFUL' });
  });

  it('that modifies connections leaves those that it does not name, and drops those that it names with null', () => {
    const modified = (vimConnectionInfo: JsonObject | null): unknown =>
      fromV2('MODIFY_INFO', { vimConnectionInfo }, instance).vimConnectionInfo;
    expect(modified({ vim2: { extra: { a: 1 } }, vim3: VIM })).toEqual([
      { id: 'vim1' },
      { id: 'vim2', extra: { a: 1 } },
      { id: 'vim3', ...VIM },
    ]);
    expect(modified({ vim2: null })).toEqual([{ id: 'vim1' }]);
    expect(modified(null)).toEqual([]);
    expect(refusal(() => modified({ vim2: 'x' }))).toContain('/vimConnectionInfo/vim2');
    const properties = { vnfcConfigurableProperties: { a: 1 } };
    expect(fromV2('MODIFY_INFO', { vnfcInfoModifications: [{ id: 'web-one', ...properties }] }, instance)).toEqual({
      vnfcInfoModifications: [{ id: 'one', ...properties }],
    });
  });
});

describe('an instance in v2', () => {
  it('shows the highest levels, zones, and the properties of its VNFCs', () => {
    const record = sampleInstance();
    const [vnfc] = record.instantiatedVnfInfo?.vnfcResourceInfo ?? [];
    if (vnfc === undefined) throw new Error('the sample has no VNFC');
    const info = {
      ...record.instantiatedVnfInfo!,
      vnfcResourceInfo: [{ ...vnfc, metadata: { zone: 'nova' } }],
      vnfcInfo: [{ id: vnfcInfoId(vnfc), vduId: vnfc.vduId, vnfcResourceInfoId: vnfc.id, vnfcState: 'STARTED' as const }],
    };
    const more = { maxScaleLevels: [{ aspectId: 'a', scaleLevel: 3 }], vnfcProperties: { [vnfc.id]: { p: 1 } } };
    const shown = renderInstanceV2({ ...record, instantiatedVnfInfo: info }, ROOT, undefined, [], more);
    expect(shown.instantiatedVnfInfo).toMatchObject({
      maxScaleLevels: [{ aspectId: 'a', scaleLevel: 3 }],
      vnfcResourceInfo: [{ id: vnfc.id, zoneId: 'nova' }],
      vnfcInfo: [{ id: `${vnfc.vduId}-${vnfc.id}`, vnfcConfigurableProperties: { p: 1 } }],
    });
    expect(shown._links?.self.href).toBe(`${ROOT}/vnf_instances/${INSTANCE_ID}`);
  });
});

describe('an operation occurrence in v2', () => {
  it('has parameters in v2’s form whichever version they came through, without credentials', () => {
    const connection = guideInstantiate().vimConnectionInfo[0]!;
    const accessInfo = { username: 'nfv', password: 'the password', bearer_token: 'the token' };
    const operationParams = { ...guideInstantiate(), vimConnectionInfo: [{ ...connection, accessInfo }] };
    const shown = renderOpOccV2(sampleOpOcc({ operationParams }), ROOT, {}, undefined, {});
    const { id, ...others } = connection;
    expect(shown.operationParams?.vimConnectionInfo).toEqual({ [id]: { ...others, accessInfo: { username: 'nfv' } } });
    for (const secret of ['the password', 'the token', 'master-pw']) expect(JSON.stringify(shown)).not.toContain(secret);
    expect(shown._links?.self.href).toBe(`${ROOT}/vnf_lcm_op_occs/${OP_OCC_ID}`);
  });

  it('names VNFCs by their vnfcInfo, and one whose VDU nobody knows as it was named', () => {
    const operationParams = { vnfcInstanceId: ['two', 'gone'] };
    const shown = renderOpOccV2(sampleOpOcc({ operation: 'HEAL', operationParams }), ROOT, {}, undefined, { two: 'db' });
    expect(shown.operationParams).toEqual({ vnfcInstanceId: ['db-two', 'gone'] });
  });
});
