import { TerminalError } from '@windlass/foundation';
import type { AnswerReader } from '../http/answer-reader.js';
import type { Stack, StackEvent, StackOutput, StackRef, StackResource, StackSummary } from './heat-types.js';
import { asStackStatus } from './stack-status.js';

/** Name and id out of `http://host/v1/<project>/stacks/<name>/<id>` with anything after; undefined when it is no such URL. */
export function stackRefOfUrl(url: string): StackRef | undefined {
  const found = /\/stacks\/([^/?#]+)\/([^/?#]+)/.exec(url);
  if (found?.[1] === undefined || found[2] === undefined) return undefined;
  return { name: decodeURIComponent(found[1]), id: decodeURIComponent(found[2]) };
}

export function readSummary(stack: AnswerReader): StackSummary {
  return {
    name: stack.text('stack_name'),
    id: stack.text('id'),
    status: asStackStatus(stack.text('stack_status')),
    statusReason: stack.textIfAny('stack_status_reason') ?? '',
    createdAt: stack.text('creation_time'),
    updatedAt: stack.textIfAny('updated_time'),
    deletedAt: stack.textIfAny('deletion_time'),
    tags: stack.texts('tags'),
  };
}

export function readStack(stack: AnswerReader): Stack {
  return {
    ...readSummary(stack),
    parameters: stack.objectIfAny('parameters')?.value ?? {},
    outputs: stack.objects('outputs').map(readOutput),
    timeoutMinutes: stack.numberIfAny('timeout_mins'),
  };
}

function readOutput(output: AnswerReader): StackOutput {
  return {
    key: output.text('output_key'),
    value: output.value.output_value ?? null,
    error: output.textIfAny('output_error'),
  };
}

export function readResource(resource: AnswerReader): StackResource {
  return {
    name: resource.text('resource_name'),
    type: resource.text('resource_type'),
    physicalId: resource.textIfAny('physical_resource_id'),
    status: asStackStatus(resource.text('resource_status')),
    statusReason: resource.textIfAny('resource_status_reason') ?? '',
    createdAt: resource.text('creation_time'),
    updatedAt: resource.text('updated_time'),
    stack: requiredLink(resource),
    nested: linked(resource, 'nested'),
    parentResource: resource.textIfAny('parent_resource'),
    requiredBy: resource.texts('required_by'),
  };
}

function requiredLink(resource: AnswerReader): StackRef {
  const ref = linked(resource, 'stack');
  if (ref !== undefined) return ref;
  throw new TerminalError('openstack.unexpected-answer', `resource ${resource.text('resource_name')} has no link to its stack`);
}

function linked(resource: AnswerReader, rel: string): StackRef | undefined {
  const link = resource.objects('links').find((candidate) => candidate.text('rel') === rel);
  return link === undefined ? undefined : stackRefOfUrl(link.text('href'));
}

export function readEvent(event: AnswerReader): StackEvent {
  return {
    id: event.text('id'),
    time: event.text('event_time'),
    resourceName: event.text('resource_name'),
    logicalId: event.text('logical_resource_id'),
    physicalId: event.textIfAny('physical_resource_id'),
    status: asStackStatus(event.text('resource_status')),
    statusReason: event.textIfAny('resource_status_reason') ?? '',
  };
}
