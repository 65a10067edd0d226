import type { JsonObject } from '@windlass/foundation';
import { Command } from 'commander';
import { text } from '../client/text.js';
import type { Surroundings } from '../config.js';
import { print } from './follow-task.js';
import { apiOf, withTarget, type TargetOptions } from './target.js';

const PACKAGES = '/vnfpkgm/v1/vnf_packages';
const pathOf = (id: string): string => `${PACKAGES}/${encodeURIComponent(id)}`;

/** `./windlass package`: what is onboarded. */
export function packageCommand(where: Surroundings): Command {
  const packages = new Command('package').description('VNF packages of a running Windlass; "vnf onboard" brings one');
  withTarget(packages.command('list').description('the packages, a line each').option('--json', 'JSON, for programs')).action(
    async ({ json, ...options }: TargetOptions & { json?: boolean }) => {
      const all = await (await apiOf(where, options)).pages(PACKAGES);
      if (json === true) print(all);
      else for (const each of all) print(packageLine(each));
    },
  );
  withTarget(packages.command('show <id>').description('one package, as JSON')).action(
    async (id: string, options: TargetOptions) => print(await (await apiOf(where, options)).get(pathOf(id))),
  );
  withTarget(packages.command('delete <id>').description('remove a package; one that is ENABLED is disabled first')).action(
    async (id: string, options: TargetOptions) => {
      const api = await apiOf(where, options);
      const { operationalState, usageState } = await api.get(pathOf(id));
      // One that is in use is refused as it stands.
      if (operationalState === 'ENABLED' && usageState !== 'IN_USE')
        await api.patch(pathOf(id), { operationalState: 'DISABLED' });
      await api.delete(pathOf(id));
    },
  );
  return packages;
}

/** A package for people. */
export const packageLine = (shown: JsonObject): string => {
  const { id, onboardingState, operationalState, usageState, vnfdId, vnfProductName, vnfSoftwareVersion } = shown;
  const parts = [id, onboardingState, operationalState, usageState, vnfdId, vnfProductName, vnfSoftwareVersion];
  return parts.flatMap((part) => (part === undefined || part === null ? [] : [text(part)])).join('  ');
};
