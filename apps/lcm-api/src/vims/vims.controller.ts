import { Controller, Delete, Get, HttpCode, Post, Put, Req, Res } from '@nestjs/common';
import { isJsonObject, RequestError, type JsonObject, isUuid } from '@windlass/foundation';
import { VimClient, vimWarning, type VimRegistration, type VimView } from '@windlass/messaging';
import { jsonBody } from '../http/answers.js';
import { identityOf, type IdentifiedRequest } from '../caller/identity.js';
import { WARNING } from '../http/read-body.js';
import { RequestTrail } from '../trail/request-trail.js';
import type { Response } from 'express';
import { anObject } from '../routes/json-schemas.js';
import { ApiRoute } from '../routes/route.js';

const TEXT = { type: 'string' };

/** What a list of VIMs shows; `fields` may leave out any member. */
const SHOWN_VIMS: JsonObject = {
  type: 'object',
  required: ['vims'],
  properties: {
    vims: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          id: TEXT,
          name: TEXT,
          description: TEXT,
          type: TEXT,
          auth_url: TEXT,
          status: TEXT,
          is_default: { type: 'boolean' },
        },
      },
    },
  },
};

/** `/v1.0/vims`, with or without `.json` (spec: lcm-api section 7, cli section 5). */
@Controller('v1.0')
export class VimsController {
  constructor(
    private readonly vims: VimClient,
    private readonly trail: RequestTrail,
  ) {}

  @Post(['vims', 'vims.json'])
  @ApiRoute({
    summary: 'register a VIM',
    role: 'operator',
    body: { schema: anObject('vim') },
    otherQuery: 'ignored',
    answers: { 201: { schema: anObject('vim'), headers: ['Windlass-Warning'] } },
    refusals: [409],
  })
  async register(@Req() request: IdentifiedRequest, @Res({ passthrough: true }) response: Response): Promise<{ vim: VimView }> {
    const { tenant } = identityOf(request);
    const registration = registrationIn(jsonBody(request));
    const vim = await this.trail.noteElsewhere((asked) => this.vims.register(tenant, registration, asked));
    const warning = vimWarning(vim.auth_url);
    if (warning !== undefined) response.set(WARNING, warning);
    return { vim };
  }

  @Get(['vims', 'vims.json'])
  @ApiRoute({
    summary: 'VIMs',
    role: 'reader',
    query: {
      id: { meaning: 'only the VIM of this id', schema: { type: 'string' } },
      name: { meaning: 'only the VIM of this name', schema: { type: 'string' } },
      fields: { meaning: 'the attributes that are shown', schema: { type: 'string' } },
    },
    otherQuery: 'ignored',
    answers: { 200: { schema: SHOWN_VIMS } },
  })
  async list(@Req() request: IdentifiedRequest): Promise<{ vims: Partial<VimView>[] }> {
    const { tenant } = identityOf(request);
    const { id, name, fields } = request.query;
    const filter = { ...(typeof id === 'string' ? { id } : {}), ...(typeof name === 'string' ? { name } : {}) };
    const vims = Object.values(filter).every(canBeOne) ? await this.vims.list({ tenant, ...filter }) : [];
    const wanted = [fields].flat().filter((field): field is keyof VimView => typeof field === 'string');
    return {
      vims: wanted.length === 0 ? vims : vims.map((vim) => Object.fromEntries(wanted.map((field) => [field, vim[field]]))),
    };
  }

  @Get('vims/:id')
  @ApiRoute({ summary: 'one VIM', role: 'reader', otherQuery: 'ignored', answers: { 200: { schema: anObject('vim') } } })
  async show(@Req() request: IdentifiedRequest): Promise<{ vim: VimView }> {
    return { vim: await this.vims.show(identityOf(request).tenant, idOf(request)) };
  }

  @Put('vims/:id')
  @ApiRoute({
    summary: 'change a VIM',
    role: 'operator',
    body: { schema: anObject('vim') },
    otherQuery: 'ignored',
    answers: { 200: { schema: anObject('vim') } },
    refusals: [409],
  })
  async update(@Req() request: IdentifiedRequest): Promise<{ vim: VimView }> {
    const { tenant } = identityOf(request);
    const change = vimIn(jsonBody(request));
    return { vim: await this.trail.noteElsewhere((asked) => this.vims.update(tenant, idOf(request), change, asked)) };
  }

  @Delete('vims/:id')
  @HttpCode(204)
  @ApiRoute({ summary: 'remove a VIM', role: 'operator', otherQuery: 'ignored', answers: { 204: {} }, refusals: [409] })
  async delete(@Req() request: IdentifiedRequest): Promise<void> {
    const { tenant } = identityOf(request);
    await this.trail.noteElsewhere((asked) => this.vims.delete(tenant, idOf(request), asked));
  }
}

/** Whether a VIM can have it as its id or name: the registry is not asked for anything else. */
const canBeOne = (text: string): boolean => text !== '' && text.length <= 255;

/** @throws RequestError 404 for what no VIM can have as its id */
function idOf(request: IdentifiedRequest): string {
  const id = String(request.params.id).replace(/\.json$/, '');
  if (!isUuid(id))
    throw new RequestError(404, 'vim.unknown', 'there is no VIM of this id: ids are UUIDs, and the list shows them');
  return id;
}

function vimIn(body: unknown): JsonObject {
  if (isJsonObject(body) && isJsonObject(body.vim)) return body.vim;
  throw new RequestError(400, 'request.invalid', 'expected {"vim": {...}}', {
    invalidParams: [{ path: '/vim', reason: 'expected an object' }],
  });
}

/** Ids are given here alone: one that a client chose would tell whether another project has it, or stand where a cluster's VIM is to be. */
function registrationIn(body: unknown): VimRegistration {
  const vim = vimIn(body);
  if (vim.id !== undefined)
    throw new RequestError(400, 'request.invalid', 'vim.id: leave it out: the VIM gets its id here', {
      invalidParams: [{ path: '/vim/id', reason: 'the VIM gets its id here' }],
    });
  // The registry checks each member.
  return vim as JsonObject & VimRegistration;
}
