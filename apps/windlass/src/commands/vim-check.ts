import { RequestError, type JsonObject } from '@windlass/foundation';
import { checkVim, noNeeds, worstOf, type Finding, type VimNeeds } from '@windlass/openstack';
import { flavourOf, type VnfPackage } from '@windlass/vnf-package';
import { Command } from 'commander';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { ApiClient } from '../client/api-client.js';
import { text } from '../client/text.js';
import { connectionIn } from '../client/through-keystone.js';
import type { Surroundings } from '../config.js';
import { exitStatus, findingsText } from '../vim-check/findings-text.js';
import { ansibleFinding } from '../vim-check/ansible-server.js';
import { clusterFlows, clusterIn } from '../vim-check/kubernetes-flows.js';
import { ansibleServerIn } from '../vim-check/kubespray-flows.js';
import { linksTo, needsOfPackage, requestIn, type PackageNeeds } from '../vim-check/needs-of-package.js';
import { fetchedPackage, packageIn } from '../vim-check/package-in.js';
import { apiOf, withTarget, type TargetOptions } from './target.js';

interface CheckOptions extends TargetOptions {
  vnf?: string;
  package?: string;
  flavour?: string;
  request?: string;
  network?: string[];
  from?: string[];
  clockDifference?: string;
  json?: boolean;
}

const print = (text: string): void => void process.stdout.write(`${text}\n`);

/** `./windlass vim check`: the preparations that guides list by hand, looked at before anything is instantiated. */
export function vimCheckCommand(where: Surroundings): Command {
  return withTarget(
    new Command('check').argument('[vim]', 'a VIM that is registered, by name or id; without one, the OpenStack of OS_AUTH_URL'),
  )
    .description(
      'look whether an OpenStack has what a VNF needs: login, services, networks and routers, security group rules, images, flavors, quotas, hosts, clock. Nothing is changed there. Each line is ok, note, warning or failed, with what to do',
    )
    .option('--package <path>', 'the VNF package that is to be instantiated: a folder or a zip')
    .option('--request <file>', 'the body of the instantiate request: flavour, networks, parameters')
    .option('--flavour <id>', 'the flavour of the package, where there is no request')
    .option(
      '--network <name...>',
      'without a request: networks that nodes of a Kubernetes cluster will be on; with a package the first is that of all connection points',
    )
    .option(
      '--from <address...>',
      'addresses (CIDR) that Windlass and its users reach nodes from; without it, rules for some addresses only are warned of',
    )
    .option('--clock-difference <seconds>', 'how far the VIM’s clock may be from ours: NODE_CLOCK_DIFFERENCE of k8s-mgmt', '10')
    .option('--json', 'one JSON object: {"status", "findings"}')
    .option('--vnf <id>', 'the VNF instance that is to be instantiated: its package is fetched')
    .addHelpText('after', AFTER)
    .action(async (vim: string | undefined, options: CheckOptions) => {
      const { needs, findings } = await needsOf(options, where);
      const seen = [
        ...(vim === undefined ? await look(where, needs) : await lookAt(await apiOf(where, options), vim, needs)),
        ...findings,
      ];
      print(options.json === true ? JSON.stringify({ status: worstOf(seen), findings: seen }) : findingsText(seen));
      process.exitCode = exitStatus(worstOf(seen));
    });
}

const AFTER = `
A registered VIM is looked at by Windlass, with the credentials that are kept there. Without one, the OpenStack is that of OS_AUTH_URL, OS_USERNAME, OS_PASSWORD, OS_PROJECT_NAME, OS_USER_DOMAIN_NAME, OS_PROJECT_DOMAIN_NAME (or their ids), OS_REGION_NAME,
OS_INTERFACE and OS_CACERT, as the openstack client takes them.
Status 0: ready (notes are for you to look at); 2: warnings; 1: something failed, or could not be looked at.`;

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
