import { shape, type OfMembers, type TypeOf } from '@windlass/foundation';
import { defineContract, message } from '../contracts/contract.js';
import { subjects } from '../contracts/subjects.js';
import { sealedBoxSchema } from '../sealing/sealed-box.js';
import { administrated } from './vim-administration.js';

const text = shape.text({ minLength: 1, maxLength: 255 });
const found = shape.integer({ minimum: 0 });
const size = shape.number({ minimum: 0 });

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

const address = {
  /** As `names` has it. */
  network: text,
  /** As Neutron writes it: IPv6 in its shortest form. */
  address: text,
};

/** An address that a port of a network may have. */
export type AskedAddress = OfMembers<typeof address>;

const askedNames = shape.list({ maxItems: MOST_FLAVORS, items: text });

const asked = {
  tenant: text,
  id: text,
  names: shape.list({ maxItems: MOST_NETWORKS, items: text }),
  /** Left out where there are none: a registry of an older release knows no such member. */
  ports: shape.optional(shape.list({ maxItems: MOST_PORTS, items: text })),
  /** Left out by who knows no such member: it gets no ids of ports either. */
  addresses: shape.optional(shape.list({ maxItems: MOST_ADDRESSES, items: shape.closed(address) })),
  /** Flavors of Nova by name or id, as the three that follow; each is left out where there are none. */
  flavors: shape.optional(askedNames),
  /** Images of Glance. */
  images: shape.optional(askedNames),
  /** Networks that floating IPs come from. */
  floating: shape.optional(askedNames),
  /** A VIM that is not registered: its access, sealed; `id` is the id of its connection then. */
  described: shape.optional(sealedBoxSchema),
};

/** Which networks and prepared ports are looked for, by name or id, in which registered OpenStack. */
export type VimNetworksRequest = OfMembers<typeof asked>;

const subnet = shape.closed({
  id: text,
  name: shape.text({ maxLength: 255 }),
  /** As Neutron has it: `10.0.0.0/24`, `fd00::/64`. */
  cidr: text,
});

/** A subnet that the VIM's user sees. */
export type VimSubnet = TypeOf<typeof subnet>;

const network = shape.closed({
  /** As it was asked for. */
  name: text,
  /** How many networks it stands for: Heat takes one alone. */
  found,
  /** Of the one, where ports are asked for: their networks are compared with it. */
  id: shape.optional(text),
  /** Of the one; none where it is not one. */
  subnets: shape.list({ maxItems: MOST_SUBNETS, items: subnet }),
});

/** What the VIM's user sees of a name. */
export type VimNetwork = TypeOf<typeof network>;

const port = shape.closed({
  /** As it was asked for. */
  name: text,
  /** How many ports it stands for: Heat takes one alone. */
  found,
  /** Of the one: its network. */
  networkId: shape.optional(text),
  /** Of the one: whether a server or another device has it. */
  used: shape.optional(shape.flag),
  /** Of the one, where addresses are asked for, too. */
  id: shape.optional(text),
  /** Of the one that is used: by which. */
  device: shape.optional(text),
});

/** What the VIM's user sees of a port. */
export type VimPort = TypeOf<typeof port>;

const taken = shape.closed({
  ...address,
  /** Neutron's id of the port. */
  port: text,
  /** The server or other device that has the port; left out where none does. */
  device: shape.optional(text),
});

/** A port that has an address which was asked for. */
export type TakenAddress = TypeOf<typeof taken>;

const flavor = shape.closed({
  /** As it was asked for. */
  name: text,
  /** Absent where the project has no such flavor. */
  has: shape.optional(shape.closed({ diskGiB: size, ramMiB: size })),
});

/** A flavor that was asked for. */
export type VimFlavor = TypeOf<typeof flavor>;

const image = shape.closed({
  /** As it was asked for. */
  name: text,
  minDiskGiB: size,
  minRamMiB: size,
});

/** What an image asks of flavors. */
export type VimImage = TypeOf<typeof image>;

const floatingNetwork = shape.closed({
  /** As it was asked for. */
  name: text,
  found,
  /** Of the one: whether Neutron gives floating IPs from it. */
  external: shape.optional(shape.flag),
});

/** A network that floating IPs are to come from. */
export type FloatingNetwork = TypeOf<typeof floatingNetwork>;

const descriptionFault = shape.closed({
  /** Below its connection: `accessInfo/region`. */
  member: shape.oneOf(['interfaceInfo/endpoint', 'accessInfo', 'accessInfo/region']),
  /** In words that hold no secret. */
  reason: shape.text({ minLength: 1, maxLength: 1_000 }),
});

/** Why a described VIM can't be used as it is described. */
export type DescriptionFault = TypeOf<typeof descriptionFault>;

const told = shape.closed({
  /** One for each name, in their order; none where it said nothing. */
  networks: shape.list({ maxItems: MOST_NETWORKS, items: network }),
  /** One for each port that was asked for, in their order. */
  ports: shape.optional(shape.list({ maxItems: MOST_PORTS, items: port })),
  /** Those of the addresses that a port has which the VIM's user sees. */
  taken: shape.optional(shape.list({ maxItems: MOST_ADDRESSES, items: taken })),
  flavors: shape.optional(shape.list({ maxItems: MOST_FLAVORS, items: flavor })),
  /** Those that are there once. */
  images: shape.optional(shape.list({ maxItems: MOST_FLAVORS, items: image })),
  floating: shape.optional(shape.list({ maxItems: MOST_FLAVORS, items: floatingNetwork })),
  /** Why flavors, images and networks of floating IPs are not told although they were asked for. */
  unseen: shape.optional(shape.text({ maxLength: 1_000 })),
  /** Of a VIM that the asker has described; nothing else is told then. */
  refused: shape.optional(descriptionFault),
  /** Why it said nothing, in words that hold no secret; null where it did. */
  unanswered: shape.textOrNull({ maxLength: 1_000 }),
});

/** What the VIM says. */
export type VimNetworksReply = TypeOf<typeof told>;

/** Asks an OpenStack, as its user, for networks and more that a request names. Nothing is changed there. */
export const vimNetworksContract = defineContract({
  name: 'vim.networks',
  subject: subjects.vim('networks'),
  request: message(shape.titled('Networks that are looked for', shape.closed({ ...asked, ...administrated }))),
  reply: message(shape.titled('Networks with their subnets, or why they are not known', told)),
});
