import type { Json, JsonObject } from '@windlass/foundation';
import type { Nova } from '../../compute/nova.js';
import type { Glance } from '../../image/glance.js';
import type { FloatingIps } from '../../network/floating-ips.js';
import type { Neutron } from '../../network/neutron.js';
import type { CloudState, Stack, StackInput, StackResource } from '../../state/state.js';
import type { Cinder } from '../../volume/cinder.js';
import type { PropertySchema } from '../template/properties.js';

/** The services that Heat's resources call. */
export interface Cloud {
  state: CloudState;
  nova: Nova;
  neutron: Neutron;
  floatingIps: FloatingIps;
  glance: Glance;
  cinder: Cinder;
  /** Scheme, host and port of the emulator. */
  base(): string;
  /** Refuses where a quota fault is armed. */
  checkQuota: (service: 'nova' | 'neutron' | 'cinder', what: string) => void;
}

/** One resource, in its stack, as its type sees it. */
export interface Work {
  cloud: Cloud;
  stack: Stack;
  resource: StackResource;
  /** Evaluated and checked; names are ids. */
  properties: JsonObject;
  /** `<stack>-<resource>-<short id>`, cut to the limit as Heat cuts. */
  physicalName(limit?: number): string;
  /** The stack that the resource is, where it is one. */
  nested(): Stack | undefined;
  /** An attribute of a resource of the nested stack. */
  nestedAttribute(member: StackResource, path: Json[]): Json;
  nestedReference(member: StackResource): Json;
  /** An output of the nested stack, or undefined where it has none of that name. */
  nestedOutput(name: string): Json | undefined;
}

/** A kind of resource: what it takes, and what is done to make, change and remove it. */
export interface ResourceType {
  name: string;
  properties: Record<string, PropertySchema>;
  /** Names that `get_attr` takes. `*` takes any. */
  attributes: readonly string[];
  /** Only administrators may use it. */
  adminOnly?: true;
  /** It is a stack of its own. */
  nested?: NestedKind;
  /** Refuses what properties by themselves can't tell, before anything is made. @throws HttpFailure 400. */
  validate?(name: string, properties: JsonObject, at: { cloud: Cloud; stack: Stack }): void;
  /** Makes the physical resource and sets `resource.physicalId` as soon as there is one. */
  create?(work: Work): void | Promise<void>;
  /** Applies the changed properties in place; `before` are the old ones. */
  update?(work: Work, changed: string[], before: JsonObject): void | Promise<void>;
  remove?(work: Work): void | Promise<void>;
  /** Called on the old resource before its replacement is made. */
  prepareReplace?(work: Work): void | Promise<void>;
  /** Whether a failed resource must be replaced; yes by default. */
  needsReplaceFailed?(work: Work): boolean;
  /** What `get_attr: [resource, name]` gives. */
  attribute?(work: Work, name: string, path: Json[]): Json;
  /** Attributes as `GET .../resources/{name}` shows them. */
  show?(work: Work): Json;
  /** What `get_resource` gives; the physical id by default. */
  reference?(work: Work): Json;
}

/** How a resource that is a stack gets its template. */
export interface NestedKind {
  /** What validation calls the stack: `nested_stack` or the file. */
  label: string;
  /** The inputs to apply, one after the other; `current` is the stack as it is, on an update. */
  inputs(work: Work, current: Stack | undefined, before: JsonObject | undefined): StackInput[];
}

/** Members of a group in the order in which they would be removed: failed ones first, then the oldest. */
export function byRemovalOrder(members: StackResource[]): StackResource[] {
  const failed = (one: StackResource): number => (one.status === 'FAILED' ? 0 : 1);
  return [...members].sort(
    (one, other) =>
      failed(one) - failed(other) || one.createdAt.localeCompare(other.createdAt) || one.name.localeCompare(other.name),
  );
}
