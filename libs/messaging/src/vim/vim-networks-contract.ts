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

/** The most addresses of one request that are looked for. */
export const MOST_ADDRESSES = 200;

/** An address that a port of a network may have. */
export interface AskedAddress {
  /** As `names` has it. */
  network: string;
  /** As Neutron writes it: IPv6 in its shortest form. */
  address: string;
}

/** Which networks and prepared ports are looked for, by name or id, in which registered OpenStack. */
export interface VimNetworksRequest {
  tenant: string;
  id: string;
  names: string[];
  /** Left out where there are none: a registry of an older release knows no such member. */
  ports?: string[];
  /** Left out by who knows no such member: it gets no ids of ports either. */
  addresses?: AskedAddress[];
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
  /** Of the one, where addresses are asked for, too. */
  id?: string;
  /** Of the one that is used: by which. */
  device?: string;
}

/** A port that has an address which was asked for. */
export interface TakenAddress extends AskedAddress {
  /** Neutron's id of the port. */
  port: string;
  /** The server or other device that has the port; left out where none does. */
  device?: string;
}

/** What the VIM says. */
export interface VimNetworksReply {
  /** One for each name, in their order; none where it said nothing. */
  networks: VimNetwork[];
  /** One for each port that was asked for, in their order. */
  ports?: VimPort[];
  /** Those of the addresses that a port has which the VIM's user sees. */
  taken?: TakenAddress[];
  /** Why it said nothing, in words that hold no secret; null where it did. */
  unanswered: string | null;
}

const askedAddress = {
  type: 'object',
  additionalProperties: false,
  required: ['network', 'address'],
  properties: { network: text, address: text },
} as const;

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
      addresses: { type: 'array', maxItems: MOST_ADDRESSES, items: askedAddress },
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
            id: text,
            device: text,
          },
        },
      },
      taken: {
        type: 'array',
        maxItems: MOST_ADDRESSES,
        items: {
          ...askedAddress,
          required: ['network', 'address', 'port'],
          properties: { ...askedAddress.properties, port: text, device: text },
        },
      },
      unanswered: { type: ['string', 'null'], maxLength: 1_000 },
    },
  },
});
