import { RequestError, type JsonObject } from '@windlass/foundation';
import { describe, expect, it } from 'vitest';
import {
  ChangeExtVnfConnectivityRequestBody,
  CreateVnfRequestBody,
  HealVnfRequestBody,
  InstantiateVnfRequestBody,
  InstantiateVnfRequestV2Body,
  LccnSubscriptionRequestBody,
  LccnSubscriptionRequestV2Body,
  ScaleVnfRequestBody,
  TerminateVnfRequestBody,
  TerminateVnfRequestV2Body,
  VnfInfoModificationRequestBody,
  VnfPkgInfoModificationBody,
} from '../requests/index.js';
import { guideInstantiate } from '../testing/samples.js';
import type { BodyClass } from './attributes.js';
import { validateBody } from './validate-body.js';

function refusal(bodyClass: BodyClass, body: unknown): RequestError {
  try {
    validateBody(bodyClass, body);
  } catch (error) {
    if (error instanceof RequestError) return error;
    throw error;
  }
  throw new Error(`${bodyClass.name} took ${JSON.stringify(body)}`);
}

const wrongPaths = (bodyClass: BodyClass, body: unknown): string[] =>
  (refusal(bodyClass, body).invalidParams ?? []).map(({ path }) => path);

/** A v1 instantiate request with one entry of `ipAddresses`. */
const withIp = (ip: JsonObject) => ({
  flavourId: 'simple',
  extVirtualLinks: [
    {
      id: 'net0',
      resourceId: 'net',
      extCps: [
        {
          cpdId: 'cp',
          cpConfig: [{ cpProtocolData: [{ layerProtocol: 'IP_OVER_ETHERNET', ipOverEthernet: { ipAddresses: [ip] } }] }],
        },
      ],
    },
  ],
});
const IP_PATH = '/extVirtualLinks/0/extCps/0/cpConfig/0/cpProtocolData/0/ipOverEthernet/ipAddresses/0';

describe('validateBody', () => {
  it("takes the guide's instantiate request and gives it back unchanged", () => {
    expect(validateBody(InstantiateVnfRequestBody, guideInstantiate())).toEqual(guideInstantiate());
  });

  it('names every wrong field at once by its pointer, with what was expected and what came', () => {
    const error = refusal(InstantiateVnfRequestBody, {
      instantiationLevelId: 7,
      vimConnectionInfo: [{ vimType: 'openstack', accessInfo: 'x' }],
      extVirtualLinks: [
        { id: 'net0', extCps: [{ cpdId: 'cp', cpConfig: [{}, {}] }, 'no object'] },
        { id: '', resourceId: 'r', extCps: 'none' },
      ],
    });
    expect(error.status).toBe(400);
    expect(error.code).toBe('request.invalid-body');
    const reasons = Object.fromEntries((error.invalidParams ?? []).map(({ path, reason }) => [path, reason]));
    expect(reasons).toEqual({
      '/flavourId': 'is required: expected a string of 1 to 255 characters, got nothing',
      '/instantiationLevelId': 'expected a string of 1 to 255 characters, got an integer',
      '/vimConnectionInfo/0/id': 'is required: expected a string of 1 to 255 characters, got nothing',
      '/vimConnectionInfo/0/accessInfo': 'expected an object, got a string of 1 character',
      '/extVirtualLinks/0/resourceId': 'is required: expected a string of 1 to 255 characters, got nothing',
      '/extVirtualLinks/0/extCps/0/cpConfig': 'expected a list of exactly 1, each an object, got a list of 2 elements',
      '/extVirtualLinks/0/extCps/1': 'expected an object, got a string of 9 characters',
      '/extVirtualLinks/1/id': 'expected a string of 1 to 255 characters, got an empty string',
      '/extVirtualLinks/1/extCps': 'expected a list, each an object, got a string of 4 characters',
    });
    expect(error.message).toContain('and 6 more');
  });

  it.each([
    ['nothing', undefined],
    ['null', null],
    ['a list of 0 elements', []],
    ['a string of 2 characters', '{}'],
  ])('refuses %s for a body', (got, body) => {
    expect(refusal(TerminateVnfRequestBody, body).invalidParams).toEqual([
      { path: '', reason: `expected an object, got ${got}` },
    ]);
  });

  it('keeps attributes that nobody described, at every level', () => {
    const body = { type: 'SCALE_OUT', aspectId: 'a', 'x-vendor': { constructor: [1, null] }, constructor: 'odd' };
    expect(validateBody(ScaleVnfRequestBody, body)).toEqual(body);
    const link = { id: 'n', resourceId: 'r', extCps: [], colour: 'blue' };
    expect(validateBody(ChangeExtVnfConnectivityRequestBody, { extVirtualLinks: [link] }).extVirtualLinks[0]).toEqual(link);
  });

  it('never repeats a value that may be secret', () => {
    const error = refusal(LccnSubscriptionRequestBody, {
      callbackUri: 'http://hunter:hunter2@client/',
      authentication: { authType: ['BASIC', 'hunter2 is no type'], paramsBasic: { userName: ['hunter2'], password: 22 } },
    });
    expect(JSON.stringify(error.problemDetails())).not.toContain('hunter');
    expect((error.invalidParams ?? []).map(({ path }) => path).sort()).toEqual([
      '/authentication/authType/1',
      '/authentication/paramsBasic/password',
      '/authentication/paramsBasic/userName',
      '/callbackUri',
    ]);
  });

  it('repeats a misspelled word of an enumeration', () => {
    expect(refusal(TerminateVnfRequestBody, { terminationType: 'GRACEFULL' }).message).toContain('got "GRACEFULL"');
  });

  it('answers a body with too many faults with the first thousand and the number of all', () => {
    const error = refusal(HealVnfRequestBody, { vnfcInstanceId: Array.from({ length: 5_000 }, () => 1) });
    expect(error.invalidParams).toHaveLength(1_000);
    expect(error.message).toContain('and 4997 more');
  });
});

