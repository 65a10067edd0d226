import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { ServerOptions } from 'node:https';
import { testServer, type SeenRequest } from '@windlass/outbound/testing';
import type { Grant, GrantInfo, GrantRequest, ResourceDefinition } from '@windlass/sol003';
import { Ajv } from 'ajv';

const link = { type: 'object', required: ['href'], properties: { href: { type: 'string', pattern: '^https?://' } } };
const id = { type: 'string', minLength: 1 };
const handle = { type: 'object', required: ['resourceId'], properties: { resourceId: id, vimConnectionId: id } };
const definitions = (resource: 'with' | 'without') => ({
  type: 'array',
  minItems: 1,
  items: {
    type: 'object',
    additionalProperties: false,
    required: ['id', 'type', 'resourceTemplateId', ...(resource === 'with' ? ['resource'] : [])],
    properties: {
      id,
      type: { enum: ['COMPUTE', 'VL', 'STORAGE', 'LINKPORT'] },
      vduId: id,
      resourceTemplateId: id,
      ...(resource === 'with' ? { resource: handle } : {}),
    },
  },
});
const references = {
  type: 'array',
  minItems: 2,
  items: {
    type: 'object',
    additionalProperties: false,
    required: ['idType', 'resourceId'],
    properties: { idType: { enum: ['RES_MGMT', 'GRANT'] }, resourceId: id, vimConnectionId: id, resourceProviderId: id },
  },
};

/** A GrantRequest by the table of SOL003 9.5.2.2: ETSI's schemas for the VNFM have none for what a VNFM sends. */
const isGrantRequest = new Ajv({ allErrors: true }).compile<GrantRequest>({
  type: 'object',
  additionalProperties: false,
  required: ['vnfInstanceId', 'vnfLcmOpOccId', 'vnfdId', 'operation', 'isAutomaticInvocation', '_links'],
  properties: {
    vnfInstanceId: id,
    vnfLcmOpOccId: id,
    vnfdId: id,
    flavourId: id,
    operation: {
      enum: ['INSTANTIATE', 'SCALE', 'SCALE_TO_LEVEL', 'CHANGE_FLAVOUR', 'TERMINATE', 'HEAL', 'OPERATE', 'CHANGE_EXT_CONN'],
    },
    isAutomaticInvocation: { type: 'boolean' },
    instantiationLevelId: id,
    addResources: definitions('without'),
    removeResources: definitions('with'),
    updateResources: definitions('with'),
    placementConstraints: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['affinityOrAntiAffinity', 'scope', 'resource'],
        properties: {
          affinityOrAntiAffinity: { enum: ['AFFINITY', 'ANTI_AFFINITY'] },
          scope: { enum: ['NFVI_POP', 'ZONE', 'ZONE_GROUP', 'NFVI_NODE'] },
          resource: references,
        },
      },
    },
    vimConstraints: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['resource'],
        properties: { sameResourceGroup: { type: 'boolean' }, resource: references },
      },
    },
    additionalParams: { type: 'object' },
    _links: {
      type: 'object',
      additionalProperties: false,
      required: ['vnfLcmOpOcc', 'vnfInstance'],
      properties: { vnfLcmOpOcc: link, vnfInstance: link },
    },
  },
});

/** How the stand-in decides: at once, with additions to a grant of everything; later, after a 202; or by the test's own answer. */
export type Decision =
  | { give: (request: GrantRequest) => Partial<Grant> }
  | { later: (request: GrantRequest) => Partial<Grant> }
  | { answer: (request: GrantRequest, response: ServerResponse) => void };

/**
 * A stand-in for an NFVO's granting interface (SOL003 9.4): a real HTTP(S) server. It refuses what a real NFVO refuses: another media type,
 * requests that are no GrantRequest, doubled resource ids, unknown callers.
 */
export interface StandInNfvo {
  /** The root, to which clients append /grant/v1. */
  readonly url: string;
  /** The GrantRequests that the stand-in has accepted, in their order. */
  readonly asked: readonly GrantRequest[];
  /** How often a grant was asked for that was not decided yet. */
  readonly looks: () => number;
  /** Sets the decision on later requests. */
  decide(decision: Decision): void;
  /** Decides the requests that were answered with 202. */
  release(): void;
  close(): Promise<void>;
}

