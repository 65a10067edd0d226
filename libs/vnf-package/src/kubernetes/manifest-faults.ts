import { isJsonObject, type Json, type JsonObject } from '@windlass/foundation';

/** What is wrong with an object: the field, as Kubernetes writes it (`spec.ports[0].port`), and what was expected. */
export interface FieldFault {
  field: string;
  reason: string;
}

/** What Windlass writes into every object that it makes, and nobody else. */
const RESERVED = 'windlass/';

const DNS_LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const DNS_NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const LABEL_VALUE = /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/;
const API_VERSION = /^([a-z0-9]([-a-z0-9.]*[a-z0-9])?\/)?v[a-z0-9]+$/;
const KIND = /^[A-Z][A-Za-z0-9]*$/;

/** Kinds whose names may be any part of a path. */
const FREELY_NAMED = /^(Cluster)?Role(Binding)?$/;

/** Kinds that make pods from a template. */
export const TEMPLATED: ReadonlySet<string> = new Set([
  'Deployment',
  'ReplicaSet',
  'StatefulSet',
  'DaemonSet',
  'Job',
  'ReplicationController',
]);

/** Kinds whose pods are as many as their `spec.replicas` says. */
export const REPLICATED: ReadonlySet<string> = new Set(['Deployment', 'ReplicaSet', 'StatefulSet']);

/** Looks at one object, and writes down what is wrong with it. */
class Looker {
  readonly faults: FieldFault[] = [];

  constructor(readonly object: JsonObject) {}

  wrong(field: string, reason: string): void {
    this.faults.push({ field, reason });
  }

  /** The value of a field that must be an object, where it is there. */
  objectAt(field: string, value: Json | undefined, needed = true): JsonObject | undefined {
    if (isJsonObject(value)) return value;
    if (value === undefined || value === null) {
      if (needed) this.wrong(field, 'missing');
    } else this.wrong(field, `expected an object, it is ${told(value)}`);
    return undefined;
  }

  listAt(field: string, value: Json | undefined, needed = true): Json[] {
    if (Array.isArray(value)) {
      if (needed && value.length === 0) this.wrong(field, 'expected one entry at least');
      return value;
    }
    if (value === undefined || value === null) {
      if (needed) this.wrong(field, 'missing');
    } else this.wrong(field, `expected a list, it is ${told(value)}`);
    return [];
  }

  textAt(field: string, value: Json | undefined, needed = true): string | undefined {
    if (typeof value === 'string' && value !== '') return value;
    if (value === undefined || value === null || value === '') {
      if (needed) this.wrong(field, 'missing');
    } else this.wrong(field, `expected a text, it is ${told(value)}`);
    return undefined;
  }

  /** A map whose values are texts. What stands there instead may be a secret, and is not repeated. */
  textsAt(field: string, value: Json | undefined): Record<string, string> {
    const map = this.objectAt(field, value, false) ?? {};
    for (const [key, each] of Object.entries(map)) if (typeof each !== 'string') this.wrong(`${field}.${key}`, NO_TEXT);
    return map as Record<string, string>;
  }

  countAt(field: string, value: Json | undefined, least = 0, most = 2 ** 31 - 1): void {
    if (value === undefined || value === null) return;
    if (typeof value !== 'number' || !Number.isInteger(value) || value < least || value > most)
      this.wrong(field, `expected a whole number from ${least}${most < 2 ** 31 - 1 ? ` to ${most}` : ''}, it is ${told(value)}`);
  }
}

const NO_TEXT = 'expected a text: put it into quotes';

const told = (value: Json): string =>
  isJsonObject(value) ? 'an object' : Array.isArray(value) ? 'a list' : JSON.stringify(value);

