import type { JsonObject } from '@windlass/foundation';
import { listAt, objectAt, stringAt } from '../kube/object.js';
import { groupVersionOf, R, type ResourceType } from '../kube/resources.js';
import { StatusError } from '../kube/status-error.js';
import type { Authenticator } from './authentication.js';
import type { Authorizer } from './authorization.js';
import type { Identity } from './identity.js';
import type { Attributes } from './rbac.js';

/** Answers the kinds that are questions: TokenReview, SelfSubjectReview, (Self)SubjectAccessReview. */
export function answerReview(
  type: ResourceType,
  question: JsonObject,
  asker: Identity,
  { authenticator, authorizer }: { authenticator: Authenticator; authorizer: Authorizer },
): JsonObject {
  if (question.kind !== type.kind || question.apiVersion !== groupVersionOf(type)) {
    throw StatusError.badRequest(`expected ${groupVersionOf(type)}, kind ${type.kind}`);
  }
  if (type === R.tokenreviews) return { ...question, status: reviewToken(question, authenticator) };
  if (type === R.selfsubjectreviews) return { ...question, status: { userInfo: userInfo(asker) } };
  const identity = type === R.selfsubjectaccessreviews ? asker : subjectOf(question);
  const allowed = authorizer.allows(identity, askedFor(question));
  return { ...question, status: { allowed, ...(allowed ? { reason: 'RBAC: allowed' } : {}) } };
}

function reviewToken(question: JsonObject, authenticator: Authenticator): JsonObject {
  const token = stringAt(question, 'spec', 'token') ?? '';
  const [audience] = listAt(question, 'spec', 'audiences');
  const identity =
    typeof audience === 'string' ? authenticator.identifyToken(token, audience) : authenticator.identifyToken(token);
  return identity === undefined
    ? { authenticated: false, error: 'invalid bearer token' }
    : { authenticated: true, user: userInfo(identity) };
}

const userInfo = ({ name, uid, groups }: Identity): JsonObject => ({
  username: name,
  groups: [...groups],
  ...(uid === undefined ? {} : { uid }),
});

function subjectOf(question: JsonObject): Identity {
  const name = stringAt(question, 'spec', 'user') ?? '';
  const groups = listAt(question, 'spec', 'groups').filter((group) => typeof group === 'string');
  if (name === '' && groups.length === 0) {
    throw StatusError.invalid('SubjectAccessReview', 'authorization.k8s.io', '', [
      { field: 'spec.user', message: 'Required value: at least one of user or group must be specified' },
    ]);
  }
  return { name, groups };
}

function askedFor(question: JsonObject): Attributes {
  const path = objectAt(question, 'spec', 'nonResourceAttributes');
  if (path !== undefined) return { kind: 'path', verb: stringAt(path, 'verb') ?? '', path: stringAt(path, 'path') ?? '' };
  const asked = objectAt(question, 'spec', 'resourceAttributes');
  if (asked === undefined) {
    throw StatusError.badRequest('exactly one of nonResourceAttributes or resourceAttributes must be specified');
  }
  const part = (member: string): string | undefined => stringAt(asked, member) || undefined;
  const [subresource, namespace, name] = [part('subresource'), part('namespace'), part('name')];
  return {
    kind: 'resource',
    verb: part('verb') ?? '',
    group: part('group') ?? '',
    resource: part('resource') ?? '',
    ...(subresource === undefined ? {} : { subresource }),
    ...(namespace === undefined ? {} : { namespace }),
    ...(name === undefined ? {} : { name }),
  };
}
