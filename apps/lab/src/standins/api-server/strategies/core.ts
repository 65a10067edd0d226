import type { JsonObject } from '@windlass/foundation';
import { at, listAt, objectAt, sameJson, stringAt } from '../../kube/object.js';
import {
  ensureObject,
  forbiddenField,
  immutable,
  invalid,
  required,
  setDefault,
  unsupported,
  type Cause,
  type Strategy,
} from './strategy.js';

const DATA_KEY = /^[-._a-zA-Z0-9]+$/;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

const badKeys = (object: JsonObject, member: string): Cause[] =>
  Object.keys(objectAt(object, member) ?? {})
    .filter((key) => !DATA_KEY.test(key))
    .map((key) =>
      invalid(`${member}[${key}]`, key, "a valid config key must consist of alphanumeric characters, '-', '_' or '.'"),
    );

export const secretStrategy: Strategy = {
  defaults(secret) {
    setDefault(secret, 'type', 'Opaque');
    const plain = objectAt(secret, 'stringData');
    if (plain === undefined) return;
    const data = ensureObject(secret, 'data');
    for (const [key, value] of Object.entries(plain))
      data[key] = Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64');
    delete secret.stringData;
  },
  validate(secret) {
    const causes = badKeys(secret, 'data');
    for (const [key, value] of Object.entries(objectAt(secret, 'data') ?? {})) {
      if (typeof value !== 'string' || !BASE64.test(value.replaceAll(/\s/g, '')))
        causes.push(invalid(`data[${key}]`, '<redacted>', 'illegal base64 data'));
    }
    const account = stringAt(secret, 'metadata', 'annotations', 'kubernetes.io/service-account.name') ?? '';
    if (secret.type === 'kubernetes.io/service-account-token' && account === '') {
      causes.push(required('metadata.annotations[kubernetes.io/service-account.name]'));
    }
    return causes;
  },
  validateUpdate: (next, old) => [...(next.type === old.type ? [] : [immutable('type', next.type)]), ...frozen(next, old)],
};

/** `immutable: true` of secrets and config maps. */
const frozen = (next: JsonObject, old: JsonObject): Cause[] =>
  old.immutable === true && !(sameJson(next.data, old.data) && next.immutable === true)
    ? [forbiddenField('data', 'field is immutable when `immutable` is set')]
    : [];

export const configMapStrategy: Strategy = {
  validate: (map) => [...badKeys(map, 'data'), ...badKeys(map, 'binaryData')],
  validateUpdate: frozen,
};

export const namespaceStrategy: Strategy = {
  names: 'label',
  initialStatus: { phase: 'Active' },
  defaults(namespace) {
    setDefault(ensureObject(namespace, 'spec'), 'finalizers', ['kubernetes']);
    const metadata = ensureObject(namespace, 'metadata');
    const name = metadata.name;
    if (typeof name === 'string') ensureObject(metadata, 'labels')['kubernetes.io/metadata.name'] = name;
  },
};

export const nodeStrategy: Strategy = {
  createsWithStatus: true,
  defaults: (node) => void ensureObject(node, 'spec'),
  validate: (node) =>
    listAt(node, 'spec', 'taints').flatMap((taint, index) => {
      const effect = stringAt(taint, 'effect') ?? '';
      const effects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];
      const key = stringAt(taint, 'key') ?? '';
      return [
        ...(key === '' ? [required(`spec.taints[${index}].key`)] : []),
        ...(effects.includes(effect) ? [] : [unsupported(`spec.taints[${index}].effect`, effect, effects)]),
      ];
    }),
  validateUpdate(next, old) {
    const [after, before] = [at(next, 'spec', 'podCIDR'), at(old, 'spec', 'podCIDR')];
    return before === undefined || before === '' || before === after
      ? []
      : [forbiddenField('spec', 'node updates may not change podCIDR except from "" to valid')];
  },
};

const SERVICE_TYPES = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];

export const serviceStrategy: Strategy = {
  names: 'label',
  initialStatus: { loadBalancer: {} },
  defaults(service) {
    const spec = ensureObject(service, 'spec');
    setDefault(spec, 'type', 'ClusterIP');
    setDefault(spec, 'sessionAffinity', 'None');
    for (const port of listAt(spec, 'ports')) {
      if (typeof port !== 'object' || port === null || Array.isArray(port)) continue;
      setDefault(port, 'protocol', 'TCP');
      setDefault(port, 'targetPort', port.port ?? 0);
    }
  },
  validate(service) {
    const type = stringAt(service, 'spec', 'type') ?? '';
    const ports = listAt(service, 'spec', 'ports');
    const causes: Cause[] = SERVICE_TYPES.includes(type) ? [] : [unsupported('spec.type', type, SERVICE_TYPES)];
    const headless = stringAt(service, 'spec', 'clusterIP') === 'None' || type === 'ExternalName';
    if (ports.length === 0 && !headless) causes.push(required('spec.ports'));
    for (const [index, port] of ports.entries()) {
      const number = at(port, 'port');
      const good = typeof number === 'number' && Number.isInteger(number) && number >= 1 && number <= 65_535;
      if (!good) causes.push(invalid(`spec.ports[${index}].port`, number, 'must be between 1 and 65535, inclusive'));
      if (ports.length > 1 && (stringAt(port, 'name') ?? '') === '') causes.push(required(`spec.ports[${index}].name`));
    }
    return causes;
  },
  validateUpdate(next, old) {
    const [after, before] = [at(next, 'spec', 'clusterIP'), at(old, 'spec', 'clusterIP')];
    return before === undefined || after === before ? [] : [immutable('spec.clusterIPs[0]', after)];
  },
};
