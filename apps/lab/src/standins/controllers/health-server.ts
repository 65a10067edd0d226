import { createServer } from 'node:https';
import { newSelfSigned } from '../pki/certificates.js';

/** The health port of a control plane program on loopback: `/healthz` and `/livez`, over TLS with a certificate of its own. */
export async function serveHealth(
  name: string,
  address: string,
  port: number,
  isHealthy: () => boolean,
): Promise<{ close(): Promise<void> }> {
  const server = createServer(await newSelfSigned(name), (request, response) => {
    const known = /^\/(healthz|livez|readyz)(\?.*)?$/.test(request.url ?? '');
    const status = known ? (isHealthy() ? 200 : 500) : 404;
    response.writeHead(status, { 'content-type': 'text/plain' }).end(status === 200 ? 'ok' : 'not ok');
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, address, resolve);
  });
  return {
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
