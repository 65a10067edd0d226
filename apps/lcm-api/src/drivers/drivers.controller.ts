import { Controller, Delete, Get, HttpCode, Req } from '@nestjs/common';
import { RequestError } from '@windlass/foundation';
import { PgDrivers, type DriverRecord } from '@windlass/persistence';
import { identityOf, type IdentifiedRequest } from '../http/identity.js';
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

/** Windlass's own: the management drivers that announced themselves. For administrators. */
@Controller('windlass/v1')
export class DriversController {
  constructor(
    private readonly drivers: PgDrivers,
    private readonly trail: RequestTrail,
  ) {}

  @Get('drivers')
  @ApiRoute({ summary: 'management drivers', role: 'admin', answers: { 200: { schema: listOf(anObject('name', 'service')) } } })
  async list(@Req() request: IdentifiedRequest): Promise<ShownDriver[]> {
    assertAdministrator(request);
    return (await this.drivers.records()).map(shown);
  }

  /** With its actions and the schema of its parameters. */
  @Get('drivers/:name')
  @ApiRoute({
    summary: 'one management driver',
    role: 'admin',
    answers: { 200: { schema: anObject('name', 'service', 'actions') } },
  })
  async show(
    @Req() request: IdentifiedRequest,
  ): Promise<ShownDriver & Pick<DriverRecord['description'], 'actions' | 'parameters'>> {
    assertAdministrator(request);
    const record = await this.drivers.record(nameOf(request));
    if (record === undefined) throw unknown(request);
    const { actions, parameters } = record.description;
    return { ...shown(record), actions, parameters };
  }

  /** Its name is free for any service then; it is known again when its service is started again. */
  @Delete('drivers/:name')
  @HttpCode(204)
  @ApiRoute({ summary: 'forget a management driver', role: 'admin', answers: { 204: {} } })
  async remove(@Req() request: IdentifiedRequest): Promise<void> {
    assertAdministrator(request);
    await this.trail.withChange(async (manager) => {
      if (!(await this.drivers.remove(nameOf(request), manager))) throw unknown(request);
    });
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

/** @throws RequestError 403 for whoever is none */
function assertAdministrator(request: IdentifiedRequest): void {
  if (!identityOf(request).roles.includes('admin'))
    throw new RequestError(403, 'auth.forbidden', 'management drivers are a matter of administrators: ask with the role admin');
}
