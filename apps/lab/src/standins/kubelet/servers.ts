import { createServer as createHttp } from 'node:http';
import { createServer as createHttps } from 'node:https';
import { newSelfSigned } from '../pki/certificates.js';

/** The kubelet's two ports: health on loopback, and its API, of which the stand-in has the health check only. */
export async function startServers(settings: {
  nodeName: string;
  healthzPort: number;
  port: number;
  clientCa: string | undefined;
}): Promise<void> {
  const health = createHttp((request, response) => {
    const good = request.url?.startsWith('/healthz') === true;
    response.writeHead(good ? 200 : 404, { 'content-type': 'text/plain' }).end(good ? 'ok' : '404 page not found\n');
  });
  const pair = await newSelfSigned(settings.nodeName);
  const tls = {
    ...pair,
    requestCert: true,
    rejectUnauthorized: false,
    ...(settings.clientCa === undefined ? {} : { ca: settings.clientCa }),
  };
  const api = createHttps(tls, (request, response) => {
    const allowed = (request.socket as { authorized?: boolean }).authorized === true;
    const known = request.url === '/healthz';
    const status = allowed ? (known ? 200 : 501) : 401;
    const text = allowed ? (known ? 'ok' : 'the windlass-lab stand-in runs no containers: no logs, no exec\n') : 'Unauthorized';
    response.writeHead(status, { 'content-type': 'text/plain' }).end(text);
  });
  await Promise.all([listen(health, settings.healthzPort, '127.0.0.1'), listen(api, settings.port, '0.0.0.0')]);
}

const listen = (
  server: ReturnType<typeof createHttp> | ReturnType<typeof createHttps>,
  port: number,
  address: string,
): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, address, resolve);
  });
