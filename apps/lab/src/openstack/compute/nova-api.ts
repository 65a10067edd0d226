import { pythonStr } from '../http/python-json.js';
import { isJsonObject, type JsonObject } from '@windlass/foundation';
import { HttpFailure, ok, sessionOf, webobPage, type Answer, type Call } from '../http/answer.js';
import { Router } from '../http/router.js';
import type { Service } from '../http/service.js';
import { middlewareUnauthorized } from '../http/unauthorized.js';
import { portView } from '../network/neutron-views.js';
import type { CloudState, Server } from '../state/state.js';
import { consoleLength } from './console.js';
import { projectOf, type NovaApiParts, type VersionedRouter } from './nova-api-parts.js';
import { extraRoutes } from './nova-extras-api.js';
import { computeError, invalidField, policyForbids } from '../http/nova-errors.js';
import { addressesView, serverSummary, serverView } from './nova-views.js';
import { rebuild } from './rebuild.js';

const NEWEST_MINOR = 93;

/** Nova's API, version 2.1, microversions 2.1 to 2.93. */
export function novaService(parts: NovaApiParts): Service {
  return {
    name: 'nova',
    prefix: '/compute',
    router: routes(parts),
    isOpen: (_method, path) => ['', '/', '/v2.1', '/v2.1/'].includes(path),
    headers: (request) => ({ 'X-Openstack-Request-Id': request, 'X-Compute-Request-Id': request }),
    unauthorized: middlewareUnauthorized,
    notFound: () => new HttpFailure(404, 'not found', webobPage('404 Not Found', 'The resource could not be found.')),
    wrongMethod: () => computeError(405, 'The method specified is not allowed for this resource.'),
    badJson: () => computeError(400, 'cannot understand JSON'),
    failure: computeError,
    emptyType: 'application/json',
  };
}

function routes(parts: NovaApiParts): Router {
  const router = new Router().on('GET', '/', ({ base }) =>
    ok({
      versions: [
        {
          id: 'v2.0',
          status: 'SUPPORTED',
          version: '',
          min_version: '',
          updated: '2011-01-21T11:33:21Z',
          links: [{ rel: 'self', href: `${base}/compute/v2/` }],
        },
        {
          id: 'v2.1',
          status: 'CURRENT',
          version: `2.${NEWEST_MINOR}`,
          min_version: '2.1',
          updated: '2013-07-23T11:33:21Z',
          links: [{ rel: 'self', href: `${base}/compute/v2.1/` }],
        },
      ],
    }),
  );
  const versioned: VersionedRouter = {
    on: (method, pattern, handler) => {
      router.on(method, `/v2.1${pattern}`, async (call) => {
        const minor = versionOf(call);
        try {
          const answer = await handler(call);
          return { ...answer, headers: { ...versionHeaders(minor), ...answer.headers } };
        } catch (error) {
          throw withVersion(error, minor);
        }
      });
    },
  };
  versioned.on('GET', '', ({ base }) => ok({ version: versionDocument(base) }));
  serverRoutes(versioned, parts);
  extraRoutes(versioned, parts);
  return router;
}

/** The microversion, refused with the headers of the oldest. */
function versionOf(call: Call): number {
  try {
    return minorOf(call);
  } catch (error) {
    throw withVersion(error, 1);
  }
}

/** Nova's refusals carry the microversion too, and another content type than its answers. */
function withVersion(error: unknown, minor: number): unknown {
  if (error instanceof HttpFailure) {
    Object.assign(error.headers, versionHeaders(minor), { 'Content-Type': 'application/json; charset=UTF-8' });
  }
  return error;
}

const versionDocument = (base: string): JsonObject => ({
  id: 'v2.1',
  status: 'CURRENT',
  version: `2.${NEWEST_MINOR}`,
  min_version: '2.1',
  updated: '2013-07-23T11:33:21Z',
  links: [
    { rel: 'self', href: `${base}/compute/v2.1/` },
    { rel: 'describedby', type: 'text/html', href: 'http://docs.openstack.org/' },
  ],
  'media-types': [{ base: 'application/json', type: 'application/vnd.openstack.compute+json;version=2.1' }],
});

const versionHeaders = (minor: number): Record<string, string> => ({
  'Openstack-Api-Version': `compute 2.${minor}`,
  'X-Openstack-Nova-Api-Version': `2.${minor}`,
  Vary: 'OpenStack-API-Version, X-OpenStack-Nova-API-Version',
});

/** The minor number of the microversion that the request asks for; 1 by default. */
export function minorOf(call: Call): number {
  const general = call.headers['openstack-api-version'];
  const own = call.headers['x-openstack-nova-api-version'];
  const asked = typeof general === 'string' && general.startsWith('compute ') ? general.slice(8) : own;
  if (asked === undefined) return 1;
  if (asked === 'latest') return NEWEST_MINOR;
  const match = /^2\.(\d+)$/.exec(String(asked));
  const minor = match === null ? 0 : Number(match[1]);
  if (minor < 1 || minor > NEWEST_MINOR) {
    throw computeError(
      406,
      `Version ${String(asked)} is not supported by the API. Minimum is 2.1 and maximum is 2.${NEWEST_MINOR}.`,
    );
  }
  return minor;
}

