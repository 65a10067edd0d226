import { Command } from 'commander';
import type { Surroundings } from '../surroundings/config.js';
import type { CheckOptions } from '../vim-check/check.js';
import { withTarget } from '../target/target.js';

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
      const { check } = await import('../vim-check/check.js');
      const { text, status } = await check(where, vim, options);
      print(text);
      process.exitCode = status;
    });
}

const AFTER = `
A registered VIM is looked at by Windlass, with the credentials that are kept there. Without one, the OpenStack is that of OS_AUTH_URL, OS_USERNAME, OS_PASSWORD, OS_PROJECT_NAME, OS_USER_DOMAIN_NAME, OS_PROJECT_DOMAIN_NAME (or their ids), OS_REGION_NAME,
OS_INTERFACE and OS_CACERT, as the openstack client takes them; by VIM_PROXY where that is set, but for VIM_NO_PROXY, as the services do it.
Status 0: ready (notes are for you to look at); 2: warnings; 1: something failed, or could not be looked at.`;