/** Everything that can be known to be wrong with an object without asking a cluster. */
export function faultsIn(object: JsonObject): FieldFault[] {
  const look = new Looker(object);
  const version = look.textAt('apiVersion', object.apiVersion);
  if (version !== undefined && !API_VERSION.test(version))
    look.wrong('apiVersion', `"${version}" is no version of an API: v1 or apps/v1 say`);
  const kind = look.textAt('kind', object.kind) ?? '';
  if (kind !== '' && !KIND.test(kind)) look.wrong('kind', `"${kind}" is no kind: Deployment say`);
  metadataFaults(look, kind);
  const spec = isJsonObject(object.spec) ? object.spec : undefined;
  if (TEMPLATED.has(kind)) workloadFaults(look, kind, look.objectAt('spec', object.spec));
  else if (kind === 'Pod') podFaults(look, 'spec', look.objectAt('spec', object.spec));
  else if (kind === 'Service') serviceFaults(look, look.objectAt('spec', object.spec));
  else if (kind === 'PersistentVolumeClaim') claimFaults(look, 'spec', look.objectAt('spec', object.spec));
  else if (kind === 'CronJob') cronFaults(look, spec);
  else if (kind === 'ConfigMap') look.textsAt('data', object.data);
  else if (kind === 'Secret') secretFaults(look);
  return look.faults;
}

function metadataFaults(look: Looker, kind: string): void {
  const metadata = look.objectAt('metadata', look.object.metadata);
  if (metadata === undefined) return;
  if (metadata.generateName !== undefined)
    look.wrong('metadata.generateName', 'a name that the cluster makes up is found by nobody again: give metadata.name');
  const name = look.textAt('metadata.name', metadata.name);
  if (name !== undefined && !FREELY_NAMED.test(kind) && (name.length > 253 || !DNS_NAME.test(name)))
    look.wrong('metadata.name', `"${name}" is no name: small letters, digits, "-" and "." (RFC 1123)`);
  const namespace = look.textAt('metadata.namespace', metadata.namespace, false);
  if (namespace !== undefined && (namespace.length > 63 || !DNS_LABEL.test(namespace)))
    look.wrong('metadata.namespace', `"${namespace}" is no namespace: small letters, digits and "-", 63 at most`);
  labelFaults(look, 'metadata.labels', metadata.labels);
  for (const key of Object.keys(look.textsAt('metadata.annotations', metadata.annotations)))
    reservedFaults(look, 'metadata.annotations', key);
}

function labelFaults(look: Looker, field: string, labels: Json | undefined): Record<string, string> {
  const found = look.textsAt(field, labels);
  for (const [key, value] of Object.entries(found)) {
    reservedFaults(look, field, key);
    if (typeof value === 'string' && (value.length > 63 || !LABEL_VALUE.test(value)))
      look.wrong(`${field}.${key}`, `"${value}" is no value of a label: letters, digits, "-", "_" and ".", 63 at most`);
  }
  return found;
}

function reservedFaults(look: Looker, field: string, key: string): void {
  if (key.startsWith(RESERVED)) look.wrong(`${field}.${key}`, `names that begin with ${RESERVED} are Windlass's own`);
}

function workloadFaults(look: Looker, kind: string, spec: JsonObject | undefined): void {
  if (spec === undefined) return;
  look.countAt('spec.replicas', spec.replicas);
  const template = look.objectAt('spec.template', spec.template);
  if (template === undefined) return;
  const metadata = look.objectAt('spec.template.metadata', template.metadata, kind !== 'Job') ?? {};
  const labels = labelFaults(look, 'spec.template.metadata.labels', metadata.labels);
  if (kind === 'ReplicationController') look.textsAt('spec.selector', spec.selector);
  else if (kind !== 'Job') selectorFaults(look, look.objectAt('spec.selector', spec.selector), labels);
  podFaults(look, 'spec.template.spec', look.objectAt('spec.template.spec', template.spec));
  const restarts = isJsonObject(template.spec) ? template.spec.restartPolicy : undefined;
  if (kind === 'Job' && restarts !== 'Never' && restarts !== 'OnFailure')
    look.wrong('spec.template.spec.restartPolicy', 'expected Never or OnFailure');
  if (kind !== 'StatefulSet') return;
  for (const [index, claim] of look.listAt('spec.volumeClaimTemplates', spec.volumeClaimTemplates, false).entries()) {
    const field = `spec.volumeClaimTemplates[${index}]`;
    const object = look.objectAt(field, claim);
    if (object !== undefined) claimFaults(look, `${field}.spec`, look.objectAt(`${field}.spec`, object.spec));
  }
}

