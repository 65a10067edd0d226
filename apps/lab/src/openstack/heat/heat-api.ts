import { isJsonObject, type JsonObject } from '@windlass/foundation';
import { HttpFailure, ok, sessionOf, webobPage, type Answer, type Call } from '../http/answer.js';
import { Router } from '../http/router.js';
import type { Service } from '../http/service.js';
import { middlewareUnauthorized } from '../http/unauthorized.js';
import { eventRoutes } from './event-api.js';
import { liveStackOf, projectOf, queryWhole, stackOf } from './heat-call.js';
import { badRequest, heatError } from './template/heat-errors.js';
import { outputsView, outputValue, stackSummary, stackUrl, stackView } from './heat-views.js';
import type { Heat } from './heat.js';
import { builtInTypes } from './registry.js';
import { resourceRoutes } from './resource-api.js';
import { patchedInput, readStackRequest, requestedOptions } from './stack-requests.js';
import { validateTemplateOnly } from './template-api.js';

/** Heat's orchestration API, version 1. */
export function heatService(heat: Heat): Service {
  return {
    name: 'heat',
    prefix: '/orchestration',
    router: routes(heat),
    isOpen: (_method, path) => path === '' || path === '/',
    headers: (request) => ({ 'X-Openstack-Request-Id': request }),
    unauthorized: middlewareUnauthorized,
    notFound: () => new HttpFailure(404, 'not found', webobPage('404 Not Found', 'The resource could not be found.')),
    wrongMethod: () => {
      const text = 'The server could not comply with the request since it is either malformed or otherwise incorrect.';
      return heatError(405, 'HTTPMethodNotAllowed', text);
    },
    badJson: badRequest,
    failure: (status, message) => heatError(status, status >= 500 ? 'HTTPInternalServerError' : 'HTTPClientError', message),
  };
}

const STACK = '/v1/:project/stacks/:name/:id';

function routes(heat: Heat): Router {
  const router = new Router().on('GET', '/', ({ base }) => ({
    status: 300,
    body: { versions: [{ id: 'v1.0', status: 'CURRENT', links: [{ rel: 'self', href: `${base}/orchestration/v1/` }] }] },
  }));
  // A path with the stack's name (or id) alone is answered by the way to the path with both.
  for (const method of ['GET', 'DELETE', 'PATCH', 'PUT']) {
    router.on(method, '/v1/:project/stacks/:name', (call) => redirect(heat, call, ''));
  }
  for (const part of ['resources', 'events', 'template', 'files', 'environment', 'outputs']) {
    router.on('GET', `/v1/:project/stacks/:name/${part}`, (call) => redirect(heat, call, `/${part}`));
  }
  generalRoutes(router);
  stackRoutes(router, heat);
  resourceRoutes(router, heat);
  eventRoutes(router, heat);
  return router;
}

function redirect(heat: Heat, call: Call, rest: string): Answer {
  const stack = heat.named(projectOf(call), call.params.name ?? '');
  const search = call.query.size === 0 ? '' : `?${call.query.toString()}`;
  const location = `${stackUrl(call.base, stack)}${rest}${search}`;
  const shown = location.replaceAll('&', '&amp;');
  const body = `<html>\n <head>\n  <title>302 Found</title>\n </head>\n <body>\n  <h1>302 Found</h1>\n  The resource was found at <a href="${shown}">${shown}</a>;\nyou should be redirected automatically.\n\n\n </body>\n</html>`;
  const json = { message: 'The resource was found at\n\n\n', code: '302 Found', title: 'Found' };
  return { status: 302, body: wantsJson(call) ? json : body, headers: { Location: location } };
}

const accepted = (call: Call): Answer => {
  const text = 'The request is accepted for processing.';
  if (!wantsJson(call)) return { status: 202, body: webobPage('202 Accepted', text) };
  return { status: 202, body: { message: `${text}<br /><br />\n\n\n`, code: '202 Accepted', title: 'Accepted' } };
};

/** WebOb makes JSON of its pages for who asks for nothing else. */
const wantsJson = ({ headers }: Call): boolean =>
  (headers.accept ?? '').includes('application/json') && !/\*\/\*|text\//.test(headers.accept ?? '');

/** What belongs to no stack. */
function generalRoutes(router: Router): void {
  router
    .on('POST', '/v1/:project/validate', (call) => {
      projectOf(call);
      return ok(validateTemplateOnly(call.json));
    })
    .on('GET', '/v1/:project/build_info', (call) => {
      projectOf(call);
      return ok({ api: { revision: 'unknown' }, engine: { revision: 'unknown' } });
    })
    .on('GET', '/v1/:project/resource_types', (call) => {
      projectOf(call);
      return ok({ resource_types: builtInTypes() });
    });
}