function serverRoutes(router: VersionedRouter, parts: NovaApiParts): void {
  const { state, nova } = parts;
  const server = (call: Call): Server => nova.get(projectOf(call), call.params.id ?? '', sessionOf(call).isAdmin);
  const view = (call: Call, one: Server): JsonObject => {
    const showHost = parts.showHost || sessionOf(call).isAdmin;
    return serverView(state, one, { base: call.base, minor: minorOf(call), showHost, task: nova.taskOf(one.id) });
  };
  router.on('GET', '/servers', (call) => ok({ servers: listed(parts, call).map((one) => serverSummary(call.base, one)) }));
  router.on('GET', '/servers/detail', (call) => ok({ servers: listed(parts, call).map((one) => view(call, one)) }));
  router.on('GET', '/servers/:id', (call) => ok({ server: view(call, server(call)) }));
  router.on('DELETE', '/servers/:id', (call) => {
    const target = server(call);
    // The fleet's failure stays with the server: it goes on existing, in ERROR.
    nova.delete(target).catch((error: unknown) => {
      target.status = 'ERROR';
      target.fault = { code: 500, message: error instanceof Error ? error.message : String(error), created: target.updated };
    });
    return { status: 204 };
  });
  router.on('POST', '/servers/:id/action', async (call) => {
    const one = server(call);
    return (await act(parts, one, call)) ?? { status: 202, body: { server: view(call, one) } };
  });
  router.on('GET', '/servers/:id/ips', (call) => ok({ addresses: bareAddresses(addressesView(state, server(call))) }));
  router.on('GET', '/servers/:id/os-volume_attachments', (call) => {
    const one = server(call);
    return ok({
      volumeAttachments: one.volumes.map((volume) => ({
        id: volume.volumeId,
        volumeId: volume.volumeId,
        serverId: one.id,
        device: volume.device,
      })),
    });
  });
  router.on('GET', '/servers/:id/os-interface', (call) => ok({ interfaceAttachments: interfaces(state, server(call)) }));
}

/** Addresses without what extensions add. */
const bareAddresses = (addresses: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(addresses).map(([name, list]) => [
      name,
      Array.isArray(list)
        ? list.map((one) => (isJsonObject(one) ? { version: one.version ?? 4, addr: one.addr ?? '' } : one))
        : [],
    ]),
  );

const interfaces = (state: CloudState, server: Server): JsonObject[] =>
  server.portIds.flatMap((id) => {
    const port = state.ports.get(id);
    if (port === undefined) return [];
    const view = portView(port);
    return [
      {
        net_id: port.networkId,
        port_id: port.id,
        mac_addr: port.mac,
        port_state: view.status ?? 'DOWN',
        fixed_ips: view.fixed_ips ?? [],
      },
    ];
  });

function listed({ state, nova }: NovaApiParts, call: Call): Server[] {
  const session = sessionOf(call);
  const all = ['1', 'true', 'True'].includes(call.query.get('all_tenants') ?? '');
  if (all && !session.isAdmin) throw policyForbids('os_compute_api:servers:index:get_all_tenants');
  const servers = all ? [...state.servers.values()] : nova.of(projectOf(call));
  const [name, status, host] = [call.query.get('name'), call.query.get('status'), call.query.get('host')];
  const [limit, marker] = [call.query.get('limit'), call.query.get('marker')];
  const from = marker === null ? 0 : servers.findIndex((one) => one.id === marker) + 1;
  return servers
    .slice(from)
    .filter((one) => name === null || patternOf(name).test(one.name))
    .filter((one) => status === null || one.status === status.toUpperCase())
    .filter((one) => host === null || !session.isAdmin || one.host === host)
    .slice(0, limit === null ? undefined : Number(limit));
}

/** Nova searches names by a regular expression. */
function patternOf(name: string): RegExp {
  try {
    return new RegExp(name);
  } catch {
    throw computeError(400, `Invalid filter field: ${name}.`);
  }
}

/** @returns undefined where Nova answers with the server as it is now */
async function act({ nova, state }: NovaApiParts, server: Server, call: Call): Promise<Answer | undefined> {
  const body = typeof call.json === 'object' && call.json !== null && !Array.isArray(call.json) ? call.json : {};
  const [name, ...more] = Object.keys(body);
  if (name === undefined || more.length > 0) throw computeError(400, 'Malformed request body');
  if (name === 'reboot') {
    const options = body.reboot;
    const type = typeof options === 'object' && options !== null && !Array.isArray(options) ? options.type : undefined;
    if (typeof type !== 'string' || !/^(hard|soft)$/i.test(type)) {
      throw invalidField(
        'type',
        pythonStr(type),
        `'${pythonStr(type)}' is not one of ['HARD', 'Hard', 'hard', 'SOFT', 'Soft', 'soft']`,
      );
    }
    nova.reboot(server, /^hard$/i.test(type)).catch((error: unknown) => {
      server.status = 'ERROR';
      server.fault = { code: 500, message: error instanceof Error ? error.message : String(error), created: server.updated };
    });
    return { status: 202 };
  }
  if (name === 'os-stop' || name === 'os-start') {
    nova.power.switch(server, name === 'os-stop' ? 'stop' : 'start');
    return { status: 202 };
  }
  if (name === 'rebuild') {
    rebuild({ nova, state }, server, body.rebuild ?? null);
    return undefined;
  }
  if (name === 'os-getConsoleOutput') return ok({ output: await nova.console(server, consoleLength(body[name])) });
  throw computeError(400, `There is no such action: ${name}`);
}
