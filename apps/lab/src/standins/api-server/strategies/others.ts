import type { JsonObject } from '@windlass/foundation';
import { at, listAt, objectAt, sameJson, stringAt, timestamp } from '../../kube/object.js';
import { immutable, invalid, required, unsupported, type Cause, type Strategy } from './strategy.js';

export const roleStrategy: Strategy = {
  names: 'path',
  validate: (role) =>
    listAt(role, 'rules').flatMap((rule, index) => {
      const causes: Cause[] = [];
      if (listAt(rule, 'verbs').length === 0)
        causes.push(required(`rules[${index}].verbs`, 'verbs must contain at least one value'));
      if (listAt(rule, 'nonResourceURLs').length > 0) return causes;
      if (listAt(rule, 'apiGroups').length === 0)
        causes.push(required(`rules[${index}].apiGroups`, 'resource rules must supply at least one api group'));
      if (listAt(rule, 'resources').length === 0)
        causes.push(required(`rules[${index}].resources`, 'resource rules must supply at least one resource'));
      return causes;
    }),
};

const RBAC_GROUP = 'rbac.authorization.k8s.io';

export const roleBindingStrategy: Strategy = {
  names: 'path',
  defaults(binding) {
    for (const subject of listAt(binding, 'subjects')) {
      if (typeof subject !== 'object' || subject === null || Array.isArray(subject)) continue;
      if (subject.apiGroup === undefined && subject.kind !== 'ServiceAccount') subject.apiGroup = RBAC_GROUP;
    }
  },
  validate(binding) {
    const causes: Cause[] = [];
    const kinds = binding.kind === 'ClusterRoleBinding' ? ['ClusterRole'] : ['Role', 'ClusterRole'];
    const kind = stringAt(binding, 'roleRef', 'kind') ?? '';
    if (stringAt(binding, 'roleRef', 'apiGroup') !== RBAC_GROUP)
      causes.push(unsupported('roleRef.apiGroup', at(binding, 'roleRef', 'apiGroup'), [RBAC_GROUP]));
    if (!kinds.includes(kind)) causes.push(unsupported('roleRef.kind', kind, kinds));
    if ((stringAt(binding, 'roleRef', 'name') ?? '') === '') causes.push(required('roleRef.name'));
    for (const [index, subject] of listAt(binding, 'subjects').entries()) {
      const subjectKind = stringAt(subject, 'kind') ?? '';
      const supported = ['ServiceAccount', 'User', 'Group'];
      if (!supported.includes(subjectKind)) causes.push(unsupported(`subjects[${index}].kind`, subjectKind, supported));
      if ((stringAt(subject, 'name') ?? '') === '') causes.push(required(`subjects[${index}].name`));
      if (subjectKind === 'ServiceAccount' && (stringAt(subject, 'namespace') ?? '') === '')
        causes.push(required(`subjects[${index}].namespace`));
    }
    return causes;
  },
  validateUpdate: (next, old) =>
    sameJson(next.roleRef, old.roleRef) ? [] : [invalid('roleRef', next.roleRef, 'cannot change roleRef')],
};

export const leaseStrategy: Strategy = {
  validate(lease) {
    const seconds = at(lease, 'spec', 'leaseDurationSeconds');
    return seconds === undefined || (typeof seconds === 'number' && seconds > 0)
      ? []
      : [invalid('spec.leaseDurationSeconds', seconds, 'must be greater than 0')];
  },
};

export const certificateRequestStrategy: Strategy = {
  names: 'path',
  initialStatus: {},
  validate(csr) {
    const causes: Cause[] = [];
    const pem = Buffer.from(stringAt(csr, 'spec', 'request') ?? '', 'base64').toString('utf8');
    if (!pem.includes('-----BEGIN CERTIFICATE REQUEST-----')) {
      causes.push(invalid('spec.request', '<PEM>', 'PEM block type must be CERTIFICATE REQUEST'));
    }
    if ((stringAt(csr, 'spec', 'signerName') ?? '') === '') causes.push(required('spec.signerName'));
    if (listAt(csr, 'spec', 'usages').length === 0) causes.push(required('spec.usages'));
    return causes;
  },
  validateUpdate: (next, old) => (sameJson(next.spec, old.spec) ? [] : [immutable('spec', '<spec>')]),
};

export const customResourceDefinitionStrategy: Strategy = {
  createsWithStatus: true,
  defaults(crd) {
    const now = timestamp();
    const names = objectAt(crd, 'spec', 'names') ?? {};
    const conditions = [
      { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts', message: 'no conflicts found', lastTransitionTime: now },
      {
        type: 'Established',
        status: 'False',
        reason: 'NotServed',
        message: 'the windlass-lab stand-in stores definitions, it does not serve custom resources',
        lastTransitionTime: now,
      },
    ];
    if (objectAt(crd, 'status') === undefined)
      crd.status = { conditions, acceptedNames: names, storedVersions: storedVersions(crd) };
  },
  validate(crd) {
    const causes: Cause[] = [];
    const [plural, group] = [stringAt(crd, 'spec', 'names', 'plural') ?? '', stringAt(crd, 'spec', 'group') ?? ''];
    if (plural === '') causes.push(required('spec.names.plural'));
    if ((stringAt(crd, 'spec', 'names', 'kind') ?? '') === '') causes.push(required('spec.names.kind'));
    if (group === '') causes.push(required('spec.group'));
    if (stringAt(crd, 'metadata', 'name') !== `${plural}.${group}`) {
      causes.push(invalid('metadata.name', stringAt(crd, 'metadata', 'name'), `must be spec.names.plural+"."+spec.group`));
    }
    const scopes = ['Cluster', 'Namespaced'];
    if (!scopes.includes(stringAt(crd, 'spec', 'scope') ?? ''))
      causes.push(unsupported('spec.scope', at(crd, 'spec', 'scope'), scopes));
    if (storedVersions(crd).length !== 1)
      causes.push(invalid('spec.versions', null, 'must have exactly one version marked as storage version'));
    return causes;
  },
};

const storedVersions = (crd: JsonObject): string[] =>
  listAt(crd, 'spec', 'versions')
    .filter((version) => at(version, 'storage') === true)
    .map((version) => stringAt(version, 'name') ?? '');

export const priorityClassStrategy: Strategy = {
  validate: (object) => (typeof object.value === 'number' ? [] : [required('value')]),
};
