import { shape, type TypeOf } from '@windlass/foundation';
import type { DriverDescription, HookContext, ValidateReply, ValidateRequest } from '@windlass/mgmt-driver';
import type { Plan } from '@windlass/saga';
import {
  dataRule,
  defineContract,
  defineEvent,
  message,
  type Contract,
  type DataRule,
  type JsonSchema,
} from '../contracts/contract.js';
import { errorSchema, type ErrorData } from '../envelope/error-envelope.js';
import { subjects, type DriverVerb } from '../contracts/subjects.js';
import { list, object, text } from './json-shapes.js';
import { packageFile } from './package-file.js';
import { affectedVnfcs, healedVnfcs, nodePorts, requestedInstance } from './requested-instance.js';

/** The version of the contract between Windlass and management drivers: who answers is proven. */
export const DRIVER_CONTRACT = 2;
/** What whoever has a driver of version 1 is told. */
export const REBUILD_DRIVER = 'rebuild the driver against contract version 2: docs/contracts/mgmt-driver.md';

const draft = 'https://json-schema.org/draft/2020-12/schema';
/** A token of a NATS subject. */
const name = { type: 'string', pattern: '^[A-Za-z0-9][A-Za-z0-9_-]*$', maxLength: 255 } as const;
const keyText = shape.text({ pattern: '^[A-Za-z0-9_-]{43}$' });

const size = { type: 'integer', minimum: 0 } as const;
const types = { enum: ['null', 'boolean', 'integer', 'number', 'string', 'array', 'object'] } as const;

/** The part of JSON Schema that says what an offered action takes: {@link InputSchema} of libs/saga. */
const inputSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    title: { type: 'string' },
    description: { type: 'string' },
    type: { anyOf: [types, { type: 'array', items: types, minItems: 1, maxItems: 7 }] },
    const: true,
    enum: { type: 'array', minItems: 1, maxItems: 1_000 },
    minimum: { type: 'number' },
    maximum: { type: 'number' },
    minLength: size,
    maxLength: size,
    items: { $ref: '#/$defs/inputSchema' },
    minItems: size,
    maxItems: size,
    required: { type: 'array', items: { type: 'string' }, maxItems: 1_000 },
    properties: { type: 'object', additionalProperties: { $ref: '#/$defs/inputSchema' } },
    additionalProperties: { anyOf: [{ type: 'boolean' }, { $ref: '#/$defs/inputSchema' }] },
  },
} as const;

const version = { type: 'integer', minimum: 1 } as const;

const description = {
  $defs: { inputSchema },
  type: 'object',
  required: ['contract', 'driver', 'version', 'service', 'hooks', 'actions', 'parameters'],
  properties: {
    contract: { const: 2 },
    driver: name,
    version: text,
    service: name,
    hooks: list(text),
    actions: list({
      type: 'object',
      required: ['name', 'version'],
      properties: { name: text, version },
    }),
    offers: {
      type: 'array',
      maxItems: 100,
      items: {
        type: 'object',
        required: ['name', 'version', 'input'],
        properties: { name: text, version, input: { $ref: '#/$defs/inputSchema' } },
      },
    },
    parameters: object,
    operationParameters: {
      type: 'object',
      additionalProperties: false,
      properties: {
        SCALE: object,
        SCALE_TO_LEVEL: object,
        HEAL: object,
        TERMINATE: object,
        OPERATE: object,
        CHANGE_EXT_CONN: object,
        MODIFY_INFO: object,
      },
    },
  },
} as const;

const validateRequest = {
  $schema: draft,
  title: 'A request is checked before it is accepted; secrets are masked',
  type: 'object',
  required: ['operation', 'vnfInstanceId', 'requestParams', 'instantiateParams', 'flavour', 'files'],
  properties: {
    operation: text,
    vnfInstanceId: text,
    requestParams: object,
    instantiateParams: object,
    flavour: object,
    files: list(packageFile),
    request: object,
    nodePorts,
    instance: requestedInstance,
    countsAfter: { type: 'object', additionalProperties: size },
  },
} as const;

