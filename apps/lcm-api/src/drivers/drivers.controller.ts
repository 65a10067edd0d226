import { Controller, Delete, Get, HttpCode, Req } from '@nestjs/common';
import { RequestError } from '@windlass/foundation';
import { PgDrivers, type DriverRecord } from '@windlass/persistence';
import { operatorOf, type IdentifiedRequest } from '../caller/identity.js';
import { LcmApiSettings } from '../caller/settings.js';
import { RequestTrail } from '../trail/request-trail.js';
import { anObject, listOf } from '../routes/json-schemas.js';
import { ApiRoute } from '../routes/route.js';

/** A management driver in a list: what it is, when it last said so, and by which key. */
interface ShownDriver {
  name: string;
  service: string;
  version: string;
  /** Of the contract of management drivers; 1 is refused. */
  contract: number;
  hooks: string[];
  announcedAt: Date;
  /** The key's id; null for what was announced by version 1 of the contract. */
  announcedBy: string | null;
}

/** Windlass's own: the management drivers that announced themselves. For admins of the operator's project. */
@Controller('windlass/v1')
export class DriversController {
  constructor(
    private readonly drivers: PgDrivers,
    private readonly trail: RequestTrail,
    private readonly settings: LcmApiSettings,
  ) {}

  @Get('drivers')
  @ApiRoute({ summary: 'management drivers', role: 'admin', answers: { 200: { schema: listOf(anObject('name', 'service')) } } })
  async list(@Req() request: IdentifiedRequest): Promise<ShownDriver[]> {
    this.#assertOperator(request);
    return (await this.drivers.records()).map(shown);
  }

  /** With its actions and the schemas of its parameters. */
  @Get('drivers/:name')
  @ApiRoute({
    summary: 'one management driver',
    role: 'admin',
    answers: { 200: { schema: anObject('name', 'service', 'actions') } },
  })
  async show(
    @Req() request: IdentifiedRequest,
  ): Promise<ShownDriver & Pick<DriverRecord['description'], 'actions' | 'parameters' | 'operationParameters'>> {
    this.#assertOperator(request);
    const record = await this.drivers.record(nameOf(request));
    if (record === undefined) throw unknown(request);
    const { actions, parameters, operationParameters } = record.description;
    return { ...shown(record), actions, parameters, ...(operationParameters === undefined ? {} : { operationParameters }) };
  }

  /** Its name is free for any service then; it is known again when its service is started again. */
  @Delete('drivers/:name')
  @HttpCode(204)
  @ApiRoute({ summary: 'forget a management driver', role: 'admin', answers: { 204: {} } })
  async remove(@Req() request: IdentifiedRequest): Promise<void> {
    this.#assertOperator(request);
    await this.trail.withChange(async (manager) => {
      if (!(await this.drivers.remove(nameOf(request), manager))) throw unknown(request);
    });
  }

  #assertOperator(request: IdentifiedRequest): void {
    operatorOf(request, this.settings.operatorProject, 'management drivers are');
  }
}

/** What version 1 announced has no `contract`. */
const shown = ({ name, description, announcedAt, announcedBy }: DriverRecord): ShownDriver => ({
  name,
  service: description.service,
  version: description.version,
  contract: (description.contract as number | undefined) ?? 1,
  hooks: description.hooks,
  announcedAt,
  announcedBy,
});

const nameOf = (request: IdentifiedRequest): string => String(request.params.name);

const unknown = (request: IdentifiedRequest): RequestError =>
  new RequestError(404, 'driver.unknown', `there is no management driver ${nameOf(request)}`);
