import type { InputSchema } from '@windlass/saga';

// What offered actions take, in the part of JSON Schema that plans are compared with. Plans come from strangers, so everything is bounded.

const name: InputSchema = { type: 'string', minLength: 1, maxLength: 255 };
const secret: InputSchema = { type: ['string', 'number'] };

/** A path on a machine or in a package. */
export const path: InputSchema = { type: 'string', minLength: 1, maxLength: 1_024 };

/** An IPv4 address or a name of a host. */
export const hostName: InputSchema = { type: 'string', minLength: 1, maxLength: 253 };

const machineMembers = {
  name,
  vnfc: { type: 'object' },
  sshCp: name,
  username: name,
  password: secret,
  private_key: { type: 'string' },
  passphrase: secret,
} satisfies Record<string, InputSchema>;

const MACHINE_REQUIRED = ['name', 'vnfc', 'sshCp', 'username'];

/** A `MachineInput`. */
export const machine: InputSchema = {
  type: 'object',
  required: MACHINE_REQUIRED,
  properties: machineMembers,
  additionalProperties: false,
};

/** The masters of a cluster, each a `MasterInput`. */
export const masters: InputSchema = {
  type: 'array',
  minItems: 1,
  maxItems: 100,
  items: {
    type: 'object',
    required: [...MACHINE_REQUIRED, 'address'],
    properties: { ...machineMembers, address: hostName },
    additionalProperties: false,
  },
};

/** A `PackageFileRef`. */
export const packageFile: InputSchema = {
  type: 'object',
  required: ['vnfPkgId', 'path', 'size', 'sha256'],
  properties: { vnfPkgId: name, path, size: { type: 'integer', minimum: 0 }, sha256: name },
  additionalProperties: false,
};

/** Proxies as URLs; user and password may stand in them. */
export const proxy: InputSchema = {
  type: 'object',
  properties: { http_proxy: { type: 'string' }, https_proxy: { type: 'string' }, no_proxy: { type: 'string' } },
  additionalProperties: false,
};

/** An object of these members and those that every step on hosts has; nothing else. */
export const input = (required: Record<string, InputSchema>, optional: Record<string, InputSchema> = {}): InputSchema => ({
  type: 'object',
  required: ['instance', ...Object.keys(required)],
  properties: {
    instance: name,
    firstBootWithinMs: { type: 'integer', minimum: 1, maximum: 86_400_000 },
    ...required,
    ...optional,
  },
  additionalProperties: false,
});