const validateReply = {
  $schema: draft,
  title: 'What is wrong with it, or how it was understood',
  type: 'object',
  required: ['invalidParams', 'warnings', 'normalised'],
  properties: {
    invalidParams: list({
      type: 'object',
      required: ['path', 'reason'],
      properties: { path: { type: 'string' }, reason: { type: 'string' } },
    }),
    refusal: { type: 'object', required: ['code', 'detail'], properties: { code: text, detail: { type: 'string' } } },
    warnings: list({ type: 'string' }),
    vimNames: list({
      type: 'object',
      required: ['path', 'name'],
      properties: { path: { type: 'string' }, name: { type: 'string', maxLength: 255 } },
    }),
    ranges: list({
      type: 'object',
      required: ['name', 'cidr'],
      properties: { path: { type: 'string' }, name: { type: 'string', maxLength: 255 }, cidr: { type: 'string', maxLength: 64 } },
    }),
    ipv4Cps: list({ type: 'string', maxLength: 255 }),
    needs: list({ enum: ['compute-host'] }),
    looks: list({ enum: ['bound-volumes'] }),
    normalised: object,
  },
} as const;

const hookContext = {
  $schema: draft,
  title: 'A hook asks for its plan; secrets are masked',
  type: 'object',
  required: [
    'hook',
    'operationId',
    'tenant',
    'vnfInstanceId',
    'flavourId',
    'vnfPkgId',
    'instantiateParams',
    'requestParams',
    'request',
    'vnfcs',
    'affectedVnfcs',
    'sharedCps',
    'files',
  ],
  properties: {
    hook: text,
    operationId: text,
    tenant: text,
    vnfInstanceId: text,
    vnfInstanceName: text,
    flavourId: text,
    vnfPkgId: text,
    instantiateParams: object,
    requestParams: object,
    request: object,
    vnfcs: list(object),
    affectedVnfcs,
    sharedCps: list(object),
    volumes: list({
      type: 'object',
      required: ['name', 'resourceId', 'device', 'vnfcId'],
      properties: { name: text, resourceId: { type: 'string' }, device: { type: ['string', 'null'] }, vnfcId: text },
    }),
    clusterUrl: text,
    nodePorts,
    heal: healedVnfcs,
    files: list(packageFile),
  },
} as const;

const plan = {
  $schema: draft,
  title: 'The plan: a graph of steps',
  type: 'object',
  required: ['root'],
  properties: { root: object, common: object, madeBy: object },
} as const;

const driverRequest = message(
  shape.titled(
    'Asks a management driver; "ask" follows mgmt.<verb>.ask',
    shape.object({
      v: shape.constant(2),
      /** The asker's public key, base64url: the proof is for it. */
      askedBy: keyText,
      /** 32 random bytes, base64url, of this request alone. */
      nonce: keyText,
      ask: shape.anObject<object>(),
    }),
  ),
);

/** A request to a driver: what is asked, and what the answer is proven with. */
export type DriverRequest<Ask> = Omit<TypeOf<typeof driverRequest>, 'ask'> & { ask: Ask };

const provenAnswer = message(
  shape.titled(
    'A driver\'s answer with its proof; "body" is JSON that follows mgmt.<verb>.answer',
    shape.object({
      v: shape.constant(2),
      /** The thumbprint of the driver's enrolled key. */
      keyId: keyText,
      /** A {@link DriverAnswer} as JSON, exactly as it was proven. */
      body: shape.text(),
      mac: keyText,
    }),
  ),
);

/** A driver's answer, and that it is the driver's. */
export type ProvenAnswer = TypeOf<typeof provenAnswer>;

/** What the body of a proven answer holds. */
export type DriverAnswer<Reply> = { reply: Reply } | { error: ErrorData };

/** What is asked of a driver on one subject. As a contract it speaks of the messages; `ask` and `answer` are what they carry. */
export interface DriverContract<Ask, Reply> extends Contract<DriverRequest<Ask>, ProvenAnswer> {
  readonly verb: DriverVerb;
  readonly ask: DataRule<Ask>;
  readonly answer: DataRule<DriverAnswer<Reply>>;
}

/** What is asked of one management driver, by its name in VNFDs. */
export interface MgmtContracts {
  describe: DriverContract<Record<string, never>, DriverDescription>;
  validate: DriverContract<ValidateRequest, ValidateReply>;
  plan: DriverContract<HookContext, Plan>;
}

const made = new Map<string, MgmtContracts>();

