import { RequestError, type JsonObject } from '@windlass/foundation';
import { checkVim, noNeeds, worstOf, type Finding, type VimNeeds } from '@windlass/openstack';
import { flavourOf } from '@windlass/vnf-package';
import { Command } from 'commander';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { connectionIn } from '../client/through-keystone.js';
import type { Surroundings } from '../config.js';
import { exitStatus, findingsText } from '../vim-check/findings-text.js';
import { clusterFlows } from '../vim-check/kubernetes-flows.js';
import { linksTo, needsOfPackage, requestIn, type PackageNeeds } from '../vim-check/needs-of-package.js';
import { packageIn } from '../vim-check/package-in.js';

interface CheckOptions {
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
  return new Command('check')
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
    .addHelpText('after', AFTER)
    .action(async (options: CheckOptions) => {
      const { needs, findings } = await needsOf(options, where);
      const seen = [...(await look(where, needs)), ...findings];
      print(options.json === true ? JSON.stringify({ status: worstOf(seen), findings: seen }) : findingsText(seen));
      process.exitCode = exitStatus(worstOf(seen));
    });
}

const AFTER = `
The OpenStack is that of OS_AUTH_URL, OS_USERNAME, OS_PASSWORD, OS_PROJECT_NAME, OS_USER_DOMAIN_NAME, OS_PROJECT_DOMAIN_NAME (or their ids), OS_REGION_NAME,
OS_INTERFACE and OS_CACERT, as the openstack client takes them.
Status 0: ready (notes are for you to look at); 2: warnings; 1: something failed, or could not be looked at.`;

/** The findings of the OpenStack that the environment means. */
async function look(where: Surroundings, needs: VimNeeds): Promise<Finding[]> {
  if (where.openstack === undefined)
    throw new RequestError(
      400,
      'cli.openstack',
      'which OpenStack? Set OS_AUTH_URL and its siblings, as the openstack client takes them',
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

async function packageNeeds(
  { package: path, request: file, flavour, network = [] }: CheckOptions,
  where: Surroundings,
): Promise<PackageNeeds> {
  if (path === undefined) {
    if (file !== undefined)
      throw new RequestError(400, 'cli.package', 'give --package with --request: what a request needs is in its package');
    return { needs: guideNeeds(network), findings: [] };
  }
  const request: JsonObject = file === undefined ? {} : requestIn(await readFile(resolve(where.calledFrom, file), 'utf8'), file);
  const { model } = await packageIn(resolve(where.calledFrom, path));
  const id = flavour ?? (typeof request.flavourId === 'string' ? request.flavourId : undefined);
  if (id === undefined)
    throw new RequestError(400, 'cli.flavour', 'which flavour? Name it by --flavour, or by flavourId in the request');
  const found = flavourOf(model, id);
  const [first] = network;
  // A request says itself which networks it wants.
  return needsOfPackage(
    found,
    first === undefined || file !== undefined ? request : { ...request, extVirtualLinks: linksTo(found, first) },
  );
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
