import { defineContract } from '../contracts/contract.js';
import { subjects } from '../subjects.js';
import { authoritySchema, type Administrated } from './vim-administration.js';

const draft = 'https://json-schema.org/draft/2020-12/schema';
const text = { type: 'string', minLength: 1, maxLength: 255 } as const;

/** The most networks that one request may name. */
export const MOST_NETWORKS = 200;

/** The most subnets of a network that are told. */
export const MOST_SUBNETS = 200;

/** The most prepared ports that one request may name. */
export const MOST_PORTS = 200;

/** Which networks and prepared ports are looked for, by name or id, in which registered OpenStack. */
export interface VimNetworksRequest {
  tenant: string;
  id: string;
  names: string[];
  /** Left out where there are none: a registry of an older release knows no such member. */
  ports?: string[];
}

/** A subnet that the VIM's user sees. */
export interface VimSubnet {
  id: string;
  name: string;
  /** As Neutron has it: `10.0.0.0/24`, `fd00::/64`. */
  cidr: string;
}

/** What the VIM's user sees of a name. */
export interface VimNetwork {
  /** As it was asked for. */
  name: string;
  /** How many networks it stands for: Heat takes one alone. */
  found: number;
  /** Of the one, where ports are asked for: their networks are compared with it. */
  id?: string;
  /** Of the one; none where it is not one. */
  subnets: VimSubnet[];
}

/** What the VIM's user sees of a port. */
export interface VimPort {
  /** As it was asked for. */
  name: string;
  /** How many ports it stands for: Heat takes one alone. */
  found: number;
  /** Of the one: its network. */
  networkId?: string;
  /** Of the one: whether a server or another device has it. */
  used?: boolean;
}

/** What the VIM says. */
export interface VimNetworksReply {
  /** One for each name, in their order; none where it said nothing. */
  networks: VimNetwork[];
  /** One for each port that was asked for, in their order. */
  ports?: VimPort[];
  /** Why it said nothing, in words that hold no secret; null where it did. */
  unanswered: string | null;
}

/** Asks a registered OpenStack, as its user, for networks that a request names. Nothing is changed there. */
export const vimNetworksContract = defineContract<Administrated<VimNetworksRequest>, VimNetworksReply>({
  name: 'vim.networks',
  subject: subjects.vim('networks'),
  request: {
    $schema: draft,
    title: 'Networks that are looked for',
    type: 'object',
    additionalProperties: false,
    required: ['tenant', 'id', 'names', 'authority'],
    properties: {
      tenant: text,
      id: text,
      names: { type: 'array', maxItems: MOST_NETWORKS, items: text },
      ports: { type: 'array', maxItems: MOST_PORTS, items: text },
      authority: authoritySchema,
    },
  },
  reply: {
    $schema: draft,
    title: 'Networks with their subnets, or why they are not known',
    type: 'object',
    additionalProperties: false,
    required: ['networks', 'unanswered'],
    properties: {
      networks: {
        type: 'array',
        maxItems: MOST_NETWORKS,
        items: {
          type: 'object',
          additionalProperties: false,
          required: ['name', 'found', 'subnets'],
          properties: {
            name: text,
            found: { type: 'integer', minimum: 0 },
            id: text,
            subnets: {
              type: 'array',
              maxItems: MOST_SUBNETS,
              items: {
                type: 'object',
                additionalProperties: false,
                required: ['id', 'name', 'cidr'],
                properties: { id: text, name: { type: 'string', maxLength: 255 }, cidr: text },
              },
            },
          },
        },
      },
      ports: {
        type: 'array',
        maxItems: MOST_PORTS,
        items: {
          type: 'object',
          additionalProperties: false,
          required: ['name', 'found'],
          properties: {
            name: text,
            found: { type: 'integer', minimum: 0 },
            networkId: text,
            used: { type: 'boolean' },
          },
        },
      },
      unanswered: { type: ['string', 'null'], maxLength: 1_000 },
    },
  },
});
