import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import type { JsonObject } from '@windlass/foundation';
import type { Route } from '@windlass/lcm-api';
import type { Replica } from '../../observability/support/replicas.js';

/** The path of a route with `value` for each parameter; a rest parameter is one segment. */
export const pathOf = ({ pattern }: Pick<Route, 'pattern'>, value: string = randomUUID()): string =>
  pattern.replaceAll(/[:*]\w+/g, encodeURIComponent(value));

export interface Heard {
  status: number;
  code: string | undefined;
  body: string;
}

/** Sends a request. Of an endless stream, the first part is the answer. */
export function heardOf(replica: Replica, method: string, path: string, body?: JsonObject | Buffer): Promise<Heard> {
  return new Promise((resolve, reject) => {
    const bytes = body === undefined || Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
    const type = Buffer.isBuffer(body) ? 'application/zip' : 'application/json';
    const asked = request(
      `${replica.url}${path}`,
      {
        method,
        agent: false,
        headers: {
          'X-Auth-Token': replica.token,
          ...(path.startsWith('/vnflcm/v2/') ? { Version: '2.0.0' } : {}),
          ...(bytes === undefined ? {} : { 'Content-Type': type, 'Content-Length': String(bytes.length) }),
        },
      },
      (response) => {
        const parts: Buffer[] = [];
        const done = (): void => {
          const text = Buffer.concat(parts).toString('utf8');
          const code = /"(?:code|type)": ?"([a-z]+\.[a-z.-]+)"/.exec(text)?.[1];
          resolve({ status: response.statusCode ?? 0, code, body: text });
          asked.destroy();
        };
        response.on('data', (part: Buffer) => {
          parts.push(part);
          if (response.headers['content-type']?.startsWith('text/event-stream') === true) done();
        });
        response.on('end', done);
      },
    );
    asked.once('error', reject);
    asked.end(bytes);
  });
}
