import {
  masked,
  mergePatch,
  RequestError,
  seconds,
  TransientError,
  withoutMasks,
  type InvalidParam,
  type Json,
  type JsonObject,
  type SecretPlaces,
} from '@windlass/foundation';
import {
  schemaFaults,
  type CheckedOperation,
  type DriverDescription,
  type Hook,
  type HookContext,
  type ValidateReply,
  type ValidateRequest,
} from '@windlass/mgmt-driver';
import { mgmtContracts, type DriverAsker, type VimClient } from '@windlass/messaging';
import type { PgDrivers } from '@windlass/persistence';
import type { KeyLooks, KeyPair } from '@windlass/remote-host';
import type { Plan } from '@windlass/saga';
import type { DataSource } from 'typeorm';
import { takenVimNames } from '../vims/cluster-checks.js';
import { checkForDriver } from '../vims/driver-checks.js';
import { DriverSecrets } from './driver-secrets.js';

/** Errors that stay when the request is sent again: passed on as they are, with what to do. */
const REPORTED_AS_THEY_ARE: readonly string[] = ['driver.unproven-answer', 'driver.contract-version-1'];

/** What management drivers have announced: each driver does so when its service starts, and the record stays while the driver is down. */
export class DriverRegistry {
  readonly secrets: DriverSecrets;
  #keys: KeyLooks | undefined;

  constructor(
    private readonly drivers: PgDrivers,
    private readonly asker: DriverAsker,
    private readonly database: DataSource,
    private readonly clusters: Pick<VimClient, 'boundVolumes'>,
  ) {
    this.secrets = new DriverSecrets(drivers);
  }

  /** The description last told by a driver of that name. */
  find(name: string): Promise<DriverDescription | undefined> {
    return this.drivers.find(name);
  }

  /**
   * Asks a driver what it would do at a hook: it computes that, and changes nothing.
   * @throws WindlassError the driver's own, or that it does not answer
   */
  plan(description: DriverDescription, context: HookContext): Promise<Plan> {
    const { plan } = mgmtContracts(description.driver);
    return this.asker.ask(description, plan, context, { within: seconds(5), tenant: context.tenant });
  }

  /**
   * Checks a request against what a driver declares, then asks the driver itself, which is not shown secrets.
   * @param hooks the operation's hooks that the VNFD binds to the driver, or those at which an unbound driver is asked all the same
   * @throws RequestError 400 with the path of every wrong field, 409 for a hook that the driver lacks, for its own refusal, and for what a look at
   *   the VIM finds
   * @throws RequestError 429 where too many of the project's requests with encrypted keys wait
   * @throws TransientError 503: the driver does not answer in 5 s, only other services answer in its place, or it speaks version 1 of the contract
   */
  async validate(
    name: string,
    tenant: string,
    request: ValidateRequest,
    { hooks, secrets, isBound = true }: { hooks: readonly Hook[]; secrets: SecretPlaces; isBound?: boolean },
  ): Promise<ValidateReply> {
    const description = await this.find(name);
    if (description === undefined) throw unregistered(name);
    refuseMissing(hooks, description, request.operation, isBound);
    const schema = schemaOf(description, request.operation);
    if (schema !== undefined) refuseInvalid(await this.#parameterFaults(tenant, schema, request.requestParams));
    const reply = await this.#ask(description, withoutSecrets(request, secrets), tenant);
    refuseInvalid(reply.invalidParams);
    const owner = { tenant, vnfInstanceId: request.vnfInstanceId };
    refuseInvalid(await takenVimNames(this.database.manager, owner, reply.vimNames ?? []));
    if (reply.refusal !== undefined) throw new RequestError(409, reply.refusal.code, reply.refusal.detail);
    const unseen = await checkForDriver(this.clusters, owner, reply.looks ?? []);
    return { ...reply, warnings: [...reply.warnings, ...unseen] };
  }

  /**
   * Faults of parameters. A first pass of the schema collects the private keys, a second one uses their faults: to open encrypted ones takes long, so
   * that is done elsewhere, and what opens keys is large, so it is loaded with the first.
   */
  async #parameterFaults(tenant: string, schema: JsonObject, params: JsonObject): Promise<InvalidParam[]> {
    const keys = new Map<string, KeyPair>();
    const found = schemaFaults(schema, params, (privateKey, passphrase) => {
      keys.set(pairOf(privateKey, passphrase), { privateKey, passphrase });
      return undefined;
    });
    if (keys.size === 0) return found;
    const { KeyLooks, privateKeyFault } = await import('@windlass/remote-host');
    const faults = await (this.#keys ??= new KeyLooks()).faults(tenant, [...keys.values()]);
    const known = new Map([...keys.keys()].map((pair, index) => [pair, faults[index]]));
    return schemaFaults(schema, params, (privateKey, passphrase) => {
      const pair = pairOf(privateKey, passphrase);
      return known.has(pair) ? known.get(pair) : privateKeyFault(privateKey, passphrase);
    });
  }

  async #ask(description: DriverDescription, request: ValidateRequest, tenant: string): Promise<ValidateReply> {
    const { driver, service } = description;
    try {
      return await this.asker.ask(description, mgmtContracts(driver).validate, request, { within: seconds(5), tenant });
    } catch (error) {
      if (!(error instanceof TransientError) || REPORTED_AS_THEY_ARE.includes(error.code)) throw error;
      throw new TransientError(
        'driver.no-answer',
        `the management driver ${driver} does not answer: see that ${service} runs, then send the request again`,
        {
          cause: error,
          retryAfter: seconds(5),
        },
      );
    }
  }
}

