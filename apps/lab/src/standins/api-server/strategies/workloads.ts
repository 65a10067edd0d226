import type { JsonObject } from '@windlass/foundation';
import { at, objectAt, sameJson } from '../../kube/object.js';
import { matchesSelector, type LabelSelector } from '../../kube/selectors.js';
import { defaultPodSpec, validatePodSpec } from './pods.js';
import { ensureObject, immutable, invalid, required, setDefault, type Cause, type Strategy } from './strategy.js';

function templateDefaults(object: JsonObject): JsonObject {
  const spec = ensureObject(object, 'spec');
  const template = objectAt(spec, 'template');
  if (template !== undefined) defaultPodSpec(ensureObject(template, 'spec'));
  return spec;
}

function validateWorkload(object: JsonObject): Cause[] {
  const selector = objectAt(object, 'spec', 'selector');
  const template = objectAt(object, 'spec', 'template');
  if (selector === undefined) return [required('spec.selector')];
  if (template === undefined) return [required('spec.template')];
  const labels = objectAt(template, 'metadata', 'labels') ?? {};
  const causes = validatePodSpec(objectAt(template, 'spec'), 'spec.template.spec');
  if (!matchesSelector(selector as unknown as LabelSelector, labels as Record<string, string>)) {
    causes.push(invalid('spec.template.metadata.labels', labels, '`selector` does not match template `labels`'));
  }
  const replicas = at(object, 'spec', 'replicas');
  if (replicas !== undefined && !(typeof replicas === 'number' && Number.isInteger(replicas) && replicas >= 0)) {
    causes.push(invalid('spec.replicas', replicas, 'must be greater than or equal to 0'));
  }
  return causes;
}

const fixedSelector = (next: JsonObject, old: JsonObject): Cause[] => {
  const [after, before] = [at(next, 'spec', 'selector'), at(old, 'spec', 'selector')];
  return sameJson(after, before) ? [] : [immutable('spec.selector', after)];
};

export const daemonSetStrategy: Strategy = {
  defaults(object) {
    const spec = templateDefaults(object);
    const strategy = ensureObject(spec, 'updateStrategy');
    setDefault(strategy, 'type', 'RollingUpdate');
    if (strategy.type === 'RollingUpdate') setDefault(strategy, 'rollingUpdate', { maxSurge: 0, maxUnavailable: 1 });
    setDefault(spec, 'revisionHistoryLimit', 10);
  },
  validate: validateWorkload,
  validateUpdate: fixedSelector,
  initialStatus: { currentNumberScheduled: 0, numberMisscheduled: 0, desiredNumberScheduled: 0, numberReady: 0 },
};

export const deploymentStrategy: Strategy = {
  defaults(object) {
    const spec = templateDefaults(object);
    setDefault(spec, 'replicas', 1);
    const strategy = ensureObject(spec, 'strategy');
    setDefault(strategy, 'type', 'RollingUpdate');
    if (strategy.type === 'RollingUpdate') setDefault(strategy, 'rollingUpdate', { maxUnavailable: '25%', maxSurge: '25%' });
    setDefault(spec, 'revisionHistoryLimit', 10);
    setDefault(spec, 'progressDeadlineSeconds', 600);
  },
  validate: validateWorkload,
  validateUpdate: fixedSelector,
  initialStatus: {},
};

export const replicaSetStrategy: Strategy = {
  defaults(object) {
    setDefault(templateDefaults(object), 'replicas', 1);
  },
  validate: validateWorkload,
  validateUpdate: fixedSelector,
  initialStatus: { replicas: 0 },
};

export const disruptionBudgetStrategy: Strategy = {
  initialStatus: { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 },
  validate(object) {
    const spec = objectAt(object, 'spec');
    if (spec?.minAvailable !== undefined && spec.maxUnavailable !== undefined) {
      return [invalid('spec', spec, 'minAvailable and maxUnavailable cannot be both set')];
    }
    return spec === undefined ? [required('spec')] : [];
  },
};
