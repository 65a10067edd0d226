import { shape, type JsonObject, type OfMembers, type TypeOf } from '@windlass/foundation';
import { defineContract, message } from '../contracts/contract.js';
import { subjects } from '../contracts/subjects.js';
import { sealedBoxSchema } from '../sealing/sealed-box.js';
import { administrated } from './vim-administration.js';

const text = shape.text({ minLength: 1, maxLength: 255 });

/** The name by which the VIM registry's keys derive from the master key. */
export const VIM_REGISTRY_KEYS = 'vim-registry';

const view = shape.object({
  id: text,
  name: text,
  description: shape.optional(shape.unchecked<string>()),
  type: shape.oneOf(['openstack', 'kubernetes']),
  tenant_id: shape.unchecked<string>(),
  auth_url: shape.unchecked<string>(),
  auth_cred: shape.optional(shape.unchecked<JsonObject>()),
  vim_project: shape.optional(shape.unchecked<JsonObject>()),
  placement_attr: shape.optional(shape.unchecked<{ regions: string[] }>()),
  is_default: shape.unchecked<boolean>(),
  status: shape.unchecked<string>(),
  extra: shape.optional(shape.unchecked<JsonObject>()),
  created_at: shape.optional(shape.unchecked<string>()),
  updated_at: shape.optional(shape.unchecked<string | null>()),
});

/** A VIM as `/v1.0/vims` shows it (spec: lcm-api section 7); credentials masked. The registry sends all of its members. */
export type VimView = Required<TypeOf<typeof view>>;

const vimView = shape.of<VimView>(view);

/** What a VIM is registered with. It is sent sealed: it holds credentials. */
export interface VimRegistration {
  /** The id, chosen by the caller where a repeated request must not register a second VIM. */
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

const trailedRequest = shape.titled(
  'The REST request behind the change, for its entry of the audit trail',
  shape.closed({
    requestId: shape.text({ format: 'uuid' }),
    actor: shape.textOrNull(),
    roles: shape.list({ items: text }),
    remoteAddress: shape.textOrNull(),
    method: text,
    /** The path, without its query. */
    resource: shape.text({ maxLength: 500 }),
    /** The status of the answer where the change succeeds. */
    status: shape.integer({ minimum: 200, maximum: 299 }),
  }),
);

/** The REST request behind a change: the registry writes its entry of the audit trail in the transaction of the change. */
export type TrailedRequest = TypeOf<typeof trailedRequest>;

/** The member that each request for a change has. */
export const trailed = { request: trailedRequest };

const sealedRequest = { sealed: sealedBoxSchema, ...trailed };

export type SealedVimRequest = OfMembers<typeof sealedRequest> & { tenant: string };

/** Binds a sealed VIM request to its verb and project. */
export const vimAad = (verb: 'register' | 'update' | 'look', tenant: string, id = ''): string =>
  `windlass vim ${verb} ${tenant} ${id}`;

/** Registers a VIM after its credentials were tried. Where the id is registered already, the VIM of that id is answered. */
export const registerVimContract = defineContract({
  name: 'vim.register',
  subject: subjects.vim('register'),
  request: message(
    shape.titled(
      'A VIM to be registered; a sealed VimRegistration',
      shape.closed({ tenant: text, ...sealedRequest, ...administrated }),
    ),
  ),
  reply: message(vimView),
});

export const updateVimContract = defineContract({
  name: 'vim.update',
  subject: subjects.vim('update'),
  request: message(
    shape.titled('A change of a VIM, sealed', shape.closed({ tenant: text, id: text, ...sealedRequest, ...administrated })),
  ),
  reply: message(vimView),
});

const ofProject = { tenant: text, id: shape.optional(text), name: shape.optional(text) };

export type VimListRequest = OfMembers<typeof ofProject>;

export const listVimsContract = defineContract({
  name: 'vim.list',
  subject: subjects.vim('list'),
  request: message(shape.titled('VIMs of a project', shape.closed({ ...ofProject, ...administrated }))),
  reply: message(shape.object({ vims: shape.list({ items: vimView }) })),
});

const oneVim = { tenant: text, id: text };

export type VimRequest = OfMembers<typeof oneVim>;

export const showVimContract = defineContract({
  name: 'vim.show',
  subject: subjects.vim('show'),
  request: message(shape.titled('One VIM', shape.closed({ ...oneVim, ...administrated }))),
  reply: message(vimView),
});

/** Removes a VIM that nothing uses. A VIM that is not registered is an error: 404. */
export const deleteVimContract = defineContract({
  name: 'vim.delete',
  subject: subjects.vim('delete'),
  request: message(shape.titled('A VIM to be removed', shape.closed({ ...oneVim, ...trailed, ...administrated }))),
  reply: message(shape.anObject<Record<string, never>>()),
});
