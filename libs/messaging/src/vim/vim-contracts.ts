import type { JsonObject } from '@windlass/foundation';
import { defineContract } from '../contracts/contract.js';
import { sealedBoxSchema, type SealedBox } from '../sealing/sealed-box.js';
import { subjects } from '../subjects.js';

const draft = 'https://json-schema.org/draft/2020-12/schema';
const text = { type: 'string', minLength: 1, maxLength: 255 } as const;

/** A VIM as `/v1.0/vims` shows it (spec: lcm-api section 7); credentials masked. */
export interface VimView {
  id: string;
  name: string;
  description: string;
  type: 'openstack' | 'kubernetes';
  tenant_id: string;
  auth_url: string;
  auth_cred: JsonObject;
  vim_project: JsonObject;
  placement_attr: { regions: string[] };
  is_default: boolean;
  status: string;
  extra: JsonObject;
  created_at: string;
  updated_at: string | null;
}

const view = {
  type: 'object',
  required: ['id', 'name', 'type', 'tenant_id', 'auth_url', 'is_default', 'status'],
  properties: { id: text, name: text, type: { enum: ['openstack', 'kubernetes'] } },
} as const;

/** What a VIM is registered with. Goes sealed: it holds credentials. */
export interface VimRegistration {
  /** Chosen by the caller where a repeated request must not make a second one. */
  id?: string;
  name: string;
  description?: string;
  type: 'openstack' | 'kubernetes';
  auth_url: string;
  auth_cred: JsonObject;
  vim_project?: JsonObject;
  is_default?: boolean;
  extra?: JsonObject;
}

/** The registry's public key: what registrations and changes are sealed to. */
export const vimKeyContract = defineContract<Record<string, never>, { publicKey: string }>({
  name: 'vim.key',
  subject: subjects.vim('key'),
  request: { $schema: draft, title: 'Which key to seal to', type: 'object', additionalProperties: false },
  reply: { $schema: draft, type: 'object', required: ['publicKey'], properties: { publicKey: text } },
});

/** The REST request behind a change: the registry writes its entry of the audit trail in the transaction of the change. */
export interface TrailedRequest {
  requestId: string;
  actor: string | null;
  roles: string[];
  remoteAddress: string | null;
  method: string;
  /** The path, without its query. */
  resource: string;
  /** How it is answered when nothing speaks against it. */
  status: number;
}

const trailedRequest = {
  title: 'The REST request behind the change, for its entry of the audit trail',
  type: 'object',
  additionalProperties: false,
  required: ['requestId', 'actor', 'roles', 'remoteAddress', 'method', 'resource', 'status'],
  properties: {
    requestId: { type: 'string', format: 'uuid' },
    actor: { type: ['string', 'null'] },
    roles: { type: 'array', items: text },
    remoteAddress: { type: ['string', 'null'] },
    method: text,
    resource: { type: 'string', maxLength: 500 },
    status: { type: 'integer', minimum: 200, maximum: 299 },
  },
} as const;

export interface SealedVimRequest {
  tenant: string;
  sealed: SealedBox;
  /** Absent where no REST request stands behind it: a step of an operation. */
  request?: TrailedRequest;
}

/** Binds a sealed VIM request to its verb and project. */
export const vimAad = (verb: 'register' | 'update', tenant: string, id = ''): string => `windlass vim ${verb} ${tenant} ${id}`;

/** Registers a VIM after its credentials were tried. With an id that is there already, the same registration is answered. */
export const registerVimContract = defineContract<SealedVimRequest, VimView>({
  name: 'vim.register',
  subject: subjects.vim('register'),
  request: {
    $schema: draft,
    title: 'A VIM to be registered; a sealed VimRegistration',
    type: 'object',
    additionalProperties: false,
    required: ['tenant', 'sealed'],
    properties: { tenant: text, sealed: sealedBoxSchema, request: trailedRequest },
  },
  reply: { $schema: draft, ...view },
});

export const updateVimContract = defineContract<SealedVimRequest & { id: string }, VimView>({
  name: 'vim.update',
  subject: subjects.vim('update'),
  request: {
    $schema: draft,
    title: 'A change of a VIM, sealed',
    type: 'object',
    additionalProperties: false,
    required: ['tenant', 'id', 'sealed'],
    properties: { tenant: text, id: text, sealed: sealedBoxSchema, request: trailedRequest },
  },
  reply: { $schema: draft, ...view },
});

export interface VimListRequest {
  tenant: string;
  id?: string;
  name?: string;
}

export const listVimsContract = defineContract<VimListRequest, { vims: VimView[] }>({
  name: 'vim.list',
  subject: subjects.vim('list'),
  request: {
    $schema: draft,
    title: 'VIMs of a project',
    type: 'object',
    additionalProperties: false,
    required: ['tenant'],
    properties: { tenant: text, id: text, name: text },
  },
  reply: { $schema: draft, type: 'object', required: ['vims'], properties: { vims: { type: 'array', items: view } } },
});

export interface VimRequest {
  tenant: string;
  id: string;
}

const request = (title: string) =>
  ({
    $schema: draft,
    title,
    type: 'object',
    additionalProperties: false,
    required: ['tenant', 'id'],
    properties: { tenant: text, id: text },
  }) as const;

export const showVimContract = defineContract<VimRequest, VimView>({
  name: 'vim.show',
  subject: subjects.vim('show'),
  request: request('One VIM'),
  reply: { $schema: draft, ...view },
});

/** Removes a VIM that nothing uses. One that is not there is an error: 404. */
export const deleteVimContract = defineContract<VimRequest & { request?: TrailedRequest }, Record<string, never>>({
  name: 'vim.delete',
  subject: subjects.vim('delete'),
  request: {
    ...request('A VIM to be removed'),
    properties: { tenant: text, id: text, request: trailedRequest },
  },
  reply: { $schema: draft, type: 'object' },
});

/** What uses a VIM: instances whose resources lie in it, or whose operation works on it. */
export const vimUsersContract = defineContract<VimRequest, { vnfInstanceIds: string[] }>({
  name: 'vim.users',
  subject: subjects.vim('users'),
  request: request('What uses a VIM'),
  reply: {
    $schema: draft,
    type: 'object',
    required: ['vnfInstanceIds'],
    properties: { vnfInstanceIds: { type: 'array', items: text } },
  },
});

export interface HostKeyRequest {
  /** Identity of the machine: `computeResource.resourceId`. */
  resourceId: string;
  /** Pinned where none is yet. Type and base64, as in a known_hosts file. */
  key?: string;
}

/** Reads a machine's pinned host key, or pins it on first sight; of two that race, the first stands. */
export const hostKeyContract = defineContract<HostKeyRequest, { key?: string }>({
  name: 'vim.host-key',
  subject: subjects.vim('host-key'),
  request: {
    $schema: draft,
    title: 'The host key of a machine, to be read or pinned',
    type: 'object',
    additionalProperties: false,
    required: ['resourceId'],
    properties: { resourceId: text, key: { type: 'string', minLength: 1, maxLength: 16_384 } },
  },
  reply: { $schema: draft, title: 'The key that is pinned now', type: 'object', properties: { key: { type: 'string' } } },
});