describe("spellings of the guides' samples", () => {
  it('takes a number of steps in digits for a number', () => {
    expect(
      validateBody(ScaleVnfRequestBody, { type: 'SCALE_OUT', aspectId: 'worker_instance', numberOfSteps: '1' }).numberOfSteps,
    ).toBe(1);
    expect(wrongPaths(ScaleVnfRequestBody, { type: 'SCALE_OUT', aspectId: 'a', numberOfSteps: 'one' })).toEqual([
      '/numberOfSteps',
    ]);
    expect(wrongPaths(ScaleVnfRequestBody, { type: 'SCALE_OUT', aspectId: 'a', numberOfSteps: '0' })).toEqual(['/numberOfSteps']);
    expect(wrongPaths(ScaleVnfRequestBody, { type: 'SCALE_OUT', aspectId: 'a', numberOfSteps: 1.5 })).toEqual(['/numberOfSteps']);
  });

  it('takes a single vnfcInstanceId for a list of one, and null for the whole VNF', () => {
    expect(validateBody(HealVnfRequestBody, { vnfcInstanceId: 'bbce' })).toEqual({ vnfcInstanceId: ['bbce'] });
    expect(validateBody(HealVnfRequestBody, { vnfcInstanceId: null, cause: 'x' })).toEqual({ cause: 'x' });
    expect(wrongPaths(HealVnfRequestBody, { vnfcInstanceId: ['a', 3, ''] })).toEqual(['/vnfcInstanceId/1', '/vnfcInstanceId/2']);
  });

  it('refuses a block storage switch that is no boolean', () => {
    const additionalParams = { tacker_extension_heal_include_block_storage: 'False' };
    expect(wrongPaths(HealVnfRequestBody, { additionalParams })).toEqual([
      '/additionalParams/tacker_extension_heal_include_block_storage',
    ]);
  });
});

