import { createReadStream } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { Controller, Get, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { secured } from '../http/page-headers.js';
import { PublicUrl } from '../links/public-url.js';
import { ApiRoute } from '../routes/route.js';
import { noResource } from '../routes/routes.js';
import { ApiDocument } from './api-document.js';

/** What swagger-ui-dist has that the page asks for. */
const FILES: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
};

const FOLDER = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));

/** The OpenAPI document, and a page that shows it and works without any network but this service. */
@Controller('docs')
export class DocsController {
  constructor(
    private readonly document: ApiDocument,
    private readonly publicUrl: PublicUrl,
  ) {}

  @Get()
  @ApiRoute({
    summary: 'a page that shows the OpenAPI document',
    role: 'reader',
    answers: { 200: { mediaTypes: ['text/html'] } },
  })
  page(@Res() response: Response): void {
    const at = (file: string): string => this.publicUrl.pathOf(`/docs/${file}`);
    secured(response).type('text/html; charset=utf-8').send(`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Windlass</title><link rel="stylesheet" href="${at('swagger-ui.css')}"></head>
<body><div id="ui" data-document="${at('openapi.json')}"></div>
<script src="${at('swagger-ui-bundle.js')}"></script><script src="${at('page.js')}"></script></body>
</html>
`);
  }

  @Get('openapi.json')
  @ApiRoute({
    summary: 'the OpenAPI 3.1 document of this API',
    role: 'reader',
    answers: { 200: { schema: { type: 'object', required: ['openapi', 'info', 'paths'] } } },
  })
  openapi(): object {
    return this.document.of(this.publicUrl.root);
  }

  @Get('page.js')
  @ApiRoute({ summary: 'the script of that page', role: 'reader', answers: { 200: { mediaTypes: ['text/javascript'] } } })
  script(@Res() response: Response): void {
    secured(response).type('text/javascript; charset=utf-8').send(SCRIPT);
  }

  @Get(':file')
  @ApiRoute({ summary: 'a part of that page', role: 'reader', answers: { 200: { mediaTypes: Object.values(FILES) } } })
  async file(@Req() request: Request, @Res() response: Response): Promise<void> {
    const name = String(request.params.file);
    const type = Object.hasOwn(FILES, name) ? FILES[name] : undefined;
    if (type === undefined) throw noResource(request.path);
    secured(response).type(type);
    await pipeline(createReadStream(join(FOLDER, name)), response);
  }
}

/** `validatorUrl` null: swagger.io is asked nothing. */
const SCRIPT = `const element = document.getElementById('ui');
SwaggerUIBundle({ url: element.dataset.document, domNode: element, validatorUrl: null, deepLinking: false, supportedSubmitMethods: ['get', 'post', 'put', 'patch', 'delete'] });
`;
