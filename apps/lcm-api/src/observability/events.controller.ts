import { Controller, Get, Req, Res } from '@nestjs/common';
import { RequestError } from '@windlass/foundation';
import { FINAL_STATES } from '@windlass/lifecycle';
import type { Response } from 'express';
import { identityOf, type IdentifiedRequest } from '../caller/identity.js';
import { OpOccs } from '../op-occs/op-occs.js';
import { EventStreams } from './event-streams.js';
import { positionIn } from './live-view.js';
import { ApiRoute } from '../routes/route.js';

/** Live events of one operation, and of all operations of the project (docs/contracts/rest-extensions.md). */
@Controller('windlass/v1')
export class EventsController {
  constructor(
    private readonly opOccs: OpOccs,
    private readonly streams: EventStreams,
  ) {}

  @Get('operations/:id/events')
  @ApiRoute({
    summary: 'live events of an operation',
    role: 'reader',
    answers: { 200: { mediaTypes: ['text/event-stream'] }, 204: {} },
    refusals: [429],
  })
  async ofOne(@Req() request: IdentifiedRequest, @Res() response: Response): Promise<void> {
    const { tenant } = identityOf(request);
    const { id: operationId, operationState } = await this.opOccs.find(tenant, String(request.params.id));
    const { position, ended } = positionIn(request.header('last-event-id'));
    if (ended && FINAL_STATES.includes(operationState)) {
      // No event will ever come. A 204 tells the client not to reconnect (WHATWG HTML 9.2.2).
      response.status(204).end();
      return;
    }
    await this.streams.serve(response, { scope: { tenant, operationId }, steps: true }, position);
  }

  @Get('events')
  @ApiRoute({
    summary: 'live events of the project',
    role: 'reader',
    query: {
      vnfInstanceId: { meaning: 'only the operations of this VNF instance', schema: { type: 'string', format: 'uuid' } },
      steps: { meaning: 'whether steps are told too', schema: { type: 'string', enum: ['true', 'false'] } },
    },
    answers: { 200: { mediaTypes: ['text/event-stream'] } },
    refusals: [429],
  })
  async ofAll(@Req() request: IdentifiedRequest, @Res() response: Response): Promise<void> {
    const { tenant } = identityOf(request);
    const { vnfInstanceId, steps } = request.query;
    if (vnfInstanceId !== undefined && !(typeof vnfInstanceId === 'string' && isUuid(vnfInstanceId)))
      throw invalid('vnfInstanceId', 'expected the id of one VNF instance');
    if (steps !== undefined && steps !== 'true' && steps !== 'false') throw invalid('steps', 'expected true or false');
    const scope = { tenant, ...(vnfInstanceId === undefined ? {} : { vnfInstanceId }) };
    const { position } = positionIn(request.header('last-event-id'));
    await this.streams.serve(response, { scope, steps: steps === 'true' }, position);
  }
}

export const isUuid = (text: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);

const invalid = (path: string, reason: string): RequestError =>
  new RequestError(400, 'request.invalid', `${path}: ${reason}`, { invalidParams: [{ path, reason }] });
