import { shape, type Shape, type TypeOf } from '@windlass/foundation';
import {
  driverDescription,
  hookContext,
  validateReply,
  validateRequest,
  type DriverDescription,
  type HookContext,
  type ValidateReply,
  type ValidateRequest,
} from '@windlass/mgmt-driver';
import type { InputSchema, Plan } from '@windlass/saga';
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

/** The version of the contract between Windlass and management drivers: who answers is proven. */
export const DRIVER_CONTRACT = 2;
/** What whoever has a driver of version 1 is told. */
export const REBUILD_DRIVER = 'rebuild the driver against contract version 2: docs/contracts/mgmt-driver.md';

const draft = 'https://json-schema.org/draft/2020-12/schema';
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
  } satisfies Record<keyof InputSchema, unknown>,
} as const;

const description: JsonSchema = { $defs: { inputSchema }, ...driverDescription };

const nothing = shape.of<Record<string, never>>({ type: 'object' });

/** What of a {@link Plan} is checked before the plan is read: bounds look at the rest. */
const plan: Shape<Plan> = shape.object({
  root: shape.anObject<Plan['root']>(),
  common: shape.optional(shape.anObject<NonNullable<Plan['common']>>()),
  madeBy: shape.optional(shape.anObject<NonNullable<Plan['madeBy']>>()),
});

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

const asks = {
  describe: message(shape.titled('Nothing but the question', nothing)),
  validate: message(shape.titled('A request is checked before it is accepted; secrets are masked', validateRequest)),
  plan: message(shape.titled('A hook asks for its plan; secrets are masked', hookContext)),
};
const replies = {
  describe: description,
  validate: message(shape.titled('What is wrong with it, or how it was understood', validateReply)),
  plan: message(shape.titled('The plan: a graph of steps', plan)),
};

const made = new Map<string, MgmtContracts>();

/** The three subjects of a driver. */
export function mgmtContracts(driver: string): MgmtContracts {
  const known = made.get(driver);
  if (known !== undefined) return known;
  const contracts: MgmtContracts = {
    describe: driverContract(driver, 'describe', asks.describe, replies.describe),
    validate: driverContract(driver, 'validate', asks.validate, replies.validate),
    plan: driverContract(driver, 'plan', asks.plan, replies.plan),
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
