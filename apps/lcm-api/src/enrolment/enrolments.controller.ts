import { Controller, Delete, Get, HttpCode, Post, Req } from '@nestjs/common';
import { isJsonObject, RequestError } from '@windlass/foundation';
import { hashOf, isServiceName, makeToken, tokenText } from '@windlass/messaging';
import { PgEnrolments, type EnrolmentTokenRecord, type WorkerKeyRecord } from '@windlass/persistence';
import { jsonBody } from '../http/answers.js';
import { operatorOf, type IdentifiedRequest, type Identity } from '../caller/identity.js';
import { LcmApiSettings } from '../caller/settings.js';
import { RequestTrail } from '../trail/request-trail.js';
import { EnrolmentSettings } from './enrolment-settings.js';
import { anObject, listOf } from '../routes/json-schemas.js';
import { ApiRoute } from '../routes/route.js';

/** The coordinators claim their own steps without NATS, so they need no enrolled key. A key enrolled for them would only serve a thief. */
const NOT_ENROLLED: readonly string[] = ['saga-coordinator', 'lcm-api', 'vim-registry'];

/** Windlass's own: the tokens that services enrol their keys with, and those keys. For admins of the operator's project. */
@Controller('windlass/v1')
export class EnrolmentsController {
  constructor(
    private readonly enrolments: PgEnrolments,
    private readonly settings: EnrolmentSettings,
    private readonly trail: RequestTrail,
    private readonly lcm: LcmApiSettings,
  ) {}

  /** The only answer that ever holds the token. */
  @Post('enrolment_tokens')
  @ApiRoute({
    summary: 'make an enrolment token for a service',
    role: 'admin',
    body: {
      schema: {
        type: 'object',
        required: ['service'],
        properties: {
          service: { type: 'string' },
          validForSeconds: { type: 'integer', minimum: 1, maximum: 2_147_483_647 },
          uses: { type: 'integer', minimum: 1, maximum: 2_147_483_647 },
        },
      },
    },
    answers: { 201: { schema: anObject('id', 'service', 'token') } },
  })
  async create(@Req() request: IdentifiedRequest): Promise<EnrolmentTokenRecord & { token: string }> {
    const { user } = this.#operator(request);
    const requested = requestIn(jsonBody(request));
    const token = makeToken(this.settings.coordinatorKey);
    const record = await this.trail.withChange((manager) =>
      this.enrolments.addToken({ ...requested, ...hashOf(token), createdBy: user }, manager),
    );
    return { ...record, token: tokenText(token).reveal() };
  }

  @Get('enrolment_tokens')
  @ApiRoute({ summary: 'enrolment tokens', role: 'admin', answers: { 200: { schema: listOf(anObject('id', 'service')) } } })
  tokens(@Req() request: IdentifiedRequest): Promise<EnrolmentTokenRecord[]> {
    this.#operator(request);
    return this.enrolments.tokens();
  }

  @Delete('enrolment_tokens/:id')
  @HttpCode(204)
  @ApiRoute({ summary: 'revoke an enrolment token', role: 'admin', answers: { 204: {} } })
  async revokeToken(@Req() request: IdentifiedRequest): Promise<void> {
    this.#operator(request);
    await this.trail.withChange(async (manager) => {
      if (!(await this.enrolments.revokeToken(idOf(request), manager))) throw unknown('enrolment token', request);
    });
  }

  @Get('enrolled_keys')
  @ApiRoute({
    summary: 'enrolled keys of services',
    role: 'admin',
    answers: { 200: { schema: listOf(anObject('id', 'service')) } },
  })
  keys(@Req() request: IdentifiedRequest): Promise<WorkerKeyRecord[]> {
    this.#operator(request);
    return this.enrolments.keys();
  }

  @Delete('enrolled_keys/:id')
  @HttpCode(204)
  @ApiRoute({ summary: 'revoke an enrolled key', role: 'admin', answers: { 204: {} } })
  async revokeKey(@Req() request: IdentifiedRequest): Promise<void> {
    this.#operator(request);
    await this.trail.withChange(async (manager) => {
      if (!(await this.enrolments.revokeKey(idOf(request), manager))) throw unknown('enrolled key', request);
    });
  }

  #operator(request: IdentifiedRequest): Identity {
    return operatorOf(request, this.lcm.operatorProject, 'enrolment is');
  }
}

const idOf = (request: IdentifiedRequest): string => String(request.params.id);

const unknown = (what: string, request: IdentifiedRequest): RequestError =>
  new RequestError(404, 'enrolment.unknown', `there is no ${what} ${idOf(request)}`);

/** @throws RequestError 400 with the path of what is wrong */
function requestIn(body: unknown): { service: string; validFor?: number; uses?: number } {
  const { service, validForSeconds, uses } = isJsonObject(body) ? body : {};
  if (typeof service !== 'string' || !isServiceName(service)) throw wrong('/service', 'expected the name of a service');
  if (NOT_ENROLLED.includes(service))
    throw wrong('/service', `${service} claims no step over NATS, so it has no key to be enrolled`);
  return {
    service,
    ...(validForSeconds === undefined ? {} : { validFor: positive('/validForSeconds', validForSeconds) }),
    ...(uses === undefined ? {} : { uses: positive('/uses', uses) }),
  };
}

function positive(path: string, value: unknown): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 1 || value > 2_147_483_647)
    throw wrong(path, 'expected a whole number above 0');
  return value;
}

const wrong = (path: string, reason: string): RequestError =>
  new RequestError(400, 'request.invalid', `${path}: ${reason}`, { invalidParams: [{ path, reason }] });
