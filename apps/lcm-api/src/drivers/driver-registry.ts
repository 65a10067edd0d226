import { Ajv2020 } from 'ajv/dist/2020.js';
import {
  masked,
  mergePatch,
  RequestError,
  seconds,
  TransientError,
  type InvalidParam,
  type Json,
  type JsonObject,
} from '@windlass/foundation';
import type { DriverDescription, ValidateReply, ValidateRequest } from '@windlass/mgmt-driver';
import { mgmtContracts, type RequestClient } from '@windlass/messaging';
import { rowsOf } from '@windlass/persistence';
import { secretPathsOf, type SecretPaths } from '@windlass/sol003';
import type { DataSource } from 'typeorm';

/** What is known of management drivers: each tells it when it starts, and it stays known while the driver is down. */
export class DriverRegistry {
  constructor(
    private readonly database: DataSource,
    private readonly client: RequestClient,
  ) {}

  /** The description last told by a driver of that name. */
  async find(name: string): Promise<DriverDescription | undefined> {
    const [row] = await rowsOf<{ description: DriverDescription }>(
      this.database.manager,
      'SELECT description FROM lcm.driver WHERE name = $1',
      [name],
    );
    return row?.description;
  }

  /** Keeps what a driver says of itself. */
  async keep(description: DriverDescription): Promise<void> {
    await this.database.query(
      `INSERT INTO lcm.driver (name, description) VALUES ($1, $2)
       ON CONFLICT (name) DO UPDATE SET description = excluded.description, seen_at = clock_timestamp()`,
      [description.driver, JSON.stringify(description)],
    );
  }

  /**
   * Checks a request against what a driver declares, then asks the driver itself.
   * @throws RequestError 400 with the path of every wrong field, 409 with the driver's refusal, 503 when it does not answer in 5 s
   */
  async validate(name: string, tenant: string, request: ValidateRequest): Promise<ValidateReply> {
    const description = await this.find(name);
    if (description === undefined) throw unregistered(name);
    if (request.operation === 'INSTANTIATE') refuseInvalid(schemaFaults(description.parameters, request.requestParams));
    const { validate } = mgmtContracts(name);
    try {
      const reply = await this.client.request(validate, withoutSecrets(request), { within: seconds(5), tenant });
      refuseInvalid(reply.invalidParams);
      if (reply.refusal !== undefined) throw new RequestError(409, reply.refusal.code, reply.refusal.detail);
      return reply;
    } catch (error) {
      if (!(error instanceof TransientError)) throw error;
      throw new TransientError(
        'driver.no-answer',
        `the management driver ${name} does not answer: see that ${description.service} runs, then send the request again`,
        {
          cause: error,
          retryAfter: seconds(5),
        },
      );
    }
  }
}

const unregistered = (name: string): RequestError =>
  new RequestError(
    400,
    'driver.unregistered',
    `the package binds hooks to the management driver "${name}", which is not registered here: start the service that has it, or use a package for another driver`,
  );

function refuseInvalid(invalidParams: InvalidParam[]): void {
  const [first] = invalidParams;
  if (first === undefined) return;
  const more = invalidParams.length === 1 ? '' : ` (and ${invalidParams.length - 1} more)`;
  throw new RequestError(400, 'params.invalid', `${first.path}: ${first.reason}${more}`, { invalidParams });
}

/** Secrets never leave for the driver's check: their presence and type are checked here, by the schema. */
const withoutSecrets = (request: ValidateRequest): ValidateRequest => ({
  ...request,
  requestParams: masked(request.requestParams),
  instantiateParams: masked(request.instantiateParams),
});

/** Where `additionalParams` do not follow the driver's JSON Schema; a missing member is named by its own path. */
export function schemaFaults(schema: JsonObject, params: JsonObject): InvalidParam[] {
  const ajv = new Ajv2020({ strict: false, allErrors: true, verbose: false });
  const validate = ajv.compile(schema);
  if (validate(params)) return [];
  const faults = (validate.errors ?? []).map(({ instancePath, keyword, params: details, message }) => {
    const missing = keyword === 'required' ? `/${(details as { missingProperty: string }).missingProperty}` : '';
    return {
      path: `/additionalParams${instancePath}${missing}`,
      reason: missing === '' ? (message ?? 'is wrong') : 'is missing',
    };
  });
  const seen = new Set<string>();
  return faults.filter(({ path, reason }) => !seen.has(`${path} ${reason}`) && seen.add(`${path} ${reason}`));
}

/** The normalised parameters: the driver's merge patch over what was sent; secrets that it was not shown stay as they were sent. */
export const normalisedParams = (sent: JsonObject, patch: JsonObject): JsonObject =>
  mergePatch(sent, patch as Json) as JsonObject;

export const secretsOf = (description: DriverDescription | undefined): SecretPaths =>
  description === undefined ? [] : secretPathsOf(description.parameters);
