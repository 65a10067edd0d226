import { execFileSync } from 'node:child_process';
import { TerminalError } from '@windlass/foundation';
import { isInGate, type Medians } from './gate.js';
import type { SpecFile } from './spec-files.js';
import type { Suite } from './plan.js';

/** What a change below some paths asks for: files outside of the gate, by suite and by the beginning of their path. */
interface Rule {
  changed: RegExp;
  suites: readonly Suite[];
  /** Everything of these suites where left out. */
  below?: RegExp;
}

/** Beside these, a change of what slow tests of a folder of tests/ share asks for all of those ({@link ownFolder}). */
const RULES: readonly Rule[] = [
  {
    changed: /^(apps\/(k8s-mgmt|lab)|libs\/(driver-kit|remote-host|mgmt-driver)|samples\/kubernetes)\//,
    suites: ['lab', 'e2e'],
    below: /^tests\/(cluster|control-plane)\/|^apps\/lab\//,
  },
  { changed: /^libs\/(saga|persistence|messaging|lifecycle)\/|^apps\/saga-coordinator\//, suites: ['chaos'] },
  {
    changed: /^libs\/(saga|persistence|messaging|lifecycle|service-kit|embedded)\/|^apps\/saga-coordinator\//,
    suites: ['unit', 'int', 'e2e'],
    below: /^tests\/(crash-points|hazards)\//,
  },
  {
    changed: /^apps\/(k8s-mgmt\/src\/(kubeadm|cluster\/request|kubespray|external-lb|node-ports)|storage-mgmt|registry-mgmt)\//,
    suites: ['int'],
    below: /^tests\/crash-points\/other-services/,
  },
  { changed: /^apps\/infra-driver\/|^libs\/openstack\//, suites: ['e2e'], below: /^tests\/hazards\// },
  {
    changed: /^apps\/k8s-mgmt\/src\/(cluster|etcd|kubeadm|node)\/|^libs\/driver-kit\//,
    suites: ['int'],
    below: /^tests\/crash-points\/(cluster|kubernetes|only-master)/,
  },
  { changed: /^libs\/(remote-host|outbound)\//, suites: ['int'], below: /^libs\/remote-host\// },
  {
    changed: /^libs\/(persistence|lifecycle)\/|^apps\/(saga-coordinator|k8s-mgmt\/src\/snapshots)\//,
    suites: ['int'],
    below: /^libs\/persistence\/|^tests\/(cluster|many|vims)\//,
  },
  {
    changed: /^libs\/(persistence\/src\/migrations|messaging)\/|^docs\/contracts\/schemas\//,
    suites: ['unit', 'e2e'],
    below: /^tests\/versions\//,
  },
  {
    changed:
      /^libs\/(saga|persistence)\/|^apps\/(saga-coordinator\/src\/restoration|windlass\/src\/commands\/(backup|restore))\/|^docs\/guides\/backup/,
    suites: ['int', 'e2e'],
    below: /^tests\/backup\//,
  },
  { changed: /^apps\/infra-driver\/|^libs\/user-data\/|\/openstack\//, suites: ['openstack'] },
  {
    changed: /^apps\/(infra-driver|saga-coordinator)\/|^libs\/(openstack|lifecycle)\//,
    suites: ['int'],
    below: /^tests\/lifecycle\//,
  },
  { changed: /^apps\/infra-driver\/|^libs\/(user-data|vnf-package)\//, suites: ['int'], below: /^tests\/packages\// },
  { changed: /^apps\/(lcm-api|vim-registry)\/|^libs\/(sol003|lifecycle)\//, suites: ['int', 'openstack-client'] },
  { changed: /^apps\/(dashboard|lcm-api\/src\/(dashboard|observability))\//, suites: ['e2e'], below: /^tests\/dashboard\// },
  { changed: /^apps\/storage-mgmt\/|^samples\/kubernetes-storage\//, suites: ['lab', 'e2e'], below: /^tests\/storage\// },
  {
    changed: /^apps\/registry-mgmt\/|^samples\/private-registry\//,
    suites: ['lab', 'e2e'],
    below: /^tests\/(private-registry|registries)\//,
  },
  {
    changed: /^apps\/k8s-mgmt\/src\/(kubespray|external-lb|node-ports)\/|^samples\/(kubespray|cnf-nodeport)\//,
    suites: ['int', 'lab', 'e2e'],
    below: /kubespray|external-lb/,
  },
  {
    changed: /^(apps\/infra-driver|libs\/lifecycle)\/src\/(kubernetes|clean-up)\/|\/node-ports\/|^samples\/cnf/,
    suites: ['int'],
    below: /^tests\/cnf\//,
  },
  {
    changed: /^deploy\/|^docker-compose\.yml$|^package(-lock)?\.json$|^libs\/service-kit\/src\/(config|health|run)\//,
    suites: ['containers'],
    below: /^tests\/deploy\//,
  },
  {
    changed: /^deploy\/helm\/|^docs\/guides\/(helm|backup)\.md$|^libs\/service-kit\/src\/health\//,
    suites: ['containers'],
    below: /^tests\/kubernetes\/chart/,
  },
  { changed: /^deploy\/helm\/examples\//, suites: ['e2e'], below: /^tests\/deploy\/backup-manifests/ },
  { changed: /\/kubernetes\/|\/standins\/|^samples\/cnf\//, suites: ['kubernetes'] },
  { changed: /^libs\/embedded\/|^apps\/(windlass|workbench)\//, suites: ['e2e'], below: /^tests\/(interrupted|observability)\// },
];

/** Paths below the root whose content is another one than at `base`, those that are not committed too. @throws TerminalError where git does not know `base` */
export function changedSince(home: string, base: string): string[] {
  const git = (...args: string[]): string[] =>
    execFileSync('git', args, { cwd: home, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
      .split('\n')
      .filter((path) => path !== '');
  try {
    const shared = git('merge-base', base, 'HEAD')[0] ?? base;
    return [...git('diff', '--name-only', shared), ...git('ls-files', '--others', '--exclude-standard')];
  } catch (error) {
    throw new TerminalError(
      'test.unknown-base',
      `git finds no change since "${base}": name a commit or branch that the checkout has, as in --touched HEAD~3`,
      { cause: error },
    );
  }
}

/** The slow files that a change asks for, by suite; those of the gate, and those that only a person names, are none of them. */
export function touchedFiles(
  changed: readonly string[],
  files: readonly SpecFile[],
  medians: Medians,
): ReadonlyMap<Suite, readonly string[]> {
  const rules = RULES.filter((rule) => changed.some((path) => rule.changed.test(path)));
  const asked = files.filter(
    ({ file, suite }) =>
      !isInGate(file, suite, medians) &&
      (changed.includes(file) ||
        (!file.includes('.named.') &&
          (rules.some((rule) => rule.suites.includes(suite) && (rule.below?.test(file) ?? true)) || ownFolder(file, changed)))),
  );
  const bySuite = new Map<Suite, string[]>();
  for (const { file, suite } of asked) bySuite.set(suite, [...(bySuite.get(suite) ?? []), file]);
  return bySuite;
}

/** Whether something beside a test of tests/ was changed: its support. */
const ownFolder = (file: string, changed: readonly string[]): boolean => {
  const [, folder] = /^(tests\/[^/]+\/)/.exec(file) ?? [];
  return folder !== undefined && changed.some((path) => path.startsWith(folder) && !path.endsWith('.spec.ts'));
};
