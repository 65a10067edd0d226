import type { Json, JsonObject } from '@windlass/foundation';
import type { StackStatus } from './stack-status.js';

/** A stack as Heat addresses it. The name alone finds whatever stack has it now; with the id it is this one or none. */
export interface StackRef {
  name: string;
  id: string;
}

/** `vnf-1/b08324e7-...`: how a stack is written into metadata. */
export const stackPath = (ref: StackRef): string => `${ref.name}/${ref.id}`;

/** The inverse of stackPath; undefined when the text is not one. */
export function stackRefOf(path: string): StackRef | undefined {
  const found = /^([^/]+)\/([^/]+)$/.exec(path);
  return found?.[1] === undefined || found[2] === undefined ? undefined : { name: found[1], id: found[2] };
}

export interface StackSummary extends StackRef {
  status: StackStatus;
  statusReason: string;
  createdAt: string;
  updatedAt: string | undefined;
  /** Set once Heat has let go of the name too; DELETE_COMPLETE comes a moment before. */
  deletedAt: string | undefined;
  tags: string[];
}

export interface StackOutput {
  key: string;
  value: Json;
  /** Why there is no value. */
  error: string | undefined;
}

/** A stack in full. */
export interface Stack extends StackSummary {
  /** As Heat keeps them: a json parameter is JSON text. See jsonParameter. */
  parameters: Record<string, Json>;
  outputs: StackOutput[];
  timeoutMinutes: number | undefined;
}

/** A parameter of type json, parsed; undefined where there is none or it is no JSON object. */
export function jsonParameter(stack: Pick<Stack, 'parameters'>, name: string): JsonObject | undefined {
  const value = stack.parameters[name];
  if (typeof value !== 'string') return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  try {
    const parsed = JSON.parse(value) as Json;
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed) ? parsed : undefined;
  } catch {
    return undefined; // a string parameter that only looks like JSON
  }
}

/** A resource of a stack, or of a stack nested in it. */
export interface StackResource {
  /** Name in its template. */
  name: string;
  /** `OS::Nova::Server`, or the file name of a nested template. */
  type: string;
  /** Absent before it is made, and after a failed replacement. */
  physicalId: string | undefined;
  status: StackStatus;
  statusReason: string;
  createdAt: string;
  updatedAt: string;
  /** The stack it is in. */
  stack: StackRef;
  /** The stack it is, where it is a nested one or a group. */
  nested: StackRef | undefined;
  /** Name of the resource that the stack it is in is to the stack above. */
  parentResource: string | undefined;
  /** Names of resources of the same stack that need it. */
  requiredBy: string[];
}

export interface StackResourceDetail extends StackResource {
  attributes: JsonObject;
}

export interface StackEvent {
  id: string;
  time: string;
  resourceName: string;
  logicalId: string;
  physicalId: string | undefined;
  status: StackStatus;
  statusReason: string;
}

/** What a stack is made of. */
export interface StackSpec {
  name: string;
  template: string | JsonObject;
  /** Nested templates by the name their users know them by. */
  files?: Record<string, string>;
  environment?: JsonObject;
  parameters?: JsonObject;
  /** Heat gives up after this. Whole minutes. */
  timeoutMinutes?: number;
  /** Each at most 80 characters, without a comma. */
  tags?: readonly string[];
}

/** What an update changes; anything left out stays as it is (PATCH with `existing`). */
export interface StackChange {
  template?: string | JsonObject;
  files?: Record<string, string>;
  environment?: JsonObject;
  /** A parameter given is replaced as a whole, a json one too. */
  parameters?: JsonObject;
  /** Parameters that go back to their default. */
  clearParameters?: readonly string[];
  timeoutMinutes?: number;
  tags?: readonly string[];
}
