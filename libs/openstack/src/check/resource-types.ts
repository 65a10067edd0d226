import { commandLine, findingsOf, type Finding } from './findings.js';
import type { Look } from './look.js';

/** Whether Heat knows the types of the templates' resources, for this user. */
export async function checkResourceTypes({ openStack, needs }: Look): Promise<Finding[]> {
  if (needs.resourceTypes.length === 0) return [];
  const known = new Set(await openStack.heat.resourceTypes());
  const unknown = needs.resourceTypes.filter((type) => !known.has(type));
  if (unknown.length === 0)
    return [findingsOf('heat.resource-types', 'templates').ok(`${needs.resourceTypes.length} types, all known to Heat`)];
  return unknown.map((type) =>
    findingsOf('heat.resource-types', type).failed('the templates use it, and Heat does not know it for this user', {
      todo: 'have the service behind it installed and the user given the role that it asks for, or change the template',
      command: commandLine('openstack', 'orchestration', 'resource', 'type', 'list'),
    }),
  );
}
