import type { JsonObject } from '@windlass/foundation';
import { expect, it } from 'vitest';
import type { BodyClass } from '../validation/attributes.js';
import { GrantBody } from './grant.js';
import {
  CreateVnfRequestBody,
  HealVnfRequestBody,
  InstantiateVnfRequestBody,
  InstantiateVnfRequestV2Body,
  LccnSubscriptionRequestBody,
  TerminateVnfRequestBody,
} from './index.js';
import { unusedMemberWarning, unusedMembers } from './unused-members.js';

const ignored = (bodyClass: BodyClass, body: JsonObject): string[] =>
  unusedMembers(bodyClass, body).ignored.map(unusedMemberWarning);
const refused = (bodyClass: BodyClass, body: JsonObject): string[] => unusedMembers(bodyClass, body).refused.map(({ at }) => at);

/** One link with that of a connection point. */
const linked = (config: JsonObject, more: JsonObject = {}): JsonObject => ({
  flavourId: 'f',
  extVirtualLinks: [{ id: 'l', resourceId: 'n', ...more, extCps: [{ cpdId: 'c', cpConfig: [config] }] }],
});
const CONFIG = '/extVirtualLinks/0/extCps/0/cpConfig/0';

it('a misspelt member is told with the name that is meant, at whatever depth', () => {
  expect(ignored(InstantiateVnfRequestBody, { flavourId: 'f', instantiationLevelID: 'big' })).toEqual([
    '/instantiationLevelID is no member of InstantiateVnfRequest and is not used: did you mean instantiationLevelId?',
  ]);
  expect(ignored(InstantiateVnfRequestBody, linked({ cpProtocolDatas: [] }))).toEqual([
    `${CONFIG}/cpProtocolDatas is no member of VnfExtCpConfig and is not used: did you mean cpProtocolData?`,
  ]);
  expect(ignored(LccnSubscriptionRequestBody, { callbackUri: 'http://x/', filter: { notificationType: [] } })).toEqual([
    '/filter/notificationType is no member of LifecycleChangeNotificationsFilter and is not used: did you mean notificationTypes?',
  ]);
});

it('a member that is like none is told, and what a client makes up itself is its own', () => {
  expect(
    ignored(TerminateVnfRequestBody, { terminationType: 'FORCEFUL', colour: 'red', additionalParams: { colour: 'red' } }),
  ).toEqual(['/colour is no member of TerminateVnfRequest and is not used: leave it out']);
  expect(ignored(CreateVnfRequestBody, { vnfdId: 'v', metadata: { anything: { goes: 1 } } })).toEqual([]);
});

it('a member of the other version is told, not taken', () => {
  expect(ignored(InstantiateVnfRequestBody, linked({ parentCpConfigId: 'p' }))).toEqual([
    expect.stringContaining(`${CONFIG}/parentCpConfigId is no member`),
  ]);
  const v2 = {
    flavourId: 'f',
    extVirtualLinks: [{ id: 'l', resourceId: 'n', extCps: [{ cpdId: 'c', cpConfig: { 'a/b': { cpInstanceId: 'i' } } }] }],
  };
  expect(ignored(InstantiateVnfRequestV2Body, v2)).toEqual([
    expect.stringContaining('/extVirtualLinks/0/extCps/0/cpConfig/a~1b/cpInstanceId is no member'),
  ]);
});

it('what the standard has and nothing here does anything with is told with what to do', () => {
  expect(
    ignored(InstantiateVnfRequestBody, {
      ...linked({ createExtLinkPort: true }, { resourceProviderId: 'r' }),
      localizationLanguage: 'de',
    }),
  ).toEqual([
    expect.stringContaining('/extVirtualLinks/0/resourceProviderId is of indirect mode'),
    expect.stringContaining(`${CONFIG}/createExtLinkPort is of a later SOL003`),
    expect.stringContaining('/localizationLanguage has no effect'),
  ]);
  expect(ignored(HealVnfRequestBody, { cause: 'dead', healScript: 'run.sh' })).toEqual([
    expect.stringContaining('/healScript is of SOL002'),
  ]);
});

it('what would make the VNF another than was asked for is refused', () => {
  expect(refused(InstantiateVnfRequestBody, { flavourId: 'f', targetScaleLevelInfo: [] })).toEqual(['/targetScaleLevelInfo']);
  const ethernet = {
    cpProtocolData: [
      { layerProtocol: 'IP_OVER_ETHERNET', ipOverEthernet: { macAddress: 'fa:16:3e:00:00:01', segmentationId: '5' } },
    ],
  };
  expect(refused(InstantiateVnfRequestBody, linked(ethernet))).toEqual([
    `${CONFIG}/cpProtocolData/0/ipOverEthernet/segmentationId`,
  ]);
});

it('a null says nothing', () => {
  expect(unusedMembers(InstantiateVnfRequestBody, { flavourId: 'f', targetScaleLevelInfo: null, extVirtualLinks: null })).toEqual(
    {
      ignored: [],
      refused: [],
    },
  );
});

it('of a grant what Windlass takes is silent, and reservations and groups are told', () => {
  const _links = { self: { href: 'http://n/g' }, vnfLcmOpOcc: { href: 'http://w/o' }, vnfInstance: { href: 'http://w/i' } };
  const grant = { id: 'g', vnfInstanceId: 'i', vnfLcmOpOccId: 'o', _links };
  expect(ignored(GrantBody, grant)).toEqual([]);
  const more = { zoneGroups: [{ zoneId: ['z'] }], addResources: [{ resourceDefinitionId: 'd', resourceGroupId: 'x' }] };
  expect(ignored(GrantBody, { ...grant, ...more })).toEqual([
    expect.stringContaining('/zoneGroups is not used'),
    expect.stringContaining('/addResources/0/resourceGroupId is not used'),
  ]);
});

it('a stranger’s thousands of members and long names make no long answer, and cost little', () => {
  const body = {
    flavourId: 'f',
    ...Object.fromEntries(Array.from({ length: 40_000 }, (_, n) => [`x${'y'.repeat(500)}${n}`, n])),
  };
  const started = process.cpuUsage();
  const lines = ignored(InstantiateVnfRequestBody, body);
  expect(process.cpuUsage(started).user).toBeLessThan(3_000_000);
  expect(lines).toHaveLength(51);
  expect(lines.at(-1)).toBe('and 39950 more members that are not used');
  expect(lines.every((line) => line.length < 300)).toBe(true);
});

it.each(['constructor', 'hasOwnProperty', 'toString'])('a member named %s is one as any other', (name) => {
  expect(ignored(InstantiateVnfRequestBody, { flavourId: 'f', [name]: 1 })).toEqual([
    expect.stringContaining(`/${name} is no member`),
  ]);
});