function stackRoutes(router: Router, heat: Heat): void {
  const { works } = heat;
  router
    .on('GET', '/v1/:project/stacks', (call) => list(heat, call))
    .on('POST', '/v1/:project/stacks', (call) => {
      projectOf(call);
      const stack = heat.create(sessionOf(call), readStackRequest(call.json));
      const href = stackUrl(call.base, stack);
      return { status: 201, body: { stack: { id: stack.id, links: [{ href, rel: 'self' }] } }, headers: { Location: href } };
    })
    .on('GET', STACK, (call) => {
      const resolve = !/^(false|0|no|off)$/i.test(call.query.get('resolve_outputs') ?? 'true');
      return ok({ stack: stackView(works, call.base, stackOf(heat, call), resolve) });
    })
    .on('DELETE', STACK, (call) => {
      heat.delete(liveStackOf(heat, call));
      return { status: 204 };
    })
    .on('PATCH', STACK, (call) => update(heat, call, true))
    .on('PUT', STACK, (call) => update(heat, call, false))
    .on('POST', `${STACK}/actions`, (call) => act(heat, call))
    .on('GET', `${STACK}/template`, (call) => ok(stackOf(heat, call).input.template))
    .on('GET', `${STACK}/files`, (call) => ok(stackOf(heat, call).input.files))
    .on('GET', `${STACK}/environment`, (call) => {
      const { environment, parameters } = stackOf(heat, call).input;
      const registry = isJsonObject(environment.resource_registry) ? environment.resource_registry : {};
      const empty = {
        resource_registry: { resources: {} },
        parameters,
        parameter_defaults: {},
        event_sinks: [],
        encrypted_param_names: [],
      };
      return ok({ ...empty, ...environment, resource_registry: { resources: {}, ...registry } });
    })
    .on('GET', `${STACK}/outputs`, (call) => {
      const outputs = outputsView(works, stackOf(heat, call));
      return ok({
        outputs: outputs.map(({ output_key, description }) => ({ output_key: output_key ?? '', description: description ?? '' })),
      });
    })
    .on('GET', `${STACK}/outputs/:output`, (call) => {
      const stack = stackOf(heat, call);
      const name = call.params.output ?? '';
      const output = works.model(stack).template.outputs.get(name);
      if (output === undefined) throw heatError(404, 'NotFound', `Specified output key ${name} not found.`);
      return ok({ output: { output_key: name, description: output.description, ...outputValue(works, stack, name) } });
    });
}

function update(heat: Heat, call: Call, patch: boolean): Answer {
  const stack = liveStackOf(heat, call);
  const input = patchedInput(stack, call.json, patch);
  heat.update(sessionOf(call), stack, input, requestedOptions(call.json));
  return accepted(call);
}

function act(heat: Heat, call: Call): Answer {
  const stack = liveStackOf(heat, call);
  const names = typeof call.json === 'object' && call.json !== null ? Object.keys(call.json) : [];
  const [name, ...more] = names;
  if (name === undefined) throw badRequest('No action specified');
  if (more.length > 0) throw badRequest('Multiple actions specified');
  if (name === 'cancel_update' || name === 'cancel_without_rollback') {
    if (name === 'cancel_without_rollback' && heat.cancelUpdate(stack)) return ok(null);
    throw heatError(400, 'NotSupported', `Cancelling update when stack is ${stack.action}_${stack.status} is not supported.`);
  }
  if (name !== 'check') throw badRequest(`Invalid action ${name} specified`);
  heat.check(stack);
  return ok(null);
}

function nextPage(call: Call, marker: string): JsonObject {
  const query = new URLSearchParams(call.query);
  query.set('marker', marker);
  return { rel: 'next', href: `${call.base}${call.path}?${query.toString()}` };
}

const asked = (call: Call, name: string): boolean => /^(true|1)$/i.test(call.query.get(name) ?? '');

function list(heat: Heat, call: Call): Answer {
  const limit = queryWhole(call, 'limit');
  const [name, id, status, action] = ['name', 'id', 'status', 'action'].map((key) => call.query.getAll(key));
  const tags = call.query.get('tags')?.split(',') ?? [];
  const anyTag = call.query.get('tags_any')?.split(',');
  const notTags = call.query.get('not_tags')?.split(',') ?? [];
  const any = (wanted: string[] | undefined, value: string): boolean =>
    wanted === undefined || wanted.length === 0 || wanted.includes(value);
  const also = { deleted: asked(call, 'show_deleted'), nested: asked(call, 'show_nested') };
  const found = heat
    .list(projectOf(call), also)
    .filter((one) => any(name, one.name) && any(id, one.id) && any(status, one.status) && any(action, one.action))
    .filter((one) => tags.every((tag) => one.tags.includes(tag)) && (anyTag?.some((tag) => one.tags.includes(tag)) ?? true))
    .filter((one) => notTags.length === 0 || !notTags.every((tag) => one.tags.includes(tag)));
  const marker = call.query.get('marker');
  const from = marker === null ? 0 : found.findIndex((one) => one.id === marker) + 1;
  const page = found.slice(from, limit === undefined ? undefined : from + limit);
  const view: JsonObject = { stacks: page.map((one) => stackSummary(call.base, one)) };
  const last = page.at(-1);
  if (limit !== undefined && page.length === limit && last !== undefined) view.links = [nextPage(call, last.id)];
  if (asked(call, 'with_count')) view.count = found.length;
  return ok(view);
}
