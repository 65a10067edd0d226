import type { JsonObject } from '@windlass/foundation';
import { dataRule, defineContract } from '../contracts/contract.js';
import { subjects } from '../contracts/subjects.js';
import { authoritySchema, type Administrated } from './vim-administration.js';

const draft = 'https://json-schema.org/draft/2020-12/schema';
const text = { type: 'string', minLength: 1, maxLength: 255 } as const;
const texts = { type: 'array', maxItems: 200, items: text } as const;
const count = { type: 'integer', minimum: 0, maximum: 1_000_000_000 } as const;
const port = { type: 'integer', minimum: 0, maximum: 65_535 } as const;
const flag = { type: 'boolean' } as const;

const object = (properties: Readonly<Record<string, object>>, optional: readonly string[] = []): JsonObject => {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', additionalProperties: false, required, properties: properties as JsonObject };
};
const list = (items: object, maxItems = 200) => ({ type: 'array', maxItems, items });

const rule = object(
  {
    direction: { enum: ['ingress', 'egress'] },
    ethertype: text,
    protocol: text,
    min: port,
    max: port,
    prefix: text,
    remoteGroup: text,
    addressGroup: text,
  },
  ['protocol', 'min', 'max', 'prefix', 'remoteGroup', 'addressGroup'],
);

const flow = object(
  {
    name: text,
    what: text,
    protocol: text,
    min: port,
    max: port,
    direction: { enum: ['ingress', 'egress'] },
    peer: { enum: ['nodes', 'outside'] },
    ports: texts,
    peers: texts,
    required: flag,
  },
  ['min', 'max'],
);

const image = object(
  {
    name: text,
    neededBy: texts,
    carried: flag,
    minDiskGiB: count,
    minRamMiB: count,
    checksum: object({ algorithm: text, hash: text }),
  },
  ['checksum'],
);

const server = object(
  {
    name: text,
    flavor: text,
    image: text,
    fromVolume: flag,
    now: count,
    most: count,
    least: object({ vcpus: count, ramMiB: count, diskGiB: count }),
  },
  ['flavor', 'image'],
);

const amounts = { type: 'object', maxProperties: 20, additionalProperties: count };

/** What a VNF needs of a VIM: `VimNeeds` of @windlass/openstack. Nothing that it does not have is let through. */
export const vimNeedsSchema = object({
  services: { type: 'array', maxItems: 5, items: { enum: ['orchestration', 'compute', 'network', 'image', 'volume'] } },
  resourceTypes: texts,
  networks: list(object({ name: text, of: texts, subnets: texts, addresses: texts, outward: flag }), 50),
  ports: list(
    object({ name: text, network: text, groups: texts, templateGroups: texts, portSecurity: flag, ownersAttributes: texts }, [
      'network',
      'groups',
    ]),
  ),
  onOneNetwork: list(object({ port: text, beside: text }), 50),
  groups: list(object({ name: text, rules: list(rule) }), 50),
  flows: list(flow, 50),
  images: list(image, 50),
  servers: list(server, 100),
  serverGroups: list(object({ name: text, policy: text, now: count, most: count }), 50),
  amounts: object({ now: amounts, most: amounts }),
  showHosts: flag,
  clockDifferenceMs: count,
  reachedFrom: { type: 'array', maxItems: 50, items: text },
});

/** The same as a rule, for who takes it from a stranger. */
export const vimNeedsRule = dataRule<JsonObject>(vimNeedsSchema);

/** What one check says: `Finding` of @windlass/openstack. */
export interface VimFinding {
  check: string;
  subject: string;
  status: 'ok' | 'note' | 'warning' | 'failed';
  says: string;
  todo?: string;
  command?: string;
}

export interface VimCheckRequest {
  tenant: string;
  id: string;
  needs: JsonObject;
}

/** Looks at a registered OpenStack as its user, and changes nothing there. */
export const checkVimContract = defineContract<Administrated<VimCheckRequest>, { findings: VimFinding[] }>({
  name: 'vim.check',
  subject: subjects.vim('check'),
  request: {
    $schema: draft,
    title: 'What a VNF needs, to be held against a VIM',
    type: 'object',
    additionalProperties: false,
    required: ['tenant', 'id', 'needs', 'authority'],
    properties: { tenant: text, id: text, needs: vimNeedsSchema, authority: authoritySchema },
  },
  reply: {
    $schema: draft,
    type: 'object',
    required: ['findings'],
    properties: {
      findings: {
        type: 'array',
        items: {
          type: 'object',
          required: ['check', 'subject', 'status', 'says'],
          properties: { status: { enum: ['ok', 'note', 'warning', 'failed'] } },
        },
      },
    },
  },
});
