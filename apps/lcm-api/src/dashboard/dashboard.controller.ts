import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { Controller, Get, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { secured } from '../http/page-headers.js';
import { PublicUrl } from '../links/public-url.js';
import { ApiRoute } from '../routes/route.js';
import { noResource } from '../routes/routes.js';
import { DashboardFiles } from './dashboard-files.js';

/** The names of its files change with their content, so what has come once need not be asked for again. */
const FOR_EVER = 'public, max-age=31536000, immutable';

/**
 * The dashboard (ADR 97): files alone, the same for everybody, and so without credentials. Whatever it shows it asks of the API, as any client does.
 */
@Controller('ui')
export class DashboardController {
  constructor(
    private readonly files: DashboardFiles,
    private readonly publicUrl: PublicUrl,
  ) {}

  @Get()
  @ApiRoute({ summary: 'the dashboard', role: 'anyone', answers: { 200: { mediaTypes: ['text/html'] } } })
  async page(@Res() response: Response): Promise<void> {
    const { script, styles } = await this.files.entry();
    const at = (file: string): string => this.publicUrl.pathOf(`/ui/${file}`);
    secured(response).set('Cache-Control', 'no-cache').type('text/html; charset=utf-8').send(`<!doctype html>
<html lang="en" data-root="${this.publicUrl.pathOf('')}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<title>Windlass</title><link rel="icon" href="data:,"><link rel="stylesheet" href="${at(styles)}"></head>
<body><noscript>The dashboard needs JavaScript. The command line shows the same: ./windlass op list</noscript>
<div id="app"></div><script type="module" src="${at(script)}"></script></body>
</html>
`);
  }

  @Get(':file')
  @ApiRoute({
    summary: 'a part of the dashboard',
    role: 'anyone',
    answers: { 200: { mediaTypes: ['text/javascript', 'text/css'] } },
  })
  async file(@Req() request: Request, @Res() response: Response): Promise<void> {
    const found = await this.files.find(String(request.params.file));
    if (found === undefined) throw noResource(request.path);
    const { path, type, packed } = found;
    const takesPacked = packed !== undefined && request.acceptsEncodings('gzip', 'identity') === 'gzip';
    secured(response).set('Cache-Control', FOR_EVER).type(type).vary('Accept-Encoding');
    if (takesPacked) response.set('Content-Encoding', 'gzip');
    await pipeline(createReadStream(takesPacked ? packed : path), response);
  }
}
