import { eachFile, eachProject, type PartsOf } from './clean.js';

/** The suites; docs/testing.md says what each needs. */
export const SUITES = ['unit', 'int', 'lab', 'e2e'] as const;
export const SLOW_SUITES = ['openstack', 'openstack-client', 'chaos', 'containers', 'kubernetes'] as const;
/** Chaos in small, in `--all`: the same decisions each time, so that what a change broke is told from what a new seed found. */
export const SEEDS_OF_ALL = '5,11';

export type Suite = (typeof SUITES)[number] | (typeof SLOW_SUITES)[number];

export interface TestOptions {
  all?: boolean;
  openstack?: boolean;
  openstackClient?: boolean;
  chaos?: boolean;
  kubernetes?: boolean;
  containers?: boolean;
  seed?: string;
  only?: Suite[];
  filter?: string;
  /** Files of suites: these and no others. */
  files?: ReadonlyMap<Suite, readonly string[]>;
  checks: boolean;
}

/** Whether nothing but the gate is asked for, or the gate and a slow suite beside it: files that are not in the gate are left out. */
export const isGate = ({ all, only, filter, files }: TestOptions): boolean =>
  all !== true && only === undefined && filter === undefined && files === undefined;

export interface Check {
  name: string;
  command: readonly [string, ...string[]];
  /** Where it looks at parts by themselves: those that were found clean on this machine are left out, the others' paths follow the command. */
  parts?: PartsOf;
}

export type Job = { check: Check } | { suite: Suite };

/** Lanes run beside each other, the jobs of a lane one after the other. */
export type Stage = readonly (readonly Job[])[];

/** Each counts as one test. The graph is made first: the lint rule of module boundaries is silent without it. */
const CHECKS: readonly Check[] = [
  {
    name: 'formatting (prettier)',
    command: ['prettier', '--check', '--log-level', 'warn', '--ignore-unknown'],
    parts: eachFile,
  },
  { name: 'project graph (nx)', command: ['nx', 'graph', '--file=.nx/graph.json'] },
  {
    name: 'lint with types and module boundaries (eslint)',
    command: ['eslint', '--max-warnings', '0', '--no-warn-ignored', '--no-error-on-unmatched-pattern'],
    parts: eachProject,
  },
  { name: 'types of the dashboard (tsc)', command: ['tsc', '-p', 'apps/dashboard'] },
  {
    name: 'no import cycles (dependency-cruiser)',
    command: ['depcruise', '--config', '.dependency-cruiser.cjs', 'libs', 'apps'],
  },
];

/**
 * What runs beside what, cheapest findings first. Suites share no port, folder, namespace or bridge, so any two may: beside each other stand those that
 * leave a core idle. `lab` is one worker that mostly waits for machines, so it begins with `int`; a real OpenStack's services and chaos wait, too, and follow it
 * beside `e2e`, which waits for leases. Each lane takes some three quarters of an hour.
 */
const STAGES: readonly (readonly (readonly ('checks' | Suite)[])[])[] = [
  [['checks'], ['unit']],
  [
    ['int', 'e2e', 'openstack-client'],
    ['lab', 'openstack', 'chaos', 'containers'],
  ],
  // Alone: two cores carry a control plane, and nothing beside it while it starts.
  [['kubernetes']],
];

/** The gate: everything that is on machines is one lane, for `int` is as long as all of that. */
const GATE_STAGES: typeof STAGES = [
  [['checks'], ['unit']],
  [
    ['int', 'openstack-client'],
    ['lab', 'e2e', 'openstack', 'chaos', 'containers'],
  ],
  [['kubernetes']],
];

/** The stages that the options ask for; suites that were named come in the order of the stages, too. */
export function stagesOf(options: TestOptions): Stage[] {
  const wanted = suitesOf(options);
  const jobsOf = (entry: 'checks' | Suite): Job[] => {
    if (entry === 'checks')
      return options.checks && options.only === undefined && options.files === undefined
        ? CHECKS.map((check) => ({ check }))
        : [];
    return wanted.has(entry) ? [{ suite: entry }] : [];
  };
  return (isGate(options) ? GATE_STAGES : STAGES)
    .map((lanes) => lanes.map((lane) => lane.flatMap(jobsOf)).filter((lane) => lane.length > 0))
    .filter((lanes) => lanes.length > 0);
}

function suitesOf({ only, all, openstack, openstackClient, chaos, containers, kubernetes, files }: TestOptions): Set<Suite> {
  if (files !== undefined) return new Set(files.keys());
  if (only !== undefined) return new Set(only);
  return new Set<Suite>([
    ...SUITES,
    ...(all === true || openstack === true ? (['openstack'] as const) : []),
    ...(all === true || openstackClient === true ? (['openstack-client'] as const) : []),
    ...(all === true || chaos === true ? (['chaos'] as const) : []),
    // Not by `all`: they need programs that take long to build, or Go. Who runs everything says whether those are there.
    ...(containers === true ? (['containers'] as const) : []),
    ...(kubernetes === true ? (['kubernetes'] as const) : []),
  ]);
}

/** Whether the options ask for a suite. */
export const asksFor = (options: TestOptions, suite: Suite): boolean => suitesOf(options).has(suite);
