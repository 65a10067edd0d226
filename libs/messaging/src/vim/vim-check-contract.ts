import { shape, type OfMembers, type TypeOf } from '@windlass/foundation';
import { dataRule, defineContract, message } from '../contracts/contract.js';
import { subjects } from '../contracts/subjects.js';
import { administrated } from './vim-administration.js';

const text = shape.text({ minLength: 1, maxLength: 255 });
const texts = shape.list({ maxItems: 200, items: text });
const count = shape.integer({ minimum: 0, maximum: 1_000_000_000 });
const port = shape.optional(shape.integer({ minimum: 0, maximum: 65_535 }));
const direction = shape.oneOf(['ingress', 'egress']);
const perhaps = shape.optional(text);

const rule = shape.closed({
  direction,
  ethertype: text,
  protocol: perhaps,
  min: port,
  max: port,
  prefix: perhaps,
  remoteGroup: perhaps,
  addressGroup: perhaps,
});

const flow = shape.closed({
  name: text,
  what: text,
  protocol: text,
  min: port,
  max: port,
  direction,
  peer: shape.oneOf(['nodes', 'outside']),
  ports: texts,
  peers: texts,
  required: shape.flag,
});

const image = shape.closed({
  name: text,
  neededBy: texts,
  carried: shape.flag,
  minDiskGiB: count,
  minRamMiB: count,
  checksum: shape.optional(shape.closed({ algorithm: text, hash: text })),
});

const server = shape.closed({
  name: text,
  flavor: perhaps,
  image: perhaps,
  fromVolume: shape.flag,
  now: count,
  most: count,
  least: shape.closed({ vcpus: count, ramMiB: count, diskGiB: count }),
});

const network = shape.closed({ name: text, of: texts, subnets: texts, addresses: texts, outward: shape.flag });

const neededPort = shape.closed({
  name: text,
  network: perhaps,
  groups: shape.optional(texts),
  templateGroups: texts,
  portSecurity: shape.flag,
  ownersAttributes: texts,
});

const amounts = shape.of<Record<string, number>>({ type: 'object', maxProperties: 20, additionalProperties: count });

/** What a VNF needs of a VIM: `VimNeeds` of @windlass/openstack. Further members are refused. */
export const vimNeedsSchema = shape.closed({
  services: shape.list({ maxItems: 5, items: shape.oneOf(['orchestration', 'compute', 'network', 'image', 'volume']) }),
  resourceTypes: texts,
  networks: shape.list({ maxItems: 50, items: network }),
  ports: shape.list({ maxItems: 200, items: neededPort }),
  onOneNetwork: shape.list({ maxItems: 50, items: shape.closed({ port: text, beside: text }) }),
  groups: shape.list({ maxItems: 50, items: shape.closed({ name: text, rules: shape.list({ maxItems: 200, items: rule }) }) }),
  flows: shape.list({ maxItems: 50, items: flow }),
  images: shape.list({ maxItems: 50, items: image }),
  servers: shape.list({ maxItems: 100, items: server }),
  serverGroups: shape.list({ maxItems: 50, items: shape.closed({ name: text, policy: text, now: count, most: count }) }),
  amounts: shape.closed({ now: amounts, most: amounts }),
  showHosts: shape.flag,
  clockDifferenceMs: count,
  reachedFrom: shape.list({ maxItems: 50, items: text }),
});

/** The same as a rule, for a service that takes needs from a stranger. */
export const vimNeedsRule = dataRule(vimNeedsSchema);

const finding = shape.object({
  check: shape.unchecked<string>(),
  subject: shape.unchecked<string>(),
  status: shape.oneOf(['ok', 'note', 'warning', 'failed']),
  says: shape.unchecked<string>(),
  todo: shape.optional(shape.unchecked<string>()),
  command: shape.optional(shape.unchecked<string>()),
});

/** The result of one check: `Finding` of @windlass/openstack. */
export type VimFinding = TypeOf<typeof finding>;

const asked = { tenant: text, id: text, needs: vimNeedsSchema };

export type VimCheckRequest = OfMembers<typeof asked>;

/** Checks a registered OpenStack as its user, and changes nothing there. */
export const checkVimContract = defineContract({
  name: 'vim.check',
  subject: subjects.vim('check'),
  request: message(shape.titled('What a VNF needs, to be held against a VIM', shape.closed({ ...asked, ...administrated }))),
  reply: message(shape.object({ findings: shape.list({ items: finding }) })),
});
