import { RequestError, type JsonObject } from '@windlass/foundation';
import { checkVim, noNeeds, worstOf, type Finding, type VimNeeds } from '@windlass/openstack';
import { flavourOf, type VnfPackage } from '@windlass/vnf-package';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { ApiClient } from '../client/api-client.js';
import { text } from '../client/text.js';
import { connectionIn } from '../client/through-keystone.js';
import { apiOf, type TargetOptions } from '../target/target.js';
import type { Surroundings } from '../surroundings/config.js';
import { ansibleFinding } from './ansible-server.js';
import { exitStatus, findingsText } from './findings-text.js';
import { clusterFlows, clusterIn } from './kubernetes-flows.js';
import { ansibleServerIn } from './kubespray-flows.js';
import { linksTo, needsOfPackage, requestIn, type PackageNeeds } from './needs-of-package.js';
import { fetchedPackage, packageIn } from './package-in.js';

/** What is looked at, and for which package. */
export interface CheckOptions extends TargetOptions {
  vnf?: string;
  package?: string;
  flavour?: string;
  request?: string;
  network?: string[];
  from?: string[];
  clockDifference?: string;
  json?: boolean;
}

/** Looks at a VIM. @returns what there is to say, and the exit status */
export async function check(
  where: Surroundings,
  vim: string | undefined,
  options: CheckOptions,
): Promise<{ text: string; status: number }> {
  const { needs, findings } = await needsOf(options, where);
  const seen = [
    ...(vim === undefined ? await look(where, needs) : await lookAt(await apiOf(where, options), vim, needs)),
    ...findings,
  ];
  const worst = worstOf(seen);
  return {
    text: options.json === true ? JSON.stringify({ status: worst, findings: seen }) : findingsText(seen),
    status: exitStatus(worst),
  };
}

/** The findings of the OpenStack that the environment means. */
async function look(where: Surroundings, needs: VimNeeds): Promise<Finding[]> {
  if (where.openstack === undefined)
    throw new RequestError(
      400,
      'cli.openstack',
      'which OpenStack? Name a VIM that is registered, or set OS_AUTH_URL and its siblings, as the openstack client takes them',
    );
  return checkVim(await connectionIn(where.openstack), needs);
}

async function needsOf(options: CheckOptions, where: Surroundings): Promise<PackageNeeds> {
  const { needs, findings } = await packageNeeds(options, where);
  const seconds = Number(options.clockDifference);
  if (!Number.isFinite(seconds) || seconds < 0)
    throw new RequestError(400, 'cli.clock-difference', `--clock-difference is "${options.clockDifference}"; expected seconds`);
  return { needs: { ...needs, clockDifferenceMs: seconds * 1_000, reachedFrom: options.from ?? [] }, findings };
}

async function packageNeeds(options: CheckOptions, where: Surroundings): Promise<PackageNeeds> {
  const { request: file, flavour, network = [] } = options;
  const read = await packageOf(options, where);
  if (read === undefined) {
    if (file !== undefined)
      throw new RequestError(
        400,
        'cli.package',
        'give --package or --vnf with --request: what a request needs is in its package',
      );
    return { needs: guideNeeds(network), findings: [] };
  }
  const request: JsonObject = file === undefined ? {} : requestIn(await readFile(resolve(where.calledFrom, file), 'utf8'), file);
  const id = flavour ?? (typeof request.flavourId === 'string' ? request.flavourId : undefined);
  if (id === undefined)
    throw new RequestError(400, 'cli.flavour', 'which flavour? Name it by --flavour, or by flavourId in the request');
  const found = flavourOf(read.model, id);
  const [first] = network;
  // A request says itself which networks it wants.
  const { needs, findings } = needsOfPackage(
    found,
    first === undefined || file !== undefined ? request : { ...request, extVirtualLinks: linksTo(found, first) },
  );
  const server = ansibleServerIn(clusterIn(request) ?? {});
  return { needs, findings: server === undefined ? findings : [...findings, await ansibleFinding(server)] };
}

/** The package that is named, or that of the instance. */
async function packageOf(options: CheckOptions, where: Surroundings): Promise<VnfPackage | undefined> {
  if (options.package !== undefined) return packageIn(resolve(where.calledFrom, options.package));
  if (options.vnf === undefined) return undefined;
  const api = await apiOf(where, options);
  const { vnfdId } = await api.get(`/vnflcm/v1/vnf_instances/${encodeURIComponent(options.vnf)}`);
  const [found] = await api.list(`/vnfpkgm/v1/vnf_packages?filter=${encodeURIComponent(`(eq,vnfdId,${text(vnfdId)})`)}`);
  if (found === undefined)
    throw new RequestError(404, 'cli.package', `there is no package with the VNFD ${text(vnfdId)} of that instance`);
  return fetchedPackage((file) => api.download(`/vnfpkgm/v1/vnf_packages/${text(found.id)}/package_content`, file));
}

/** The findings of Windlass' service about a registered VIM: the credentials stay there. */
async function lookAt(api: ApiClient, vim: string, needs: VimNeeds): Promise<Finding[]> {
  const { vims } = await api.get<{ vims: { id: string; name: string }[] }>('/v1.0/vims?fields=id&fields=name');
  const found = vims.find(({ id }) => id === vim) ?? vims.find(({ name }) => name === vim);
  if (found === undefined)
    throw new RequestError(
      404,
      'cli.vim',
      `there is no VIM ${vim}; there are ${vims.map(({ name }) => name).join(', ') || 'none'}`,
    );
  return (await api.post<{ findings: Finding[] }>(`/windlass/v1/vims/${found.id}/check`, needs)).findings;
}

/** What the guide prepares for any cluster: ports with the default group on these networks, and all of its rules. */
function guideNeeds(networks: readonly string[]): VimNeeds {
  const names = networks.length === 0 ? [undefined] : networks;
  const ports = names.map((network) => ({
    name: network === undefined ? 'a port of the project' : `a port on ${network}`,
    ...(network === undefined ? {} : { network }),
    templateGroups: [],
    portSecurity: true,
    ownersAttributes: [],
  }));
  const all = ports.map(({ name }) => name);
  const flows = clusterFlows({ masters: all, workers: all, severalMasters: false, vip: '' });
  const ofComplex = ['tcp-16443', 'vrrp'];
  return {
    ...noNeeds(),
    networks: networks.map((name) => ({ name, of: ['--network'], subnets: [], addresses: [], outward: true })),
    ports,
    // A virtual address is a matter of some flavours.
    flows: flows.map((flow) => (ofComplex.includes(flow.name) ? { ...flow, required: false } : flow)),
  };
}
