import type { Surroundings } from '@windlass/windlass/command-line';
import { Command, Option } from 'commander';
import { SEEDS_OF_ALL, SLOW_SUITES, SUITES } from '../test/plan.js';
import type { Asked } from './run-tests.js';

/** `./windlass test`. */
export function testCommand(where: Surroundings): Command {
  return new Command('test')
    .description(
      'the gate, 15 minutes: set up what is missing, check the code, and run the tests that every change must pass (what .ci/run does). A file that fails is run once more, alone: green then, it is told as FLAKY, recorded and counted as passed. Ends with where the time went and "N passed, N failed"',
    )
    .option(
      '--touched [commit]',
      'instead of the gate, the slow tests that a change since a commit asks for (default: origin/main); run it once before a change lands',
    )
    .option(
      '--all',
      'all suites and files but those that only a person names (*.named.*.spec.ts): --openstack and --openstack-client too, what the gate leaves out, a small part of the chaos suite with seeds of its own, and inputs that are generated anew',
    )
    .option(
      '--openstack',
      'also the contract suite against a real small OpenStack, brought up from Debian packages (about 6 minutes the first time)',
    )
    .option(
      '--openstack-client',
      "also Debian's openstack command line against Windlass (installs python3-openstackclient and python3-tackerclient)",
    )
    .option(
      '--chaos',
      'also the suite that kills services at random, in full: 300 operations over 30 instances (with --only chaos alone: 60 over 10)',
    )
    .option(
      '--kubernetes',
      'also the suite on programs of a real Kubernetes, which are made first where there are none (about 20 minutes once, with Go; --all and --touched run it where they are)',
    )
    .option(
      '--containers',
      'also the suite that builds the image and runs docker-compose.yml, by podman and buildah of Debian (made of stand-ins for the images of a registry: minutes the first time)',
    )
    .option(
      '--seed <numbers>',
      `of the chaos suite, one or several with commas, a run each: makes the decisions of an earlier run again (default: a new one, which it prints; with --all ${SEEDS_OF_ALL})`,
    )
    .addOption(new Option('--only <suite...>', 'these suites and no others').choices([...SUITES, ...SLOW_SUITES]))
    .option('--filter <text>', 'only test files whose path contains this')
    .option('--no-checks', 'without formatting, lint and import checks')
    .option('--flaky', 'run nothing: show the tests that were seen flaky on this machine, by file and count')
    .action(async (asked: Asked) => {
      const { runTests } = await import('./run-tests.js');
      await runTests(where, asked);
    });
}
