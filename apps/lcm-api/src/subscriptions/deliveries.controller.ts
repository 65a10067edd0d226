import { Controller, Get, Req } from '@nestjs/common';
import { RequestError } from '@windlass/foundation';
import { PgNotificationOutbox, type DeliveryState } from '@windlass/persistence';
import { identityOf, type IdentifiedRequest } from '../caller/identity.js';
import { anObject, listOf } from '../routes/json-schemas.js';
import { ApiRoute } from '../routes/route.js';

/** `/windlass/v1/subscriptions`: how deliveries go to the subscriptions of a project, of all APIs. */
@Controller('windlass/v1/subscriptions')
export class DeliveriesController {
  constructor(private readonly outbox: PgNotificationOutbox) {}

  @Get()
  @ApiRoute({
    summary: 'how deliveries go to the subscriptions',
    role: 'reader',
    answers: { 200: { schema: listOf(anObject('id', 'api', 'callbackUri', 'pending', 'delivered', 'failed', 'dropped')) } },
  })
  list(@Req() request: IdentifiedRequest): Promise<DeliveryState[]> {
    return this.outbox.states(identityOf(request).tenant);
  }

  @Get(':id')
  @ApiRoute({
    summary: 'how deliveries go to one subscription',
    role: 'reader',
    answers: { 200: { schema: anObject('id', 'api', 'callbackUri', 'pending', 'delivered', 'failed', 'dropped') } },
  })
  async show(@Req() request: IdentifiedRequest): Promise<DeliveryState> {
    const id = String(request.params.id);
    const found = (await this.outbox.states(identityOf(request).tenant)).find((state) => state.id === id);
    if (found === undefined) throw new RequestError(404, 'subscription.unknown', `there is no subscription ${id}`);
    return found;
  }
}
