import type { JsonObject } from '@windlass/foundation';
import { defineContract } from '../contracts/contract.js';
import { sealedBoxSchema, type SealedBox } from '../sealing/sealed-box.js';
import { subjects } from '../contracts/subjects.js';
import { authoritySchema, type Administrated } from './vim-administration.js';

const draft = 'https://json-schema.org/draft/2020-12/schema';
const text = { type: 'string', minLength: 1, maxLength: 255 } as const;

/** Whose keys the VIM registry's are, among those that derive from the master key. */
export const VIM_REGISTRY_KEYS = 'vim-registry';

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

/** The schema of a {@link TrailedRequest}. */
export const trailedRequest = {
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
  request: TrailedRequest;
}

/** Binds a sealed VIM request to its verb and project. */
export const vimAad = (verb: 'register' | 'update' | 'look', tenant: string, id = ''): string =>
  `windlass vim ${verb} ${tenant} ${id}`;

/** Registers a VIM after its credentials were tried. With an id that is there already, the VIM of that id is answered. */
export const registerVimContract = defineContract<Administrated<SealedVimRequest>, VimView>({
  name: 'vim.register',
  subject: subjects.vim('register'),
  request: {
    $schema: draft,
    title: 'A VIM to be registered; a sealed VimRegistration',
    type: 'object',
    additionalProperties: false,
    required: ['tenant', 'sealed', 'request', 'authority'],
    properties: { tenant: text, sealed: sealedBoxSchema, request: trailedRequest, authority: authoritySchema },
  },
  reply: { $schema: draft, ...view },
});

export const updateVimContract = defineContract<Administrated<SealedVimRequest & { id: string }>, VimView>({
  name: 'vim.update',
  subject: subjects.vim('update'),
  request: {
    $schema: draft,
    title: 'A change of a VIM, sealed',
    type: 'object',
    additionalProperties: false,
    required: ['tenant', 'id', 'sealed', 'request', 'authority'],
    properties: { tenant: text, id: text, sealed: sealedBoxSchema, request: trailedRequest, authority: authoritySchema },
  },
  reply: { $schema: draft, ...view },
});

export interface VimListRequest {
  tenant: string;
  id?: string;
  name?: string;
}

export const listVimsContract = defineContract<Administrated<VimListRequest>, { vims: VimView[] }>({
  name: 'vim.list',
  subject: subjects.vim('list'),
  request: {
    $schema: draft,
    title: 'VIMs of a project',
    type: 'object',
    additionalProperties: false,
    required: ['tenant', 'authority'],
    properties: { tenant: text, id: text, name: text, authority: authoritySchema },
  },
  reply: { $schema: draft, type: 'object', required: ['vims'], properties: { vims: { type: 'array', items: view } } },
});

export interface VimRequest {
  tenant: string;
  id: string;
}

export const showVimContract = defineContract<Administrated<VimRequest>, VimView>({
  name: 'vim.show',
  subject: subjects.vim('show'),
  request: {
    $schema: draft,
    title: 'One VIM',
    type: 'object',
    additionalProperties: false,
    required: ['tenant', 'id', 'authority'],
    properties: { tenant: text, id: text, authority: authoritySchema },
  },
  reply: { $schema: draft, ...view },
});

/** Removes a VIM that nothing uses. One that is not there is an error: 404. */
export const deleteVimContract = defineContract<Administrated<VimRequest & { request: TrailedRequest }>, Record<string, never>>({
  name: 'vim.delete',
  subject: subjects.vim('delete'),
  request: {
    $schema: draft,
    title: 'A VIM to be removed',
    type: 'object',
    additionalProperties: false,
    required: ['tenant', 'id', 'request', 'authority'],
    properties: { tenant: text, id: text, request: trailedRequest, authority: authoritySchema },
  },
  reply: { $schema: draft, type: 'object' },
});
