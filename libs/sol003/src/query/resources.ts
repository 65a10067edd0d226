import type { JsonObject } from '@windlass/foundation';
import { schemasOf } from '../schemas/schema-files.js';
import { joined, treeOf, withAlias, type AttributeNode } from './attribute-tree.js';

/** What a list resource lets its readers filter by and select. */
export interface ResourceTable {
  readonly name: string;
  /** Complex attributes that a list leaves out unless it is asked for them (SOL003 5.4.2.3.2, 5.4.12.3.2; SOL005 9.4.2.3.2). */
  readonly excludedByDefault: readonly string[];
  /** Attributes that no selector can take away; `rest` is all that is not excluded by default. */
  readonly always: readonly string[] | 'rest';
  readonly tree: () => AttributeNode;
}

const text: JsonObject = { type: 'string' };
const free: JsonObject = { type: 'object' };
const listOf = (properties: JsonObject): JsonObject => ({ type: 'array', items: { type: 'object', properties } });
const of = (properties: JsonObject): JsonObject => ({ type: 'object', properties });

function once(make: () => AttributeNode): () => AttributeNode {
  let made: AttributeNode | undefined;
  return () => (made ??= make());
}

/** What the reference system and the guides add to ETSI's schema of 2.6.1. */
const INSTANCE_ADDITIONS = of({
  vnfPkgId: text,
  instantiatedVnfInfo: of({
    instantiationLevelId: text,
    additionalParams: free,
    vnfcInfo: listOf({ id: text, vduId: text, vnfcResourceInfoId: text, vnfcState: text, vnfcConfigurableProperties: free }),
  }),
});

const VIM_CONNECTION = of({ vimId: text, vimType: text, interfaceInfo: free, accessInfo: free, extra: free });

const INSTANCE_V2_ADDITIONS = of({
  vimConnectionInfo: { type: 'object', additionalProperties: VIM_CONNECTION },
  instantiatedVnfInfo: of({
    maxScaleLevels: listOf({ aspectId: text, scaleLevel: { type: 'integer' } }),
    metadata: free,
    vnfcResourceInfo: listOf({ zoneId: text }),
  }),
});

function treeOfAll(schemas: readonly JsonObject[]): AttributeNode {
  return schemas.map(treeOf).reduce(joined);
}

/** ETSI's schema says `virtualLinkResourceInfo`, guides and table `vnfVirtualLinkResourceInfo`; both find it. */
function instanceTree(additions: readonly JsonObject[]): AttributeNode {
  const tree = treeOfAll([...schemasOf('VnfInstance'), ...additions]);
  const info = tree.members.get('instantiatedVnfInfo');
  const links = info?.members.get('virtualLinkResourceInfo');
  if (info === undefined || links === undefined) return tree;
  const both: AttributeNode = { ...info, members: new Map([...info.members, ['vnfVirtualLinkResourceInfo', links]]) };
  const complete: AttributeNode = { ...tree, members: new Map([...tree.members, ['instantiatedVnfInfo', both]]) };
  return withAlias(complete, ['instantiatedVnfInfo'], 'virtualLinkResourceInfo', 'vnfVirtualLinkResourceInfo');
}

function opOccTree(): AttributeNode {
  const links = listOf({ vnfVirtualLinkDescId: text });
  const tree = treeOfAll([...schemasOf('VnfLcmOpOcc'), of({ resourceChanges: of({ affectedVirtualLinks: links }) })]);
  return withAlias(tree, ['resourceChanges', 'affectedVirtualLinks'], 'virtualLinkDescId', 'vnfVirtualLinkDescId');
}

const INSTANCE_EXCLUDED = ['vnfConfigurableProperties', 'vimConnectionInfo', 'instantiatedVnfInfo', 'metadata', 'extensions'];
const OP_OCC_EXCLUDED = ['operationParams', 'error', 'resourceChanges', 'changedInfo', 'changedExtConnectivity'];

/** The always returned ones of v1 (lcm-api 2.2), and `_links`, which the command line prints. */
const OP_OCC_ALWAYS = [
  'id',
  'operationState',
  'stateEnteredTime',
  'startTime',
  'vnfInstanceId',
  'grantId',
  'operation',
  'isAutomaticInvocation',
  'isCancelPending',
  '_links',
];

const PACKAGE_ALWAYS = [
  'id',
  'onboardingState',
  'operationalState',
  'usageState',
  'vnfProvider',
  'vnfProductName',
  'vnfdId',
  'vnfSoftwareVersion',
  'vnfdVersion',
  '_links',
];

/**
 * The lists of all APIs. v1's `vnf_instances` takes selectors and leaves out the complex attributes, as SOL003 wants it: the
 * reference system has neither in v1, and its command line reads nothing of a list that is left out.
 */
export const RESOURCES = {
  vnfInstances: {
    name: 'VnfInstance',
    excludedByDefault: INSTANCE_EXCLUDED,
    always: 'rest',
    tree: once(() => instanceTree([INSTANCE_ADDITIONS])),
  },
  vnfInstancesV2: {
    name: 'VnfInstance',
    excludedByDefault: INSTANCE_EXCLUDED,
    always: 'rest',
    tree: once(() => instanceTree([INSTANCE_ADDITIONS, INSTANCE_V2_ADDITIONS])),
  },
  vnfLcmOpOccs: { name: 'VnfLcmOpOcc', excludedByDefault: OP_OCC_EXCLUDED, always: OP_OCC_ALWAYS, tree: once(opOccTree) },
  vnfLcmOpOccsV2: { name: 'VnfLcmOpOcc', excludedByDefault: OP_OCC_EXCLUDED, always: 'rest', tree: once(opOccTree) },
  vnfPackages: {
    name: 'VnfPkgInfo',
    excludedByDefault: ['checksum', 'softwareImages', 'additionalArtifacts', 'userDefinedData'],
    always: PACKAGE_ALWAYS,
    tree: once(() =>
      treeOfAll([
        ...schemasOf('VnfPkgInfo'),
        of({ onboardingFailureDetails: of({ title: text, status: { type: 'integer' }, detail: text }) }),
      ]),
    ),
  },
  lccnSubscriptions: {
    name: 'LccnSubscription',
    excludedByDefault: [],
    always: ['id', 'callbackUri', '_links'],
    tree: once(() => treeOfAll([...schemasOf('LccnSubscription'), of({ verbosity: text })])),
  },
  pkgmSubscriptions: {
    name: 'PkgmSubscription',
    excludedByDefault: [],
    always: ['id', 'callbackUri', '_links'],
    tree: once(() => treeOfAll(schemasOf('PkgmSubscription'))),
  },
} as const satisfies Record<string, ResourceTable>;
