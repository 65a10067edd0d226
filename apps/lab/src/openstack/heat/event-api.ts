import { isJsonObject } from '@windlass/foundation';
import { heatError } from './template/heat-errors.js';
import { ok, type Answer, type Call } from '../http/answer.js';
import type { Router } from '../http/router.js';
import type { Stack, StackEvent } from '../state/state.js';
import { queryWhole, stackOf } from './heat-call.js';
import { eventView } from './heat-views.js';
import type { Heat } from './heat.js';

const STACK = '/v1/:project/stacks/:name/:id';

/** `events` of a stack, of a resource, of nested stacks. */
export function eventRoutes(router: Router, heat: Heat): void {
  router
    .on('GET', `${STACK}/events`, (call) => list(heat, call, undefined))
    .on('GET', `${STACK}/resources/:resource/events`, (call) => list(heat, call, call.params.resource))
    .on('GET', `${STACK}/resources/:resource/events/:event`, (call) => {
      const stack = stackOf(heat, call);
      const event = stack.events.find((one) => one.id === call.params.event);
      if (event === undefined) throw heatError(404, 'HTTPNotFound', `No event ${call.params.event} found`);
      const view = eventView(call.base, stack, event);
      return ok({ event: isJsonObject(view) ? { ...view, resource_type: event.type, resource_properties: {} } : view });
    });
}

interface Told {
  stack: Stack;
  event: StackEvent;
}

function list(heat: Heat, call: Call, resource: string | undefined): Answer {
  const stack = stackOf(heat, call);
  const limit = queryWhole(call, 'limit');
  const depth = queryWhole(call, 'nested_depth') ?? 0;
  const direction = call.query.get('sort_dir') ?? 'desc';
  if (!['asc', 'desc'].includes(direction)) {
    throw heatError(400, 'ValueError');
  }
  const all = collect(heat, stack, depth).filter((told) => resource === undefined || told.event.resourceName === resource);
  if (all.length === 0 && resource !== undefined)
    throw heatError(404, 'HTTPNotFound', `No events found for resource ${resource}`);
  const matching = all.filter(({ event }) => matches(call, event));
  if (direction === 'desc') matching.reverse();
  const marker = call.query.get('marker');
  const from = marker === null ? 0 : matching.findIndex(({ event }) => event.id === marker) + 1;
  const page = matching.slice(from, limit === undefined ? undefined : from + limit);
  return ok({ events: page.map((told) => eventView(call.base, told.stack, told.event, depth > 0 ? stack : undefined)) });
}

/** Events of a stack and its nested stacks in the order of their times. */
function collect(heat: Heat, stack: Stack, depth: number): Told[] {
  const own = stack.events.map((event) => ({ stack, event }));
  if (depth === 0) return own;
  const nested = stack.resources.flatMap((resource) => heat.works.of(stack, resource).nested() ?? []);
  return [...own, ...nested.flatMap((one) => collect(heat, one, depth - 1))].sort((one, other) =>
    one.event.time.localeCompare(other.event.time),
  );
}

const FILTERS: Record<string, (event: StackEvent) => string> = {
  resource_status: (event) => event.status.slice(event.status.indexOf('_') + 1),
  resource_action: (event) => event.status.slice(0, event.status.indexOf('_')),
  resource_name: (event) => event.resourceName,
  resource_type: (event) => event.type,
};

function matches(call: Call, event: StackEvent): boolean {
  return Object.entries(FILTERS).every(([name, of]) => {
    const wanted = call.query.getAll(name);
    return wanted.length === 0 || wanted.includes(of(event));
  });
}