describe('limits', () => {
  it('takes a name of 255 characters and no longer one', () => {
    const vnfdId = 'B1DB0CE7-EBCA-1fb7-95ed-4840d70a1163';
    expect(validateBody(CreateVnfRequestBody, { vnfdId, vnfInstanceName: 'n'.repeat(255) }).vnfInstanceName).toHaveLength(255);
    expect(wrongPaths(CreateVnfRequestBody, { vnfdId, vnfInstanceName: 'n'.repeat(256) })).toEqual(['/vnfInstanceName']);
    expect(wrongPaths(CreateVnfRequestBody, { vnfdId: '' })).toEqual(['/vnfdId']);
  });

  it('takes one VIM connection at most in v1, each with id and vimType', () => {
    const vim = { id: 'a', vimType: 'openstack' };
    expect(wrongPaths(InstantiateVnfRequestBody, { flavourId: 'f', vimConnectionInfo: [vim, vim] })).toEqual([
      '/vimConnectionInfo',
    ]);
    expect(wrongPaths(InstantiateVnfRequestBody, { flavourId: 'f', vimConnectionInfo: [{}] })).toEqual([
      '/vimConnectionInfo/0/id',
      '/vimConnectionInfo/0/vimType',
    ]);
  });

  it('lets a graceful termination wait 0 seconds in v1 and at least 1 in v2', () => {
    const body = { terminationType: 'GRACEFUL', gracefulTerminationTimeout: 0 };
    expect(validateBody(TerminateVnfRequestBody, body)).toEqual(body);
    expect(wrongPaths(TerminateVnfRequestV2Body, body)).toEqual(['/gracefulTerminationTimeout']);
    expect(wrongPaths(TerminateVnfRequestV2Body, { gracefulTerminationTimeout: -1 })).toEqual([
      '/gracefulTerminationTimeout',
      '/terminationType',
    ]);
  });
});

describe('addresses of connection points', () => {
  it('takes fixed addresses or a number of dynamic ones', () => {
    for (const ip of [
      { type: 'IPV4', fixedAddresses: ['10.0.0.1', '10.0.0.2'], subnetId: 's' },
      { type: 'IPV6', fixedAddresses: ['fe80::1'] },
      { type: 'IPV4', numDynamicAddresses: 1 },
    ]) {
      expect(validateBody(InstantiateVnfRequestBody, withIp(ip))).toEqual(withIp(ip));
    }
  });

  it.each<[string, JsonObject, string[]]>([
    ['neither', { type: 'IPV4' }, [IP_PATH]],
    ['both', { type: 'IPV4', fixedAddresses: ['10.0.0.1'], numDynamicAddresses: 1 }, [`${IP_PATH}/numDynamicAddresses`]],
    ['no type', { numDynamicAddresses: 1 }, [`${IP_PATH}/type`]],
    ['no address', { type: 'IPV4', fixedAddresses: ['10.0.0.1', '10.0.0.256'] }, [`${IP_PATH}/fixedAddresses/1`]],
    ['the other family', { type: 'IPV4', fixedAddresses: ['fe80::1'] }, [`${IP_PATH}/fixedAddresses/0`]],
    ['an empty list', { type: 'IPV4', fixedAddresses: [] }, [`${IP_PATH}/fixedAddresses`]],
    ['no number', { type: 'IPV4', numDynamicAddresses: 0 }, [`${IP_PATH}/numDynamicAddresses`]],
    [
      'a range in v1',
      { type: 'IPV4', numDynamicAddresses: 1, addressRange: { minAddress: '10.0.0.1' } },
      [`${IP_PATH}/addressRange`],
    ],
  ])('refuses %s', (_what, ip, paths) => {
    expect(wrongPaths(InstantiateVnfRequestBody, withIp(ip))).toEqual(paths);
  });

  it('takes a range in v2, where configurations are a map with ids of the caller', () => {
    const link = (ip: JsonObject) => ({
      id: 'n',
      resourceId: 'r',
      extCps: [
        {
          cpdId: 'cp',
          cpConfig: {
            'a/b': { cpProtocolData: [{ layerProtocol: 'IP_OVER_ETHERNET', ipOverEthernet: { ipAddresses: [ip] } }] },
          },
        },
      ],
    });
    const body = {
      flavourId: 'f',
      extVirtualLinks: [link({ type: 'IPV4', addressRange: { minAddress: '10.0.0.1', maxAddress: '10.0.0.9' } })],
    };
    expect(validateBody(InstantiateVnfRequestV2Body, body)).toEqual(body);
    const wrong = {
      flavourId: 'f',
      extVirtualLinks: [link({ type: 'IPV4', addressRange: { minAddress: '10.0.0.1', maxAddress: '::1' } })],
    };
    const at = '/extVirtualLinks/0/extCps/0/cpConfig/a~1b/cpProtocolData/0/ipOverEthernet/ipAddresses/0';
    expect(wrongPaths(InstantiateVnfRequestV2Body, wrong)).toEqual([`${at}/addressRange/maxAddress`]);
    expect(wrongPaths(InstantiateVnfRequestV2Body, { flavourId: 'f', vimConnectionInfo: { a: {}, b: 3 } })).toEqual([
      '/vimConnectionInfo/b',
      '/vimConnectionInfo/a/vimType',
    ]);
  });

  it('wants a MAC or IP addresses where ipOverEthernet is given', () => {
    const body = withIp({});
    const protocol = body.extVirtualLinks[0]!.extCps[0]!.cpConfig[0]!.cpProtocolData[0]!;
    Object.assign(protocol, { ipOverEthernet: {} });
    expect(wrongPaths(InstantiateVnfRequestBody, body)).toEqual([IP_PATH.replace('/ipAddresses/0', '')]);
    Object.assign(protocol, { ipOverEthernet: { macAddress: 'fa:16:3e:00:00' } });
    expect(wrongPaths(InstantiateVnfRequestBody, body)).toEqual([IP_PATH.replace('/ipAddresses/0', '/macAddress')]);
  });
});