function selectorFaults(look: Looker, selector: JsonObject | undefined, labels: Record<string, string>): void {
  if (selector === undefined) return;
  const wanted = labelFaults(look, 'spec.selector.matchLabels', selector.matchLabels);
  if (
    Object.keys(wanted).length === 0 &&
    look.listAt('spec.selector.matchExpressions', selector.matchExpressions, false).length === 0
  )
    look.wrong('spec.selector', 'expected a label at least');
  for (const [key, value] of Object.entries(wanted)) {
    if (labels[key] === value) continue;
    const has = labels[key] === undefined ? 'has none' : `has "${labels[key]}"`;
    look.wrong(`spec.selector.matchLabels.${key}`, `"${value}" is wanted, and spec.template.metadata.labels ${has}`);
  }
}

function podFaults(look: Looker, field: string, spec: JsonObject | undefined): void {
  if (spec === undefined) return;
  const names = new Set<string>();
  for (const list of ['initContainers', 'containers'] as const) {
    for (const [index, value] of look.listAt(`${field}.${list}`, spec[list], list === 'containers').entries()) {
      const at = `${field}.${list}[${index}]`;
      const container = look.objectAt(at, value);
      if (container === undefined) continue;
      const name = look.textAt(`${at}.name`, container.name);
      if (name !== undefined && names.has(name)) look.wrong(`${at}.name`, `"${name}" is the name of another container`);
      if (name !== undefined) names.add(name);
      look.textAt(`${at}.image`, container.image);
      for (const [n, port] of look.listAt(`${at}.ports`, container.ports, false).entries()) {
        const found = look.objectAt(`${at}.ports[${n}]`, port);
        if (found !== undefined) look.countAt(`${at}.ports[${n}].containerPort`, found.containerPort, 1, 65_535);
      }
      for (const [n, variable] of look.listAt(`${at}.env`, container.env, false).entries()) {
        const found = look.objectAt(`${at}.env[${n}]`, variable);
        if (found?.value !== undefined && found.value !== null && typeof found.value !== 'string')
          look.wrong(`${at}.env[${n}].value`, NO_TEXT);
      }
    }
  }
}

function serviceFaults(look: Looker, spec: JsonObject | undefined): void {
  if (spec === undefined) return;
  const isHeadlessOrOutside = spec.type === 'ExternalName' || spec.clusterIP === 'None';
  for (const [index, value] of look.listAt('spec.ports', spec.ports, !isHeadlessOrOutside).entries()) {
    const field = `spec.ports[${index}]`;
    const port = look.objectAt(field, value);
    if (port === undefined) continue;
    if (port.port === undefined) look.wrong(`${field}.port`, 'missing');
    look.countAt(`${field}.port`, port.port, 1, 65_535);
    look.countAt(`${field}.nodePort`, port.nodePort, 0, 65_535);
  }
  look.textsAt('spec.selector', spec.selector);
}

function claimFaults(look: Looker, field: string, spec: JsonObject | undefined): void {
  if (spec === undefined) return;
  look.listAt(`${field}.accessModes`, spec.accessModes);
  const resources = look.objectAt(`${field}.resources`, spec.resources);
  const requests = resources === undefined ? undefined : look.objectAt(`${field}.resources.requests`, resources.requests);
  if (requests !== undefined && requests.storage === undefined) look.wrong(`${field}.resources.requests.storage`, 'missing');
}

function cronFaults(look: Looker, spec: JsonObject | undefined): void {
  look.textAt('spec.schedule', spec?.schedule);
  look.objectAt('spec.jobTemplate', spec?.jobTemplate);
}

function secretFaults(look: Looker): void {
  look.textsAt('stringData', look.object.stringData);
  for (const [key, value] of Object.entries(look.textsAt('data', look.object.data))) {
    // What it is instead is a secret.
    if (typeof value === 'string' && !/^[A-Za-z0-9+/\s]*={0,2}$/.test(value.trimEnd()))
      look.wrong(`data.${key}`, 'expected base64');
  }
}
