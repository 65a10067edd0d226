import { stackPath, type StackRef, type StackResource } from '../heat/heat-types.js';
import type { StackStatus } from '../heat/stack-status.js';

/** Groups whose members Heat names itself. */
const GROUP_TYPES = new Set(['OS::Heat::AutoScalingGroup', 'OS::Heat::InstanceGroup', 'OS::Heat::ResourceGroup']);

/** Where a resource stands in the stack. A replacement stands where the old one stood: the place outlives what fills it. */
export interface Place {
  /** Resource names from the top stack down, this resource's own last: `['master_instance', '2fyfetx44xgq', 'masterNode']`. */
  path: string[];
  /** The stack the resource is in. */
  stack: StackRef;
  /** The group and its member that it belongs to, where it belongs to one. */
  group: string | undefined;
  member: string | undefined;
}

export interface PlacedResource {
  place: Place;
  resource: StackResource;
}

/** A member of a group: one nested stack, or one plain resource. */
export interface GroupMember {
  group: string;
  /** Name that Heat gave it; kept when the member is replaced. */
  name: string;
  /** The group's own nested stack: where a member is marked unhealthy. */
  groupStack: StackRef;
  /** The member's nested stack, if it is one. */
  stack: StackRef | undefined;
  createdAt: string;
  status: StackStatus;
  statusReason: string;
}

export interface Group {
  /** Resource name in its template. */
  name: string;
  /** Absent before the group has been made. */
  stack: StackRef | undefined;
  /** Oldest first, then by name. */
  members: GroupMember[];
}

/** A stack's resources with their places. */
export interface StackLayout {
  stack: StackRef;
  groups: Group[];
  /** Everything but groups, members and nested stacks. */
  leaves: PlacedResource[];
}

/** Puts each resource of a nested listing where it stands. Resources of stacks that nothing in the list leads to are left out: they are on their way out. */
export function layoutOf(stack: StackRef, resources: readonly StackResource[]): StackLayout {
  const byStack = new Map<string, StackResource[]>();
  for (const resource of resources) {
    byStack.set(resource.stack.id, [...(byStack.get(resource.stack.id) ?? []), resource]);
  }
  const layout: StackLayout = { stack, groups: [], leaves: [] };
  walk(layout, byStack, stack, { path: [], group: undefined, member: undefined });
  return layout;
}

type Above = Pick<Place, 'path' | 'group' | 'member'>;

function walk(layout: StackLayout, byStack: Map<string, StackResource[]>, stack: StackRef, above: Above): void {
  for (const resource of byStack.get(stack.id) ?? []) {
    const path = [...above.path, resource.name];
    if (GROUP_TYPES.has(resource.type)) {
      addGroup(layout, byStack, resource, { ...above, path });
    } else if (resource.nested !== undefined) {
      walk(layout, byStack, resource.nested, { ...above, path });
    } else if (!isTemplateName(resource.type)) {
      layout.leaves.push({ place: { ...above, path, stack }, resource });
    }
  }
}

function addGroup(layout: StackLayout, byStack: Map<string, StackResource[]>, resource: StackResource, above: Above): void {
  const groupStack = resource.nested;
  const group: Group = { name: resource.name, stack: groupStack, members: [] };
  layout.groups.push(group);
  if (groupStack === undefined) return;
  for (const member of [...(byStack.get(groupStack.id) ?? [])].sort(oldestFirst)) {
    group.members.push({
      group: resource.name,
      name: member.name,
      groupStack,
      stack: member.nested,
      createdAt: member.createdAt,
      status: member.status,
      statusReason: member.statusReason,
    });
    const within = { path: [...above.path, member.name], group: resource.name, member: member.name };
    if (member.nested !== undefined) walk(layout, byStack, member.nested, within);
    else if (!isTemplateName(member.type)) layout.leaves.push({ place: { ...within, stack: groupStack }, resource: member });
  }
}

/** A nested template that has no stack yet. */
const isTemplateName = (type: string): boolean => /\.(ya?ml|template|json)$/.test(type);

const oldestFirst = (a: StackResource, b: StackResource): number =>
  a.createdAt === b.createdAt ? compareText(a.name, b.name) : compareText(a.createdAt, b.createdAt);

/** By code unit: the same on every machine, whatever its locale. */
export const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** `master_instance/2fyfetx44xgq/masterNode in vnf-1/b08324e7`: for messages. */
export const describePlace = (place: Place): string => `${place.path.join('/')} in ${stackPath(place.stack)}`;