describe('subscriptions', () => {
  const request = (authentication: JsonObject) => ({ callbackUri: 'http://client:8080/cb?x=1', authentication });
  const cert = {
    authType: ['OAUTH2_CLIENT_CERT'],
    paramsOauth2ClientCert: {
      clientId: 'c',
      certificateRef: { type: 'x5t#S256', value: 'v' },
      tokenEndpoint: 'https://idp/token',
    },
  };

  it('need the parameters of the chosen way to authenticate', () => {
    expect(wrongPaths(LccnSubscriptionRequestBody, request({ authType: ['BASIC'] }))).toEqual(['/authentication/paramsBasic']);
    expect(wrongPaths(LccnSubscriptionRequestBody, request({ authType: [] }))).toEqual(['/authentication/authType']);
    const both = { authType: ['BASIC', 'OAUTH2_CLIENT_CREDENTIALS'], paramsBasic: { userName: 'u', password: 'p' } };
    expect(wrongPaths(LccnSubscriptionRequestBody, request(both))).toEqual(['/authentication/paramsOauth2ClientCredentials']);
    const basic = request({ authType: ['BASIC'], paramsBasic: { userName: 'u', password: 'p' } });
    expect(validateBody(LccnSubscriptionRequestBody, basic)).toEqual(basic);
  });

  it('refuse what Windlass could not send to the callback: it would come without credentials', () => {
    for (const rules of [LccnSubscriptionRequestBody, LccnSubscriptionRequestV2Body])
      expect(wrongPaths(rules, request(cert))).toEqual(['/authentication/authType/0']);
  });

  it('know the operations of their version', () => {
    const body = { callbackUri: 'http://c/', filter: { operationTypes: ['HEAL', 'CHANGE_VNFPKG'], operationStates: ['GONE'] } };
    expect(wrongPaths(LccnSubscriptionRequestBody, body).sort()).toEqual([
      '/filter/operationStates/0',
      '/filter/operationTypes/1',
    ]);
    expect(wrongPaths(LccnSubscriptionRequestV2Body, body)).toEqual(['/filter/operationStates/0']);
  });

  it.each([
    '/relative',
    'ftp://c/',
    'http:c',
    ' http://c/',
    'http://c/ d',
    'http://c/\n',
    'http://',
    'http://u:p@c/',
    `http://c/${'x'.repeat(2_040)}`,
  ])('refuse %j for a callback', (callbackUri) => {
    expect(wrongPaths(LccnSubscriptionRequestBody, { callbackUri })).toEqual(['/callbackUri']);
  });
});

describe('merge patches', () => {
  it('keep the nulls that delete', () => {
    const body = { vnfInstanceName: null, metadata: { a: null } };
    expect(validateBody(VnfInfoModificationRequestBody, body)).toEqual(body);
  });

  it('refuse to delete what an instance cannot be without', () => {
    expect(wrongPaths(VnfInfoModificationRequestBody, { vnfdId: null })).toEqual(['/vnfdId']);
    expect(wrongPaths(VnfPkgInfoModificationBody, { operationalState: null })).toEqual(['/operationalState']);
  });

  it('run all rules on the whole body', () => {
    const id = 'b1db0ce7-ebca-1fb7-95ed-4840d70a1163';
    expect(wrongPaths(VnfInfoModificationRequestBody, { vnfdId: null, vnfPkgId: id })).toEqual(['/vnfPkgId', '/vnfdId']);
    expect(wrongPaths(VnfPkgInfoModificationBody, {})).toEqual(['']);
  });
});
