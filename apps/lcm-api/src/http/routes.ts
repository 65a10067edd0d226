import { RequestError } from '@windlass/foundation';
import type { OperationTable } from '@windlass/lifecycle';

/** What each resource of the REST surface can do: for `Allow` and 405, which conformance asks for on every resource (SOL013 4.3). Operations on instances come from their table. */
const ROUTES: readonly (readonly [pattern: string, ...methods: string[]])[] = [
  ['/', 'GET'],
  ['/vnflcm/api_versions', 'GET'],
  ['/vnflcm/v1/api_versions', 'GET'],
  ['/vnflcm/v1/vnf_instances', 'GET', 'POST'],
  ['/vnflcm/v1/vnf_lcm_op_occs', 'GET'],
  ['/vnflcm/v1/vnf_lcm_op_occs/:id', 'GET'],
  ['/vnflcm/v1/vnf_lcm_op_occs/:id/retry', 'POST'],
  ['/vnflcm/v1/vnf_lcm_op_occs/:id/rollback', 'POST'],
  ['/vnflcm/v1/vnf_lcm_op_occs/:id/fail', 'POST'],
  ['/vnflcm/v1/vnf_lcm_op_occs/:id/cancel', 'POST'],
  ['/vnfpkgm/api_versions', 'GET'],
  ['/vnfpkgm/v1/api_versions', 'GET'],
  ['/vnfpkgm/v1/vnf_packages', 'GET', 'POST'],
  ['/vnfpkgm/v1/vnf_packages/:id', 'GET', 'PATCH', 'DELETE'],
  ['/vnfpkgm/v1/vnf_packages/:id/package_content', 'GET', 'PUT'],
  ['/vnfpkgm/v1/vnf_packages/:id/vnfd', 'GET'],
  ['/vnfpkgm/v1/vnf_packages/:id/artifacts', 'GET'],
  ['/vnfpkgm/v1/vnf_packages/:id/artifacts/*path', 'GET'],
  ['/vnfpkgm/v1/onboarded_vnf_packages', 'GET'],
  ['/vnfpkgm/v1/onboarded_vnf_packages/:vnfdId', 'GET'],
  ['/vnfpkgm/v1/onboarded_vnf_packages/:vnfdId/package_content', 'GET'],
  ['/vnfpkgm/v1/onboarded_vnf_packages/:vnfdId/vnfd', 'GET'],
  ['/vnfpkgm/v1/onboarded_vnf_packages/:vnfdId/artifacts', 'GET'],
  ['/vnfpkgm/v1/onboarded_vnf_packages/:vnfdId/artifacts/*path', 'GET'],
  ['/v1.0/vims', 'GET', 'POST'],
  ['/v1.0/vims/:id', 'GET', 'PUT', 'DELETE'],
  ['/windlass/v1/operations/:id/steps', 'GET'],
  ['/windlass/v1/operations/:id/events', 'GET'],
  ['/windlass/v1/events', 'GET'],
  ['/windlass/v1/audit_trail', 'GET'],
  ['/windlass/v1/audit_trail/check', 'GET'],
  ['/windlass/v1/audit_trail/head', 'GET'],
  ['/windlass/v1/audits', 'POST'],
  ['/windlass/v1/audits/:id', 'GET'],
  ['/windlass/v1/clean_ups', 'GET'],
  ['/windlass/v1/clean_ups/:id', 'GET'],
  ['/windlass/v1/enrolment_tokens', 'GET', 'POST'],
  ['/windlass/v1/enrolment_tokens/:id', 'DELETE'],
  ['/windlass/v1/enrolled_keys', 'GET'],
  ['/windlass/v1/enrolled_keys/:id', 'DELETE'],
  ['/windlass/v1/drivers', 'GET'],
  ['/windlass/v1/drivers/:name', 'GET', 'DELETE'],
  ['/windlass/v1/host_keys', 'GET'],
  ['/windlass/v1/host_keys/:resourceId', 'DELETE'],
];

/** The surface with the operations that there are, each at its method and path. */
export class Routes {
  readonly #all: readonly (readonly [pattern: string, ...methods: string[]])[];
  readonly #compiled: readonly { test: RegExp; methods: readonly string[] }[];

  constructor(operations: OperationTable) {
    this.#all = [...ROUTES, ...operationRoutes(operations)];
    this.#compiled = this.#all.map(([pattern, ...methods]) => ({
      test: new RegExp(`^${pattern.replaceAll('.', '\\.').replaceAll(/:\w+/g, '[^/]+').replaceAll(/\*\w+/g, '.+')}(\\.json)?/?$`),
      methods,
    }));
  }

  /** The methods of the resource at a path; undefined where there is none. */
  methodsOf(path: string): readonly string[] | undefined {
    return this.#compiled.find(({ test }) => test.test(path))?.methods;
  }

  /** Every `METHOD pattern` that changes something. */
  changing(): string[] {
    return this.#all.flatMap(([pattern, ...methods]) =>
      methods.filter((method) => method !== 'GET').map((method) => `${method} ${pattern}`),
    );
  }
}

const INSTANCE = '/vnflcm/v1/vnf_instances/:id';

/** The task resources, and the instance itself, which some operations are asked of by a method of its own. */
function operationRoutes({ all }: OperationTable): [string, ...string[]][] {
  const own = all.flatMap(({ route }) => (route.method === 'POST' ? [] : [route.method]));
  const tasks = all.flatMap(({ route }): [string, string][] =>
    route.method === 'POST' ? [[`${INSTANCE}/${route.task}`, 'POST']] : [],
  );
  return [[INSTANCE, 'GET', ...own, 'DELETE'], ...tasks];
}

/** The answer to a path that is no resource. */
export const noResource = (path: string): RequestError =>
  new RequestError(404, 'request.no-resource', `there is no resource ${path}`);
