import { shape, type OfMembers, type TypeOf } from '@windlass/foundation';
import { defineContract, message } from '../contracts/contract.js';
import { subjects } from '../contracts/subjects.js';
import { sealedBoxSchema } from '../sealing/sealed-box.js';
import { administrated } from './vim-administration.js';

const text = shape.text({ minLength: 1, maxLength: 255 });
const found = shape.integer({ minimum: 0 });
const size = shape.number({ minimum: 0 });

/** One request may name at most so many networks. */
export const MOST_NETWORKS = 200;

/** An answer lists at most so many subnets of a network. */
export const MOST_SUBNETS = 200;

/** One request may name at most so many prepared ports. */
export const MOST_PORTS = 200;

/** One request may ask for at most so many addresses. */
export const MOST_ADDRESSES = 200;

/** One request may name at most so many flavors, as many images, and as many networks of floating IPs. */
export const MOST_FLAVORS = 200;

const address = {
  /** The network, as `names` has it. */
  network: text,
  /** The address as Neutron writes it: IPv6 in its shortest form. */
  address: text,
};

/** An address that a port of a network may have. */
export type AskedAddress = OfMembers<typeof address>;

const askedNames = shape.list({ maxItems: MOST_FLAVORS, items: text });

const asked = {
  tenant: text,
  id: text,
  names: shape.list({ maxItems: MOST_NETWORKS, items: text }),
  /** Left out where no port is asked for: a registry of an older release knows no such member. */
  ports: shape.optional(shape.list({ maxItems: MOST_PORTS, items: text })),
  /** Left out by an asker of an older release, which gets no ids of ports either. */
  addresses: shape.optional(shape.list({ maxItems: MOST_ADDRESSES, items: shape.closed(address) })),
  /** Flavors of Nova by name or id. This member and the next two are left out where nothing of the kind is asked for. */
  flavors: shape.optional(askedNames),
  /** Images of Glance, by name or id. */
  images: shape.optional(askedNames),
  /** Networks that floating IPs come from, by name or id. */
  floating: shape.optional(askedNames),
  /** Those of `names` whose subnets are wanted. Left out where those of all are, as by an asker of an older release. */
  subnetsOf: shape.optional(shape.list({ maxItems: MOST_NETWORKS, items: text })),
  /** The sealed access of a VIM that is not registered; `id` is the id of its connection then. */
  described: shape.optional(sealedBoxSchema),
};

/** Which networks and prepared ports are looked for, by name or id, in which registered OpenStack. */
export type VimNetworksRequest = OfMembers<typeof asked>;

const subnet = shape.closed({
  id: text,
  name: shape.text({ maxLength: 255 }),
  /** The CIDR as Neutron has it: `10.0.0.0/24`, `fd00::/64`. */
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
  /** Of the one; none where it is not one, and where nobody wants them. */
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
  /** The addresses among those asked for that a port has which the VIM's user sees. */
  taken: shape.optional(shape.list({ maxItems: MOST_ADDRESSES, items: taken })),
  flavors: shape.optional(shape.list({ maxItems: MOST_FLAVORS, items: flavor })),
  /** Those that are there once. */
  images: shape.optional(shape.list({ maxItems: MOST_FLAVORS, items: image })),
  floating: shape.optional(shape.list({ maxItems: MOST_FLAVORS, items: floatingNetwork })),
  /** Why flavors, images and networks of floating IPs are not told although they were asked for. */
  unseen: shape.optional(shape.text({ maxLength: 1_000 })),
  /** Why the VIM that the asker has described can't be used; nothing else is told then. */
  refused: shape.optional(descriptionFault),
  /** Why the VIM did not answer, in words that hold no secret; null where it answered. */
  unanswered: shape.textOrNull({ maxLength: 1_000 }),
});

/** The VIM's answer. */
export type VimNetworksReply = TypeOf<typeof told>;

/** Asks an OpenStack, as its user, for networks and more that a request names. Nothing is changed there. */
export const vimNetworksContract = defineContract({
  name: 'vim.networks',
  subject: subjects.vim('networks'),
  request: message(shape.titled('Networks that are looked for', shape.closed({ ...asked, ...administrated }))),
  reply: message(shape.titled('Networks with their subnets, or why they are not known', told)),
});
