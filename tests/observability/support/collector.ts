import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { OtlpAttribute, OtlpSpan } from '@windlass/service-kit/tracing';

/** A span that the stand-in took, with the service that sent it. */
export interface TakenSpan extends OtlpSpan {
  service: string;
}

/** A stand-in for a collector, which takes OTLP over HTTP in JSON at `/v1/traces` alone. */
export interface Collector {
  url: string;
  spans: TakenSpan[];
  headers: IncomingHttpHeaders[];
  /** The status of later answers. */
  answers: number;
  close(): Promise<void>;
}

interface Taken {
  resourceSpans: { resource: { attributes: OtlpAttribute[] }; scopeSpans: { spans: OtlpSpan[] }[] }[];
}

/** Starts a stand-in that takes everything. */
export async function startCollector(): Promise<Collector> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => void chunks.push(chunk));
    request.on('end', () => {
      collector.headers.push(request.headers);
      const status = request.url === '/v1/traces' && request.method === 'POST' ? collector.answers : 404;
      if (status === 200) {
        const { resourceSpans } = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Taken;
        for (const { resource, scopeSpans } of resourceSpans)
          for (const { spans } of scopeSpans)
            for (const span of spans) collector.spans.push({ ...span, service: textOf(resource.attributes, 'service.name') });
      }
      response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const collector: Collector = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: [],
    headers: [],
    answers: 200,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return collector;
}

/** The value of an attribute as text; empty without the attribute. */
export function textOf(attributes: readonly OtlpAttribute[], key: string): string {
  const value = attributes.find((attribute) => attribute.key === key)?.value;
  return value === undefined ? '' : String(Object.values(value)[0]);
}
