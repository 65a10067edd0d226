import type { DriverDescription, HookContext, ValidateReply, ValidateRequest } from '@windlass/mgmt-driver';
import type { Plan } from '@windlass/saga';
import { defineContract, defineEvent, type Contract } from '../contracts/contract.js';
import { subjects } from '../subjects.js';

const draft = 'https://json-schema.org/draft/2020-12/schema';
const text = { type: 'string', minLength: 1, maxLength: 1024 } as const;
const object = { type: 'object' } as const;
const list = (items: object) => ({ type: 'array', items, maxItems: 10_000 }) as const;

const description = {
  type: 'object',
  required: ['driver', 'version', 'service', 'hooks', 'actions', 'parameters'],
  properties: {
    driver: text,
    version: text,
    service: text,
    hooks: list(text),
    actions: list({
      type: 'object',
      required: ['name', 'version'],
      properties: { name: text, version: { type: 'integer', minimum: 1 } },
    }),
    parameters: object,
  },
} as const;

const packageFile = {
  type: 'object',
  required: ['path', 'size', 'sha256', 'firstLine'],
  properties: { path: text, size: { type: 'integer', minimum: 0 }, sha256: text, firstLine: { type: 'string', maxLength: 200 } },
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
    normalised: object,
  },
} as const;

const healedVnfcs = {
  type: 'object',
  required: ['vnfcIds', 'whole', 'recreates', 'cause', 'earlierResourceIds'],
  properties: {
    vnfcIds: list(text),
    whole: { type: 'boolean' },
    recreates: { type: 'boolean' },
    cause: { type: ['string', 'null'] },
    earlierResourceIds: { type: 'object', additionalProperties: { type: 'string' } },
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
    affectedVnfcs: list({
      type: 'object',
      required: ['changeType', 'vnfc'],
      properties: { changeType: { enum: ['ADDED', 'REMOVED', 'MODIFIED'] }, vnfc: object },
    }),
    sharedCps: list(object),
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

/** What is asked of one management driver, by its name in VNFDs. */
export interface MgmtContracts {
  describe: Contract<Record<string, never>, DriverDescription>;
  validate: Contract<ValidateRequest, ValidateReply>;
  plan: Contract<HookContext, Plan>;
}

const made = new Map<string, MgmtContracts>();

/** The three subjects of a driver. */
export function mgmtContracts(driver: string): MgmtContracts {
  const known = made.get(driver);
  if (known !== undefined) return known;
  const contracts = contractsOf(driver);
  made.set(driver, contracts);
  return contracts;
}

function contractsOf(driver: string): MgmtContracts {
  return {
    describe: defineContract({
      name: 'mgmt.describe',
      subject: subjects.mgmt(driver, 'describe'),
      request: { $schema: draft, type: 'object' },
      reply: { $schema: draft, ...description },
    }),
    validate: defineContract({
      name: 'mgmt.validate',
      subject: subjects.mgmt(driver, 'validate'),
      request: validateRequest,
      reply: validateReply,
    }),
    plan: defineContract({ name: 'mgmt.plan', subject: subjects.mgmt(driver, 'plan'), request: hookContext, reply: plan }),
  };
}

/** A driver tells what it is when it starts, until somebody has kept it. */
export const announceContract = defineContract<DriverDescription, { kept: boolean }>({
  name: 'mgmt.announce',
  subject: 'windlass.mgmt.announce',
  request: { $schema: draft, title: 'A management driver says what it is', ...description },
  reply: {
    $schema: draft,
    title: 'Whether it is kept',
    type: 'object',
    required: ['kept'],
    properties: { kept: { type: 'boolean' } },
  },
});

/** What happened to an operation or a step; nothing depends on it. */
export const lifecycleEvent = defineEvent<Record<string, unknown>>({
  name: 'event.lifecycle',
  data: { $schema: draft, title: 'What happened', type: 'object' },
});