/** The three subjects of a driver. */
export function mgmtContracts(driver: string): MgmtContracts {
  const known = made.get(driver);
  if (known !== undefined) return known;
  const contracts: MgmtContracts = {
    describe: driverContract(
      driver,
      'describe',
      { $schema: draft, title: 'Nothing but the question', type: 'object' },
      description,
    ),
    validate: driverContract(driver, 'validate', validateRequest, validateReply),
    plan: driverContract(driver, 'plan', hookContext, plan),
  };
  made.set(driver, contracts);
  return contracts;
}

/** Compiled once for all drivers: only the subject differs. */
const rules = new WeakMap<JsonSchema, DataRule<unknown>>();

function ruleOf<T>(schema: JsonSchema, of: (schema: JsonSchema) => JsonSchema): DataRule<T> {
  const known = rules.get(schema) ?? dataRule<unknown>(of(schema));
  rules.set(schema, known);
  return known as DataRule<T>;
}

function driverContract<Ask, Reply>(
  driver: string,
  verb: DriverVerb,
  ask: JsonSchema,
  reply: JsonSchema,
): DriverContract<Ask, Reply> {
  const messages = defineContract({
    name: `mgmt.${verb}`,
    subject: subjects.mgmt(driver, verb),
    request: shape.of<DriverRequest<Ask>>(driverRequest),
    reply: provenAnswer,
  });
  return { ...messages, verb, ask: ruleOf(ask, (schema) => schema), answer: ruleOf(reply, answerSchema) };
}

function answerSchema({ $schema: _draft, $defs, title, ...reply }: JsonSchema): JsonSchema {
  const { $schema: _same, ...error } = errorSchema;
  return {
    $schema: draft,
    title: `${typeof title === 'string' ? title : 'What a driver says of itself'}, or an error`,
    // References to them are from the top of the schema.
    ...($defs === undefined ? {} : { $defs }),
    type: 'object',
    oneOf: [
      { required: ['reply'], properties: { reply } },
      { required: ['error'], properties: { error } },
    ],
  };
}

const subjectToken = shape.text({ pattern: '^[A-Za-z0-9][A-Za-z0-9_-]*$', maxLength: 255 });
const announcementNumber = shape.integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER });

const announcement = shape.object({
  v: shape.optional(shape.integer()),
  driver: subjectToken,
  service: subjectToken,
  /** The thumbprint of the enrolled key of that service. */
  keyId: shape.optional(keyText),
  /** The core services' key that the proof is for, as they named it. */
  coreKey: shape.optional(keyText),
  /** As they named it: one more than that of the announcement which is kept. */
  number: shape.optional(announcementNumber),
  /** A {@link DriverDescription} as JSON, exactly as it was proven. */
  body: shape.optional(shape.text({ maxLength: 262_144 })),
  mac: shape.optional(keyText),
});

/**
 * What a driver's service says when it starts. Without a proof it only asks for what it needs to make one. The schema takes what drivers of
 * version 1 send, too: the answer to them is what to do.
 */
export type AnnounceMessage = Omit<TypeOf<typeof announcement>, 'v' | 'keyId'> & { v: 2; keyId: string };

const announceAnswer = shape.object({
  kept: shape.flag,
  /** Where it is not kept, as `number`: what the next try is to be made with. */
  coreKey: shape.optional(keyText),
  number: shape.optional(announcementNumber),
});

export type AnnounceAnswer = TypeOf<typeof announceAnswer>;

/** A driver tells what it is when it starts, until it is kept. Members of version 1 pass the schema and are refused with what to do. */
export const announceContract = defineContract({
  name: 'mgmt.announce',
  subject: 'windlass.mgmt.announce',
  request: message(
    shape.titled(
      'A management driver says what it is; "body" is JSON that follows mgmt.description',
      shape.of<AnnounceMessage>(announcement),
    ),
  ),
  reply: message(shape.titled('Whether it is kept, or what it must be proven with', announceAnswer)),
});

/** What a driver says of itself, in the body of an announcement. */
export const descriptionRule = dataRule<DriverDescription>({
  $schema: draft,
  title: 'What a management driver says of itself',
  ...description,
});

/** What happened to an operation or a step; nothing depends on it. */
export const lifecycleEvent = defineEvent<Record<string, unknown>>({
  name: 'event.lifecycle',
  data: { $schema: draft, title: 'What happened', type: 'object' },
});
