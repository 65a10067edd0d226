import { ALL_RESOURCES, type ResourceType } from '../kube/resources.js';
import { hasSubresource } from '../kube/resources.js';
import { StatusError } from '../kube/status-error.js';

/** What a request asks for, as authorization and the handlers see it. */
export type RequestInfo = ResourceRequest | PathRequest;

export interface ResourceRequest {
  kind: 'resource';
  /** Kubernetes' verb, such as `list`, `deletecollection`. */
  verb: string;
  type: ResourceType;
  namespace: string | undefined;
  name: string | undefined;
  subresource: string | undefined;
  query: URLSearchParams;
}

/** A request that names no resource: `/version`, `/apis`, `/healthz`. */
export interface PathRequest {
  kind: 'path';
  verb: string;
  path: string;
  query: URLSearchParams;
}

const METHODS: Record<string, string> = {
  GET: 'get',
  HEAD: 'get',
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};

/**
 * Reads a request line.
 * @throws StatusError 404 where nothing is served, 405 for a method that the resource does not have.
 */
export function requestInfo(method: string, url: string): RequestInfo {
  const { pathname, searchParams } = new URL(url, 'https://kubernetes');
  const parts = pathname.split('/').filter((part) => part !== '');
  const verb = METHODS[method];
  if (verb === undefined) throw StatusError.methodNotAllowed();
  const rest = resourceParts(parts);
  if (rest === undefined) return { kind: 'path', verb: method.toLowerCase(), path: pathname, query: searchParams };
  return resourceRequest(verb, rest, searchParams);
}

interface Parts {
  group: string;
  version: string;
  path: string[];
}

/** The parts behind `/api/v1/` or `/apis/<group>/<version>/`; undefined for discovery and other paths. */
function resourceParts(parts: string[]): Parts | undefined {
  const decoded = parts.map((part) => decodeURIComponent(part));
  if (decoded[0] === 'api' && decoded.length > 2) {
    return { group: '', version: decoded[1] ?? '', path: decoded.slice(2) };
  }
  if (decoded[0] === 'apis' && decoded.length > 3) {
    return { group: decoded[1] ?? '', version: decoded[2] ?? '', path: decoded.slice(3) };
  }
  return undefined;
}

function resourceRequest(method: string, { group, version, path }: Parts, query: URLSearchParams): ResourceRequest {
  const find = (plural: string | undefined): ResourceType | undefined =>
    ALL_RESOURCES.find((type) => type.group === group && type.version === version && type.plural === plural);
  const inNamespace = path[0] === 'namespaces' && path.length > 2 && find(path[2])?.namespaced === true;
  const namespace = inNamespace ? path[1] : undefined;
  const [plural, name, subresource, ...more] = inNamespace ? path.slice(2) : path;
  const type = find(plural);
  if (type === undefined || more.length > 0) throw StatusError.noSuchPath();
  if (subresource !== undefined && !hasSubresource(type, subresource)) throw StatusError.noSuchPath();
  // A namespaced object has no path without its namespace; only lists over all namespaces do.
  if (type.namespaced && namespace === undefined && (name !== undefined || method !== 'get')) throw StatusError.noSuchPath();
  const verb = verbOf(method, name, query);
  const served = subresource === undefined ? type.verbs : (type.subresources.find((s) => s.name === subresource)?.verbs ?? []);
  if (!served.includes(verb)) throw StatusError.methodNotAllowed();
  // The authorizer sees a namespace itself as an object inside it, as the real one does.
  const scope = type.plural === 'namespaces' && type.group === '' ? name : namespace;
  return { kind: 'resource', verb, type, namespace: scope, name, subresource, query };
}

function verbOf(method: string, name: string | undefined, query: URLSearchParams): string {
  if (method === 'delete') return name === undefined ? 'deletecollection' : 'delete';
  if (method !== 'get') {
    if (method === 'create' || name !== undefined) return method;
    throw StatusError.methodNotAllowed();
  }
  const watch = query.get('watch');
  if (watch !== null && watch !== 'false' && watch !== '0') return 'watch';
  return name === undefined ? 'list' : 'get';
}
