import { isJsonObject, type Json, type JsonObject } from '@windlass/foundation';
import { ok, type Answer, type Call } from '../http/answer.js';
import type { Router } from '../http/router.js';
import { pythonStr } from '../http/python-json.js';
import type { Stack, StackResource } from '../state/state.js';
import { liveStackOf, queryWhole, stackOf } from './heat-call.js';
import { badRequest } from './template/heat-errors.js';
import { resourceDetail, resourceView } from './heat-views.js';
import type { Heat } from './heat.js';
import { strictBoolean } from './stack-requests.js';

const RESOURCES = '/v1/:project/stacks/:name/:id/resources';
const FILTERS = ['type', 'status', 'name', 'action', 'id', 'physical_resource_id'];

/** `resources` of a stack: list, show, metadata, mark unhealthy, signal. */
export function resourceRoutes(router: Router, heat: Heat): void {
  const { works } = heat;
  const one = (call: Call): { stack: Stack; resource: StackResource } => {
    const stack = stackOf(heat, call);
    return { stack, resource: heat.resource(stack, call.params.resource ?? '') };
  };
  router
    .on('GET', RESOURCES, (call) => list(heat, call))
    .on('GET', `${RESOURCES}/:resource`, (call) => {
      const { stack, resource } = one(call);
      return ok({ resource: resourceDetail(works, call.base, stack, resource, call.query.getAll('with_attr')) });
    })
    .on('GET', `${RESOURCES}/:resource/metadata`, (call) => ok({ metadata: one(call).resource.definition.metadata }))
    .on('PATCH', `${RESOURCES}/:resource`, (call) => {
      const stack = liveStackOf(heat, call);
      const requested = readMark(call.json);
      heat.markUnhealthy(stack, heat.resource(stack, call.params.resource ?? ''), requested.unhealthy, requested.reason);
      return ok(null);
    })
    .on('POST', `${RESOURCES}/:resource/signal`, (call) => {
      const stack = liveStackOf(heat, call);
      heat.signal(stack, heat.resource(stack, call.params.resource ?? ''));
      return ok(null);
    });
}

/** `{mark_unhealthy, resource_status_reason}`. @throws HttpFailure 400. */
function readMark(body: Json | undefined): { unhealthy: boolean; reason: string } {
  const given: JsonObject = isJsonObject(body) ? body : {};
  const mark = given.mark_unhealthy;
  if (mark === undefined) throw badRequest('Missing mandatory (mark_unhealthy) key from mark unhealthy request');
  const unknown = Object.keys(given).filter((name) => name !== 'mark_unhealthy' && name !== 'resource_status_reason');
  if (unknown.length > 0)
    throw badRequest(`Invalid keys in resource mark unhealthy {${unknown.map((name) => `'${name}'`).join(', ')}}`);
  return {
    unhealthy: booleanOfMark(mark),
    reason: pythonStr(given.resource_status_reason ?? 'state changed by resource_mark_unhealthy api'),
  };
}

function booleanOfMark(value: Json): boolean {
  const flag = strictBoolean(value);
  if (flag !== undefined) return flag;
  throw badRequest(`Unrecognized value "${pythonStr(value)}" for "mark_unhealthy", acceptable values are: true, false.`);
}

function list(heat: Heat, call: Call): Answer {
  const known = [...FILTERS, 'nested_depth', 'with_detail'];
  const unknown = [...new Set(call.query.keys())].filter((name) => !known.includes(name));
  if (unknown.length > 0) throw badRequest(`Invalid filter parameters [${unknown.map((name) => `'${name}'`).join(', ')}]`);
  const depth = queryWhole(call, 'nested_depth') ?? 0;
  const detail = /^(true|1)$/i.test(call.query.get('with_detail') ?? '');
  const all = collect(heat, stackOf(heat, call), depth).filter(({ resource }) =>
    FILTERS.every((name) => fits(resource, name, call.query.getAll(name))),
  );
  const view = detail ? resourceDetail : resourceView;
  return ok({ resources: all.map(({ stack, resource }) => view(heat.works, call.base, stack, resource)) });
}

/** A stack's resources, then those of its nested stacks, level by level. */
function collect(heat: Heat, stack: Stack, depth: number): { stack: Stack; resource: StackResource }[] {
  const own = stack.resources.map((resource) => ({ stack, resource }));
  if (depth === 0) return own;
  const nested = stack.resources.flatMap((resource) => heat.works.of(stack, resource).nested() ?? []);
  const levels = nested.map((one) => ({
    members: collect(heat, one, 0),
    deeper: collect(heat, one, depth - 1).slice(one.resources.length),
  }));
  return [...own, ...levels.flatMap((level) => level.members), ...levels.flatMap((level) => level.deeper)];
}

function fits(resource: StackResource, name: string, wanted: string[]): boolean {
  if (wanted.length === 0) return true;
  const values: Record<string, string> = {
    type: resource.type,
    status: resource.status,
    action: resource.action,
    name: resource.name,
    id: resource.short,
    physical_resource_id: resource.physicalId ?? '',
  };
  return wanted.includes(values[name] ?? '');
}
