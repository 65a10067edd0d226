import { params, paramsAs, type Given, type Proxies, type RequestCheck } from '@windlass/driver-kit';
import { InvariantError, type JsonObject } from '@windlass/foundation';
import type { HookContext, ValidateRequest } from '@windlass/mgmt-driver';
import { chooseScript, type ScriptChoice } from '../packaged-script/script-choice.js';
import { PARAM } from '../parameters/of-clusters.js';

const { named, needed, path, sshMachineOf } = params;

/** Name of the parameter in the driver's own. */
export const EXTERNAL_LB = 'external_lb_param';

/** `external_lb_param`; part of a driver's schema. */
export const externalLbSchema = sshMachineOf('The external load balancer', {
  ssh_cp_name: needed(named('CP whose address is logged in to, and where the cluster’s API is reached')),
  script_path: needed(path('Script in the package that installs it')),
});

/** The external load balancer of a cluster, secrets masked where they are shown so. */
export type ExternalLbParams = Given<typeof externalLbSchema>;

/** `additionalParams` of drivers that have the parameter, secrets and all. */
export interface WithExternalLb {
  [PARAM]: { external_lb_param: ExternalLbParams; proxy?: Proxies & { no_proxy?: string } };
}

/** The balancer that the instantiation's parameters have; undefined where they have none. */
export const externalLbParams = (additionalParams: JsonObject): ExternalLbParams | undefined =>
  paramsAs<Partial<{ [PARAM]: Partial<WithExternalLb[typeof PARAM]> }>>(additionalParams)[PARAM]?.[EXTERNAL_LB];

/**
 * What a request says of the balancer, compared with the VNFD and the package. Nothing where it has none.
 * @param nodes the VDUs of masters and workers, those that are known
 */
export function checkExternalLb(check: RequestCheck, request: ValidateRequest, nodes: readonly string[]): void {
  const params = externalLbParams(request.requestParams);
  if (params === undefined) return;
  const { ssh_cp_name: cp, ssh_username: user, script_path: path } = params;
  const at = `/${EXTERNAL_LB}`;
  const vdu = check.cpVdu(`${at}/ssh_cp_name`, cp);
  const most = vdu === undefined ? 1 : (request.flavour.mostVnfcs[vdu] ?? 1);
  if (vdu !== undefined && nodes.includes(vdu))
    check.wrong(
      `${at}/ssh_cp_name`,
      `CP ${cp} belongs to VDU ${vdu}, whose VMs are nodes of the cluster: one of a VDU of its own was expected`,
    );
  else if (most !== 1)
    check.wrong(
      `${at}/ssh_cp_name`,
      `CP ${cp} belongs to VDU ${vdu ?? ''}, which may have ${most} VMs: the load balancer is one`,
    );
  check.user(`${at}/ssh_username`, user);
  if (check.file(`${at}/script_path`, path) === undefined) return;
  const choice = chooseScript(path, request.files);
  check.warn(
    choice?.kind === 'builtin'
      ? `${path} is not run: ${choice.why}; Windlass's own actions install the load balancer`
      : `${path} of the package is run on the load balancer, as the user who logs in`,
  );
}

/** Whether our actions or a script of the package install the load balancer. */
export function externalLbScript({ script_path: path }: ExternalLbParams, { files }: HookContext): ScriptChoice {
  const script = chooseScript(path, files);
  if (script === undefined) throw new InvariantError(`the package has no ${path}, which was there when the request came`);
  return script;
}