const pairOf = (privateKey: string, passphrase: string | undefined): string => JSON.stringify([privateKey, passphrase]);

const unregistered = (name: string): RequestError =>
  new RequestError(
    400,
    'driver.unregistered',
    `the package binds hooks to the management driver "${name}", which is not registered here: start the service that has it, or use a package for another driver`,
  );

/** What describes the parameters of a request: of one that makes the VNF the VNF's own. */
const schemaOf = ({ parameters, operationParameters }: DriverDescription, operation: CheckedOperation): JsonObject | undefined =>
  operation === 'INSTANTIATE' ? parameters : operationParameters?.[operation];

/** Refuses an operation whose hooks the driver lacks: the VNF would be left half changed in the middle of it. */
function refuseMissing(
  hooks: readonly Hook[],
  { driver, version, hooks: has }: DriverDescription,
  operation: string,
  isBound: boolean,
): void {
  const missing = hooks.filter((hook) => !has.includes(hook));
  if (missing.length === 0) return;
  throw new RequestError(
    409,
    'driver.no-hook',
    `${operation} is not possible for this VNF: ${isBound ? `its VNFD binds ${missing.join(' and ')} to the management driver ${driver}, which has no such hook` : `the management driver ${driver} has no hook ${missing.join(' and ')}`} in its version ${version}`,
  );
}

function refuseInvalid(invalidParams: InvalidParam[]): void {
  const [first] = invalidParams;
  if (first === undefined) return;
  const more = invalidParams.length === 1 ? '' : ` (and ${invalidParams.length - 1} more)`;
  throw new RequestError(400, 'params.invalid', `${first.path}: ${first.reason}${more}`, { invalidParams });
}

/** The request without secrets. The driver's check never gets them: the schema checks here that they are there, and their type. */
const withoutSecrets = (request: ValidateRequest, secrets: SecretPlaces): ValidateRequest => ({
  ...request,
  requestParams: masked(request.requestParams, secrets),
  instantiateParams: masked(request.instantiateParams, secrets),
});

/** The normalised parameters: the driver's merge patch over what was sent; secrets that it was not shown stay as they were sent. */
export const normalisedParams = (sent: JsonObject, patch: JsonObject, secrets: SecretPlaces): JsonObject =>
  mergePatch(sent, withoutMasks(sent, masked(sent, secrets), patch as Json)) as JsonObject;
