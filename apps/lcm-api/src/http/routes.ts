/** What each resource of the REST surface can do: for `Allow` and 405, which conformance asks for on every resource (SOL013 4.3). */
const ROUTES: readonly (readonly [pattern: string, ...methods: string[]])[] = [
  ['/', 'GET'],
  ['/vnflcm/api_versions', 'GET'],
  ['/vnflcm/v1/api_versions', 'GET'],
  ['/vnflcm/v1/vnf_instances', 'GET', 'POST'],
  ['/vnflcm/v1/vnf_instances/:id', 'GET', 'PATCH', 'DELETE'],
  ['/vnflcm/v1/vnf_instances/:id/instantiate', 'POST'],
  ['/vnflcm/v1/vnf_instances/:id/terminate', 'POST'],
  ['/vnflcm/v1/vnf_instances/:id/heal', 'POST'],
  ['/vnflcm/v1/vnf_instances/:id/scale', 'POST'],
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

const COMPILED = ROUTES.map(([pattern, ...methods]) => ({
  test: new RegExp(`^${pattern.replaceAll('.', '\\.').replaceAll(/:\w+/g, '[^/]+')}(\\.json)?/?$`),
  methods,
}));

/** Every `METHOD pattern` that changes something. */
export const changingRoutes = (): string[] =>
  ROUTES.flatMap(([pattern, ...methods]) => methods.filter((method) => method !== 'GET').map((method) => `${method} ${pattern}`));

/** The methods of the resource at a path; undefined where there is none. */
export const methodsOf = (path: string): readonly string[] | undefined => COMPILED.find(({ test }) => test.test(path))?.methods;
