import { packagePath, paramsAs, type RequestCheck } from '@windlass/driver-kit';
import type { Json } from '@windlass/foundation';
import type { ValidateReply, ValidateRequest } from '@windlass/mgmt-driver';
import { chooseScript } from '../../packaged-script/script-choice.js';
import { INTERNET } from '../../settings/internet-defaults.js';
import { networkChoice, type NetworkAddonParam } from '../../settings/network-choice.js';
import type { K8sMgmtSettings } from '../../settings/settings.js';
import { clusterParams, PARAM, type ClusterParams } from '../parameters/parameters.js';

const FIELD = '/network_addon';

/** Network manifests are read whole, and go to a master in one piece. */
const MOST_BYTES = 4 * 1024 * 1024;

const NO_NETWORK =
  'network_addon is none: nodes are not Ready, and are not waited for to be, until you install a network add-on (kubectl apply)';

/**
 * Checks the choice of the network add-on, for clusters that our own actions make. The choice stays with the cluster: where the request makes none
 * and the service's setting is not flannel, the setting is written into the parameters.
 */
export function checkNetwork(
  check: RequestCheck,
  params: ClusterParams,
  { files }: Pick<ValidateRequest, 'files'>,
  settings: Pick<K8sMgmtSettings, 'networkAddon' | 'calicoManifest'>,
): void {
  const { network_addon: given, script_path: script } = params;
  const installer = chooseScript(script, files)?.kind;
  if (installer === 'packaged' && given !== undefined)
    check.wrong(
      FIELD,
      `${packagePath(script)} of the package installs the network add-on that it likes: leave network_addon out`,
    );
  if (installer !== 'builtin') return;
  if (given === undefined && settings.networkAddon !== 'flannel') check.take('', 'network_addon', settings.networkAddon);
  const choice = networkChoice({ network_addon: given ?? settings.networkAddon });
  if (choice.addon === 'none') check.warn(NO_NETWORK);
  if (choice.addon === 'calico' && settings.calicoManifest === undefined)
    check.wrong(
      FIELD,
      `is calico, whose manifest this service has not: have its operator name a copy of ${INTERNET.calicoManifest.value} by CALICO_MANIFEST, or put one into the package and give a list with its path`,
    );
  if (choice.addon === 'manifests') checkManifests(check, choice.paths);
}

function checkManifests(check: RequestCheck, paths: readonly string[]): void {
  let bytes = 0;
  for (const [n, path] of paths.entries()) {
    const file = check.file(`${FIELD}/${n}`, path);
    const twin = paths.findIndex((other) => packagePath(other) === packagePath(path));
    if (twin < n) check.wrong(`${FIELD}/${n}`, `${packagePath(path)} stands in entry ${twin} already`);
    bytes += file?.size ?? 0;
    if (bytes > MOST_BYTES)
      check.wrong(
        `${FIELD}/${n}`,
        `the manifests have more than ${MOST_BYTES} bytes with this one: leave out what is no network add-on`,
      );
  }
}

type Check = (request: ValidateRequest) => ValidateReply;

/** A check of an operation on a cluster that is there, which keeps its network add-on. */
export const keepingNetwork =
  (check: Check): Check =>
  (request) => {
    const reply = check(request);
    const wanted = paramsAs<{ [PARAM]?: { network_addon?: Json } }>(request.requestParams)[PARAM]?.network_addon;
    const { network_addon: has = 'flannel' } = clusterParams(request.instantiateParams);
    if (wanted === undefined || same(wanted, has)) return reply;
    const reason = `the cluster was made with ${shown(has)}, and keeps it: leave network_addon out`;
    return { ...reply, invalidParams: [...reply.invalidParams, { path: `/additionalParams/${PARAM}${FIELD}`, reason }] };
  };

const shown = (addon: NetworkAddonParam): string => (typeof addon === 'string' ? addon : addon.map(packagePath).join(', '));

const same = (wanted: Json, has: NetworkAddonParam): boolean =>
  Array.isArray(wanted) && Array.isArray(has)
    ? JSON.stringify(wanted.map((each) => (typeof each === 'string' ? packagePath(each) : each))) ===
      JSON.stringify(has.map(packagePath))
    : wanted === has;

/** A heal of the whole makes the cluster again, with the network add-on that it had. */
export const healableNetwork =
  (check: Check, { calicoManifest }: Pick<K8sMgmtSettings, 'calicoManifest'>): Check =>
  (request) => {
    const reply = check(request);
    const { addon } = networkChoice(clusterParams(request.instantiateParams));
    if (request.instance?.heal?.whole !== true || addon !== 'calico' || calicoManifest !== undefined) return reply;
    const detail = `the cluster was made with calico, whose manifest this service has not any more: have its operator name a copy of ${INTERNET.calicoManifest.value} by CALICO_MANIFEST, then ask again`;
    return { ...reply, refusal: reply.refusal ?? { code: 'cluster.no-calico-manifest', detail } };
  };
