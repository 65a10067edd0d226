import { RequestError, type JsonObject } from '@windlass/foundation';
import { Command } from 'commander';
import type { ApiClient } from '../client/api-client.js';
import { text } from '../client/text.js';
import type { Surroundings } from '../surroundings/config.js';
import { INSTANCES, print } from './follow-task.js';
import { apiOf, withTarget, type TargetOptions } from '../target/target.js';

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
  for (const [name, operationalState, description] of [
    ['enable', 'ENABLED', 'let instances be made of a package again'],
    ['disable', 'DISABLED', 'let no further instances be made of a package'],
  ] as const)
    withTarget(packages.command(`${name} <id>`).description(description)).action(async (id: string, options: TargetOptions) =>
      print(await (await apiOf(where, options)).patch(pathOf(id), { operationalState })),
    );
  withTarget(packages.command('delete <id>').description('remove a package; one that is ENABLED is disabled first')).action(
    async (id: string, options: TargetOptions) => deletePackage(await apiOf(where, options), id),
  );
  return packages;
}

/**
 * Disables a package and removes it; one that is refused all the same is ENABLED as it was.
 * @throws RequestError 409 `vnf-package.in-use` for one that VNF instances use: which, and by which commands it can be removed
 */
export async function deletePackage(api: Pick<ApiClient, 'get' | 'patch' | 'pages' | 'delete'>, id: string): Promise<void> {
  const { operationalState, usageState } = await api.get(pathOf(id));
  if (usageState === 'IN_USE') throw inUse(id, await api.pages(INSTANCES));
  const disabled = operationalState === 'ENABLED';
  if (disabled) await api.patch(pathOf(id), { operationalState: 'DISABLED' });
  try {
    await api.delete(pathOf(id));
  } catch (error) {
    if (disabled && error instanceof RequestError) await api.patch(pathOf(id), { operationalState: 'ENABLED' });
    throw error;
  }
}

/** Commands that are named for one instance each. */
const MOST_NAMED = 5;

function inUse(id: string, instances: readonly JsonObject[]): RequestError {
  const users = instances.filter(({ vnfPkgId }) => vnfPkgId === id);
  const commands = users
    .slice(0, MOST_NAMED)
    .flatMap(({ id: user, instantiationState }) => [
      ...(instantiationState === 'INSTANTIATED' ? [`./windlass vnf terminate ${text(user)}`] : []),
      `./windlass vnf delete ${text(user)}`,
    ]);
  const more = users.length > MOST_NAMED ? [`the same for ${users.length - MOST_NAMED} more ("./windlass vnf list")`] : [];
  const steps = [...commands, ...more, `./windlass package delete ${id}`].map((step) => `\n  ${step}`).join('');
  const whose = users.length === 1 ? 'a VNF instance uses' : `${users.length} VNF instances use`;
  return new RequestError(409, 'vnf-package.in-use', `${whose} VNF package ${id}. What removes it:${steps}`);
}

/** A package for people. */
export const packageLine = (shown: JsonObject): string => {
  const { id, onboardingState, operationalState, usageState, vnfdId, vnfProductName, vnfSoftwareVersion } = shown;
  const parts = [id, onboardingState, operationalState, usageState, vnfdId, vnfProductName, vnfSoftwareVersion];
  return parts.flatMap((part) => (part === undefined || part === null ? [] : [text(part)])).join('  ');
};
