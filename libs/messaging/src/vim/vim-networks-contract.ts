import { defineContract } from '../contracts/contract.js';
import { subjects } from '../contracts/subjects.js';
import { sealedBoxSchema, type SealedBox } from '../sealing/sealed-box.js';
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

/** The most flavors, and images, and networks of floating IPs, that one request may name. */
export const MOST_FLAVORS = 200;

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
  /** Flavors of Nova by name or id, as the three that follow; each is left out where there are none. */
  flavors?: string[];
  /** Images of Glance. */
  images?: string[];
  /** Networks that floating IPs come from. */
  floating?: string[];
  /** A VIM that is not registered: its access, sealed; `id` is the id of its connection then. */
  described?: SealedBox;
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

/** A flavor that was asked for. */
export interface VimFlavor {
  /** As it was asked for. */
  name: string;
  /** Absent where the project has no such flavor. */
  has?: { diskGiB: number; ramMiB: number };
}

/** What an image asks of flavors. */
export interface VimImage {
  /** As it was asked for. */
  name: string;
  minDiskGiB: number;
  minRamMiB: number;
}

/** A network that floating IPs are to come from. */
export interface FloatingNetwork {
  /** As it was asked for. */
  name: string;
  found: number;
  /** Of the one: whether Neutron gives floating IPs from it. */
  external?: boolean;
}

/** Why a described VIM can't be used as it is described. */
export interface DescriptionFault {
  /** Below its connection: `accessInfo/region`. */
  member: 'interfaceInfo/endpoint' | 'accessInfo' | 'accessInfo/region';
  /** In words that hold no secret. */
  reason: string;
}

/** What the VIM says. */
export interface VimNetworksReply {
  /** One for each name, in their order; none where it said nothing. */
  networks: VimNetwork[];
  /** One for each port that was asked for, in their order. */
  ports?: VimPort[];
  /** Those of the addresses that a port has which the VIM's user sees. */
  taken?: TakenAddress[];
  flavors?: VimFlavor[];
  /** Those that are there once. */
  images?: VimImage[];
  floating?: FloatingNetwork[];
  /** Why flavors, images and networks of floating IPs are not told although they were asked for. */
  unseen?: string;
  /** Of a VIM that the asker has described; nothing else is told then. */
  refused?: DescriptionFault;
  /** Why it said nothing, in words that hold no secret; null where it did. */
  unanswered: string | null;
}

const askedAddress = {
  type: 'object',
  additionalProperties: false,
  required: ['network', 'address'],
  properties: { network: text, address: text },
} as const;

const askedNames = { type: 'array', maxItems: MOST_FLAVORS, items: text } as const;
const size = { type: 'number', minimum: 0 } as const;
const told = (required: readonly string[], properties: Record<string, object>): object => ({
  type: 'array',
  maxItems: MOST_FLAVORS,
  items: {
    type: 'object',
    additionalProperties: false,
    required: ['name', ...required],
    properties: { name: text, ...properties },
  },
});

/** Asks an OpenStack, as its user, for networks and more that a request names. Nothing is changed there. */
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
      flavors: askedNames,
      images: askedNames,
      floating: askedNames,
      described: sealedBoxSchema,
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
      flavors: told([], {
        has: {
          type: 'object',
          additionalProperties: false,
          required: ['diskGiB', 'ramMiB'],
          properties: { diskGiB: size, ramMiB: size },
        },
      }),
      images: told(['minDiskGiB', 'minRamMiB'], { minDiskGiB: size, minRamMiB: size }),
      floating: told(['found'], { found: { type: 'integer', minimum: 0 }, external: { type: 'boolean' } }),
      unseen: { type: 'string', maxLength: 1_000 },
      refused: {
        type: 'object',
        additionalProperties: false,
        required: ['member', 'reason'],
        properties: {
          member: { enum: ['interfaceInfo/endpoint', 'accessInfo', 'accessInfo/region'] },
          reason: { type: 'string', minLength: 1, maxLength: 1_000 },
        },
      },
      unanswered: { type: ['string', 'null'], maxLength: 1_000 },
    },
  },
});
