import { list, object, text } from './json-shapes.js';

/** {@link NodePortService}s of libs/mgmt-driver. */
export const nodePorts = list({
  type: 'object',
  required: ['namespace', 'name', 'ports'],
  properties: {
    namespace: text,
    name: text,
    ports: list({
      type: 'object',
      required: ['protocol'],
      properties: { nodePort: { type: 'integer', minimum: 1, maximum: 65_535 }, protocol: text },
    }),
  },
});

export const affectedVnfcs = list({
  type: 'object',
  required: ['changeType', 'vnfc'],
  properties: { changeType: { enum: ['ADDED', 'REMOVED', 'MODIFIED'] }, vnfc: object },
});

const ofSnapshots = { takenAt: text, master: text, ca: text } as const;

const restorableSnapshot = { type: 'object', required: ['takenAt', 'master', 'ca'], properties: ofSnapshots } as const;

const namedSnapshot = {
  type: 'object',
  required: ['id', 'sha256', 'takenAt', 'master', 'ca'],
  properties: { id: text, sha256: text, ...ofSnapshots },
} as const;

export const healedVnfcs = {
  type: 'object',
  required: ['vnfcIds', 'whole', 'recreates', 'cause', 'earlierResourceIds'],
  properties: {
    vnfcIds: list(text),
    whole: { type: 'boolean' },
    recreates: { type: 'boolean' },
    cause: { type: ['string', 'null'] },
    earlierResourceIds: { type: 'object', additionalProperties: { type: 'string' } },
  },
} as const;

/** {@link RequestedInstance} of libs/mgmt-driver: the instance as it is, before a request is accepted. */
export const requestedInstance = {
  type: 'object',
  required: ['vnfcs', 'sharedCps', 'affectedVnfcs'],
  properties: {
    vnfcs: list(object),
    sharedCps: list(object),
    affectedVnfcs,
    clusterUrl: text,
    heal: healedVnfcs,
    snapshot: restorableSnapshot,
    snapshots: list(namedSnapshot),
  },
} as const;