/** Options of the stand-in. */
export interface StandInNfvoOptions {
  tls?: ServerOptions;
  port?: number;
  /** Whether the stand-in accepts the caller; by default it accepts every caller. */
  knows?: (request: SeenRequest) => boolean;
}

/** Grants everything that is asked for. */
export const everything: Decision = { give: () => ({}) };

/** Starts a stand-in that grants everything until `decide` is called. */
export async function startStandInNfvo({ tls, port, knows = () => true }: StandInNfvoOptions = {}): Promise<StandInNfvo> {
  const asked: GrantRequest[] = [];
  const undecided = new Map<string, { request: GrantRequest; more: (request: GrantRequest) => Partial<Grant> }>();
  let decision: Decision = everything;
  let decided = false;
  let looks = 0;
  const server = await testServer(
    (request, response) => {
      if (!knows(request)) return problem(response, 401, 'Unauthorized', 'this VNFM is not known here');
      const grantId = /^\/grant\/v1\/grants\/([^/]+)$/.exec(request.path)?.[1];
      if (grantId !== undefined && request.method === 'GET') {
        const waiting = undecided.get(grantId);
        if (waiting === undefined) return problem(response, 404, 'Not Found', `there is no grant ${grantId}`);
        if (decided) return json(response, 200, grantOf(server.url, grantId, waiting.request, waiting.more(waiting.request)));
        looks += 1;
        return void response.writeHead(202).end();
      }
      if (request.path !== '/grant/v1/grants') return problem(response, 404, 'Not Found', 'there is nothing here');
      if (request.method !== 'POST') return problem(response, 405, 'Method Not Allowed', 'POST a GrantRequest');
      if (request.headers['content-type'] !== 'application/json')
        return problem(response, 415, 'Unsupported Media Type', 'application/json is expected');
      const body = JSON.parse(request.body) as unknown;
      const wrong = isGrantRequest(body) ? repeated(body) : JSON.stringify(isGrantRequest.errors);
      if (wrong !== undefined) return problem(response, 400, 'Bad Request', wrong);
      const grantRequest = body as GrantRequest;
      asked.push(grantRequest);
      const now = decision;
      if ('answer' in now) return now.answer(grantRequest, response);
      const newId = randomUUID();
      const location = `${server.url}/grant/v1/grants/${newId}`;
      if ('give' in now)
        return json(response, 201, grantOf(server.url, newId, grantRequest, now.give(grantRequest)), { location });
      undecided.set(newId, { request: grantRequest, more: now.later });
      response.writeHead(202, { location }).end();
    },
    { ...(tls === undefined ? {} : { tls }), ...(port === undefined ? {} : { port }) },
  );
  return {
    url: server.url,
    asked,
    looks: () => looks,
    decide: (next) => {
      decision = next;
      decided = false;
    },
    release: () => {
      decided = true;
    },
    close: () => server.close(),
  };
}

function repeated({ addResources = [], removeResources = [], updateResources = [] }: GrantRequest): string | undefined {
  const ids = [...addResources, ...removeResources, ...updateResources].map((definition) => definition.id);
  return new Set(ids).size === ids.length ? undefined : 'two resource definitions have the same id';
}

/** A grant of everything, with the test's additions. */
export function grantOf(nfvo: string, grantId: string, request: GrantRequest, more: Partial<Grant> = {}): Grant {
  const all = (list: readonly ResourceDefinition[] = []): GrantInfo[] =>
    list.map((definition) => ({ resourceDefinitionId: definition.id }));
  return {
    id: grantId,
    vnfInstanceId: request.vnfInstanceId,
    vnfLcmOpOccId: request.vnfLcmOpOccId,
    ...(request.addResources === undefined ? {} : { addResources: all(request.addResources) }),
    ...(request.removeResources === undefined ? {} : { removeResources: all(request.removeResources) }),
    ...(request.updateResources === undefined ? {} : { updateResources: all(request.updateResources) }),
    ...more,
    _links: { self: { href: `${nfvo}/grant/v1/grants/${grantId}` }, ...request._links },
  };
}

/** A ProblemDetails (RFC 7807). */
export const problem = (response: ServerResponse, status: number, title: string, detail: string): void =>
  json(response, status, { title, status, detail }, { 'content-type': 'application/problem+json' });

function json(response: ServerResponse, status: number, body: object, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}
