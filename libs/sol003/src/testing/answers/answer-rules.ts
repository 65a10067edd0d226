import { LCM_OPERATION_TYPES, taskOf } from '../../operations/operations.js';
import type { SchemaName } from '../../schemas/schema-files.js';

/** The required body of an answer: a type of ETSI's, none, the bytes of a file, or a body of the legacy API. */
export type ExpectedBody = SchemaName | 'nothing' | 'bytes' | 'vim' | 'vims';

/** An answer that is no error: its status, body and required headers. */
export interface ExpectedAnswer {
  readonly status: number;
  readonly body: ExpectedBody;
  readonly headers?: readonly string[];
}

const ok = (body: ExpectedBody): ExpectedAnswer => ({ status: 200, body });
const created = (body: ExpectedBody): ExpectedAnswer => ({ status: 201, body, headers: ['location'] });
const accepted: ExpectedAnswer = { status: 202, body: 'nothing', headers: ['location'] };
const acceptedWithoutLocation: ExpectedAnswer = { status: 202, body: 'nothing' };
const gone: ExpectedAnswer = { status: 204, body: 'nothing' };
const seeOther: ExpectedAnswer = { status: 303, body: 'nothing', headers: ['location'] };
const content: readonly ExpectedAnswer[] = [
  { status: 200, body: 'bytes' },
  { status: 206, body: 'bytes', headers: ['content-range'] },
];

type Rule = readonly [route: string, ...answers: ExpectedAnswer[]];

const INSTANCE = '/vnflcm/v1/vnf_instances/:id';
const OP_OCC = '/vnflcm/v1/vnf_lcm_op_occs/:id';

/** The lifecycle API (SOL003 5.4). */
const LIFECYCLE: readonly Rule[] = [
  ['GET /vnflcm/api_versions', ok('ApiVersionInformation')],
  ['GET /vnflcm/v1/api_versions', ok('ApiVersionInformation')],
  ['GET /vnflcm/v1/vnf_instances', ok('VnfInstances')],
  ['POST /vnflcm/v1/vnf_instances', created('VnfInstance')],
  [`GET ${INSTANCE}`, ok('VnfInstance'), { status: 304, body: 'nothing' }],
  [`PATCH ${INSTANCE}`, accepted],
  [`DELETE ${INSTANCE}`, gone],
  ...LCM_OPERATION_TYPES.flatMap((operation): Rule[] => {
    const at = taskOf(operation);
    return at === undefined ? [] : [[`POST ${INSTANCE}/${at.task}`, accepted]];
  }),
  ['GET /vnflcm/v1/vnf_lcm_op_occs', ok('VnfLcmOpOccs')],
  [`GET ${OP_OCC}`, ok('VnfLcmOpOcc')],
  [`POST ${OP_OCC}/retry`, acceptedWithoutLocation],
  [`POST ${OP_OCC}/rollback`, acceptedWithoutLocation],
  [`POST ${OP_OCC}/fail`, ok('VnfLcmOpOcc')],
  [`POST ${OP_OCC}/cancel`, acceptedWithoutLocation],
  ['GET /vnflcm/v1/subscriptions', ok('LccnSubscriptions')],
  ['POST /vnflcm/v1/subscriptions', created('LccnSubscription'), seeOther],
  ['GET /vnflcm/v1/subscriptions/:id', ok('LccnSubscription')],
  ['DELETE /vnflcm/v1/subscriptions/:id', gone],
];

const packageReads = (pkg: string): Rule[] => [
  [`GET ${pkg}`, ok('VnfPkgInfo')],
  [`GET ${pkg}/package_content`, ...content],
  [`GET ${pkg}/vnfd`, ok('bytes')],
  [`GET ${pkg}/manifest`, ok('bytes')],
  [`GET ${pkg}/artifacts`, ...content],
  [`GET ${pkg}/artifacts/*`, ...content],
];

const PACKAGE = '/vnfpkgm/v1/vnf_packages/:id';

/** The package API (SOL003 10.4, SOL005 9.4). */
const PACKAGES: readonly Rule[] = [
  ['GET /vnfpkgm/api_versions', ok('ApiVersionInformation')],
  ['GET /vnfpkgm/v1/api_versions', ok('ApiVersionInformation')],
  ['GET /vnfpkgm/v1/vnf_packages', ok('VnfPkgsInfo')],
  ['POST /vnfpkgm/v1/vnf_packages', created('VnfPkgInfo')],
  [`PATCH ${PACKAGE}`, ok('VnfPkgInfoModification')],
  [`DELETE ${PACKAGE}`, gone],
  [`PUT ${PACKAGE}/package_content`, acceptedWithoutLocation],
  [`POST ${PACKAGE}/package_content/upload_from_uri`, acceptedWithoutLocation],
  ...packageReads(PACKAGE),
  ['GET /vnfpkgm/v1/onboarded_vnf_packages', ok('VnfPkgsInfo')],
  ...packageReads('/vnfpkgm/v1/onboarded_vnf_packages/:id'),
  ['GET /vnfpkgm/v1/subscriptions', ok('PkgmSubscriptions')],
  ['POST /vnfpkgm/v1/subscriptions', created('PkgmSubscription'), seeOther],
  ['GET /vnfpkgm/v1/subscriptions/:id', ok('PkgmSubscription')],
  ['DELETE /vnfpkgm/v1/subscriptions/:id', gone],
];

/** The legacy API of the VIMs, which has no schemas. */
const VIMS: readonly Rule[] = [
  ['GET /v1.0/vims', ok('vims')],
  ['POST /v1.0/vims', { status: 201, body: 'vim' }],
  ['GET /v1.0/vims/:id', ok('vim')],
  ['PUT /v1.0/vims/:id', ok('vim')],
  ['DELETE /v1.0/vims/:id', gone],
];

const patternOf = (route: string): RegExp =>
  new RegExp(`^${route.replaceAll('.', '\\.').replaceAll(/:\w+/g, '[^/]+').replace('/*', '/.+')}$`);

const RULES = [...LIFECYCLE, ...PACKAGES, ...VIMS].map(([route, ...answers]) => ({ pattern: patternOf(route), answers }));

/** The answers of a resource that are no errors; undefined without a rule for the method and path. @param path without its query */
export const expectedAnswers = (method: string, path: string): readonly ExpectedAnswer[] | undefined =>
  RULES.find(({ pattern }) => pattern.test(`${method} ${path}`))?.answers;
