import type { Json, JsonObject } from '@windlass/foundation';
import type { Stack, StackEvent, StackResource } from '../state/state.js';
import { isDeleted } from './heat.js';
import type { Works } from './works.js';

export const stackUrl = (base: string, stack: Stack): string =>
  `${base}/orchestration/v1/${stack.projectId}/stacks/${stack.name}/${stack.id}`;

const link = (href: string, rel: string): JsonObject => ({ href, rel });

/** A stack in a list. */
export const stackSummary = (base: string, stack: Stack): JsonObject => ({
  id: stack.id,
  links: [link(stackUrl(base, stack), 'self')],
  stack_name: stack.name,
  description: '',
  stack_status: `${stack.action}_${stack.status}`,
  stack_status_reason: stack.reason,
  creation_time: stack.createdAt,
  updated_time: stack.updatedAt,
  deletion_time: stack.deletedAt,
  stack_owner: stack.userName,
  parent: stack.parentId,
  stack_user_project_id: stack.userProjectId,
  tags: stack.tags.length === 0 ? null : stack.tags,
});

/** A stack by itself, with its outputs unless they are not wanted. */
export function stackView(works: Works, base: string, stack: Stack, resolveOutputs: boolean): JsonObject {
  const { template, parameters } = works.model(stack);
  return {
    stack_name: stack.name,
    id: stack.id,
    links: [link(stackUrl(base, stack), 'self')],
    creation_time: stack.createdAt,
    updated_time: stack.updatedAt,
    deletion_time: stack.deletedAt,
    notification_topics: [],
    parameters: parameters.shown(),
    description: template.description,
    template_description: template.description,
    capabilities: [],
    disable_rollback: stack.disableRollback,
    timeout_mins: stack.timeoutMins,
    stack_owner: stack.userName,
    parent: stack.parentId,
    stack_user_project_id: stack.userProjectId,
    tags: stack.tags,
    stack_status: `${stack.action}_${stack.status}`,
    stack_status_reason: stack.reason,
    ...(resolveOutputs && !isDeleted(stack) ? { outputs: outputsView(works, stack) } : {}),
  };
}

export const outputsView = (works: Works, stack: Stack): JsonObject[] =>
  [...works.model(stack).template.outputs].map(([name, output]) => ({
    output_key: name,
    description: output.description,
    ...outputValue(works, stack, name),
  }));

/** An output's value, or why there is none. */
export function outputValue(works: Works, stack: Stack, name: string): JsonObject {
  try {
    return { output_value: works.output(stack, name) ?? null };
  } catch (error) {
    return { output_error: error instanceof Error ? error.message : String(error), output_value: null };
  }
}

/** A resource in a list. */
export function resourceView(works: Works, base: string, stack: Stack, resource: StackResource): JsonObject {
  const url = stackUrl(base, stack);
  const nested = works.of(stack, resource).nested();
  return {
    updated_time: resource.updatedAt,
    creation_time: resource.createdAt,
    logical_resource_id: resource.name,
    resource_name: resource.name,
    physical_resource_id: resource.physicalId ?? '',
    resource_status: `${resource.action}_${resource.status}`,
    resource_status_reason: resource.reason,
    resource_type: resource.type,
    links: [
      link(`${url}/resources/${resource.name}`, 'self'),
      link(url, 'stack'),
      ...(nested === undefined ? [] : [link(stackUrl(base, nested), 'nested')]),
    ],
    required_by: stack.resources.filter((one) => one.requires.includes(resource.name)).map((one) => one.name),
    ...(stack.parentResource === null ? {} : { parent_resource: stack.parentResource }),
  };
}

/** A resource by itself, with its attributes. */
export const resourceDetail = (
  works: Works,
  base: string,
  stack: Stack,
  resource: StackResource,
  extra: string[] = [],
): JsonObject => ({
  ...resourceView(works, base, stack, resource),
  description: resource.definition.description,
  attributes: withAttributes(works.show(stack, resource), works, stack, resource, extra),
});

function withAttributes(shown: Json, works: Works, stack: Stack, resource: StackResource, extra: string[]): Json {
  const isStack = works.of(stack, resource).nested() !== undefined;
  if (typeof shown !== 'object' || shown === null || Array.isArray(shown) || isStack) return shown;
  return { ...shown, ...Object.fromEntries(extra.map((name) => [name, works.attribute(stack, resource, [name])])) };
}

/** An event; `root` is given where events of nested stacks are listed too. */
export function eventView(base: string, stack: Stack, event: StackEvent, root?: Stack): JsonObject {
  const url = stackUrl(base, stack);
  return {
    id: event.id,
    links: [
      link(`${url}/resources/${event.resourceName}/events/${event.id}`, 'self'),
      link(`${url}/resources/${event.resourceName}`, 'resource'),
      link(url, 'stack'),
      ...(root === undefined ? [] : [link(stackUrl(base, root), 'root_stack')]),
    ],
    event_time: event.time,
    logical_resource_id: event.resourceName,
    resource_name: event.resourceName,
    physical_resource_id: event.physicalId,
    resource_status: event.status,
    resource_status_reason: event.reason,
  };
}
