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
  /** The member of a group that it belongs to, where it belongs to one; of a group in a group the inner one's. */
  member: GroupMember | undefined;
}

export interface PlacedResource {
  place: Place;
  resource: StackResource;
}

/** A member of a group: one nested stack, or one plain resource. */
export interface GroupMember {
  /** Resource name of the group in its template. Groups of different nested stacks may have the same. */
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
    const beside = byStack.get(resource.stack.id);
    if (beside === undefined) byStack.set(resource.stack.id, [resource]);
    else beside.push(resource);
  }
  const layout: StackLayout = { stack, groups: [], leaves: [] };
  walk(layout, byStack, stack, { path: [], member: undefined });
  return layout;
}

type Above = Pick<Place, 'path' | 'member'>;

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
    const { name, nested, createdAt, status, statusReason } = member;
    const made = { group: resource.name, name, groupStack, stack: nested, createdAt, status, statusReason };
    group.members.push(made);
    const within = { path: [...above.path, name], member: made };
    if (nested !== undefined) walk(layout, byStack, nested, within);
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
