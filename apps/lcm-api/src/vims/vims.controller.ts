import { Controller, Delete, Get, HttpCode, Post, Put, Req, Res } from '@nestjs/common';
import { isJsonObject, RequestError, type JsonObject } from '@windlass/foundation';
import { VimClient, vimWarning, type VimRegistration, type VimView } from '@windlass/messaging';
import { jsonBody } from '../http/answers.js';
import { identityOf, type IdentifiedRequest } from '../http/identity.js';
import { RequestTrail } from '../trail/request-trail.js';
import type { Response } from 'express';

/** A header of an answer that is no error: what a person should know. The body of a VIM has no place for it. */
const WARNING = 'Windlass-Warning';

/** `/v1.0/vims`, with or without `.json` (spec: lcm-api section 7, cli section 5). */
@Controller('v1.0')
export class VimsController {
  constructor(
    private readonly vims: VimClient,
    private readonly trail: RequestTrail,
  ) {}

  @Post(['vims', 'vims.json'])
  async register(@Req() request: IdentifiedRequest, @Res({ passthrough: true }) response: Response): Promise<{ vim: VimView }> {
    const { tenant } = identityOf(request);
    const registration = vimIn(jsonBody(request)) as unknown as VimRegistration;
    const vim = await this.trail.noteElsewhere((asked) => this.vims.register(tenant, registration, asked));
    const warning = vimWarning(vim.auth_url);
    if (warning !== undefined) response.set(WARNING, warning);
    return { vim };
  }

  @Get(['vims', 'vims.json'])
  async list(@Req() request: IdentifiedRequest): Promise<{ vims: Partial<VimView>[] }> {
    const { tenant } = identityOf(request);
    const { id, name, fields } = request.query;
    const vims = await this.vims.list({
      tenant,
      ...(typeof id === 'string' ? { id } : {}),
      ...(typeof name === 'string' ? { name } : {}),
    });
    const wanted = [fields].flat().filter((field): field is keyof VimView => typeof field === 'string');
    return {
      vims: wanted.length === 0 ? vims : vims.map((vim) => Object.fromEntries(wanted.map((field) => [field, vim[field]]))),
    };
  }

  @Get('vims/:id')
  async show(@Req() request: IdentifiedRequest): Promise<{ vim: VimView }> {
    return { vim: await this.vims.show(identityOf(request).tenant, idOf(request)) };
  }

  @Put('vims/:id')
  async update(@Req() request: IdentifiedRequest): Promise<{ vim: VimView }> {
    const { tenant } = identityOf(request);
    const change = vimIn(jsonBody(request));
    return { vim: await this.trail.noteElsewhere((asked) => this.vims.update(tenant, idOf(request), change, asked)) };
  }

  @Delete('vims/:id')
  @HttpCode(204)
  async delete(@Req() request: IdentifiedRequest): Promise<void> {
    const { tenant } = identityOf(request);
    await this.trail.noteElsewhere((asked) => this.vims.delete(tenant, idOf(request), asked));
  }
}

const idOf = (request: IdentifiedRequest): string => String(request.params.id).replace(/\.json$/, '');

function vimIn(body: unknown): JsonObject {
  if (isJsonObject(body) && isJsonObject(body.vim)) return body.vim;
  throw new RequestError(400, 'request.invalid', 'expected {"vim": {...}}', {
    invalidParams: [{ path: '/vim', reason: 'expected an object' }],
  });
}
