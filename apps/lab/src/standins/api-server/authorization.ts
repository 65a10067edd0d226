import { StatusError } from '../kube/status-error.js';
import { nodeNameOf, type Identity } from './identity.js';
import { nodeMay } from './node-authorizer.js';
import { Rbac, type Attributes, type PolicyObjects } from './rbac.js';
import type { RequestInfo } from './request-info.js';

/** `--authorization-mode=Node,RBAC`: the superuser group, then the node authorizer, then RBAC; whoever grants first. */
export class Authorizer {
  readonly rbac: Rbac;

  constructor(private readonly objects: PolicyObjects) {
    this.rbac = new Rbac(objects);
  }

  allows(identity: Identity, attributes: Attributes): boolean {
    if (identity.groups.includes('system:masters')) return true;
    const node = nodeNameOf(identity);
    if (node !== undefined && nodeMay(node, attributes, this.objects)) return true;
    return this.rbac.allows(identity, attributes);
  }

  /** @throws StatusError 403 with the real server's wording */
  check(identity: Identity, info: RequestInfo): void {
    const attributes = attributesOf(info);
    if (!this.allows(identity, attributes)) throw forbidden(identity, attributes);
  }
}

export function attributesOf(info: RequestInfo): Attributes {
  if (info.kind === 'path') return { kind: 'path', verb: info.verb, path: info.path };
  return {
    kind: 'resource',
    verb: info.verb,
    group: info.type.group,
    resource: info.type.plural,
    ...(info.subresource === undefined ? {} : { subresource: info.subresource }),
    ...(info.namespace === undefined ? {} : { namespace: info.namespace }),
    ...(info.name === undefined ? {} : { name: info.name }),
  };
}

function forbidden(identity: Identity, attributes: Attributes): StatusError {
  const user = `User "${identity.name}"`;
  if (attributes.kind === 'path') {
    return new StatusError(403, 'Forbidden', `forbidden: ${user} cannot ${attributes.verb} path "${attributes.path}"`);
  }
  const { group, resource, subresource, namespace, name, verb } = attributes;
  const asked = subresource === undefined ? resource : `${resource}/${subresource}`;
  const scope = namespace === undefined ? 'at the cluster scope' : `in the namespace "${namespace}"`;
  const why = `${user} cannot ${verb} resource "${asked}" in API group "${group}" ${scope}`;
  return StatusError.forbidden({ group, plural: resource }, name ?? '', why);
}
