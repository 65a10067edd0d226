import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import { TerminalError } from '@windlass/foundation';
import { issueCertificate, newAuthority } from '../standins/pki/certificates.js';
import { Registry, type MadeImages, type Refuses } from './registry.js';
import type { ServedImages } from '../kubernetes/image-layout.js';
import { LOGIN_PAGE } from './login-page.js';
import { realAnswer, sendFile } from './real-images.js';
import { RELEASES_HOST, REGISTRY_HOSTS } from './served-images.js';

/** Which images a VM is refused this time, by the VM's address. */
export type RefusesTo = (address: string) => Refuses;

interface Served {
  registry: Registry;
  refusesTo: RefusesTo;
  images: ServedImages | undefined;
}

async function serve(request: IncomingMessage, response: ServerResponse, { registry, refusesTo, images }: Served): Promise<void> {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.writeHead(405, { allow: 'GET, HEAD' }).end();
    return;
  }
  const host = (request.headers.host ?? '').replace(/:\d+$/, '');
  if (host === RELEASES_HOST) {
    response.writeHead(200, { 'content-type': 'text/html' }).end(LOGIN_PAGE);
    return;
  }
  const [path = '/'] = (request.url ?? '/').split('?', 1);
  const refuses = refusesTo(request.socket.remoteAddress ?? '');
  const withBody = request.method !== 'HEAD';
  const answer =
    images === undefined || path === '/v2/' || path === '/v2'
      ? await registry.answer(host, path, refuses)
      : await realAnswer(images, host, path, refuses);
  if ('file' in answer) {
    await sendFile(response, answer, withBody);
    return;
  }
  response.writeHead(answer.status, { ...answer.headers, 'content-length': answer.body.length });
  response.end(withBody ? answer.body : undefined);
}

/**
 * What the internet would be to the lab's VMs: the registries that clusters pull from, under their own names and with a certificate for them,
 * signed by an authority that the VMs' images trust.
 */
export class RegistryServer {
  private constructor(
    private readonly server: Server,
    /** The authority's certificate, for the VMs. */
    readonly authority: string,
  ) {}

  /**
   * @param made those that are more than a name
   * @param images real ones: then the registries have these and nothing else
   * @throws TerminalError `lab.registry` where something else of the machine has port 443.
   */
  static async start(
    address: string,
    refusesTo: RefusesTo,
    made: MadeImages = {},
    images?: ServedImages,
  ): Promise<RegistryServer> {
    const authority = await newAuthority('windlass-lab registries', 30, 'ECDSA-P256');
    const certificate = await issueCertificate(authority, {
      commonName: REGISTRY_HOSTS[0] ?? '',
      usages: ['serverAuth'],
      dnsNames: [...REGISTRY_HOSTS, RELEASES_HOST],
      days: 30,
      algorithm: 'ECDSA-P256',
    });
    const registry = new Registry(made);
    const server = createServer({ cert: certificate.cert, key: certificate.key }, (request, response) => {
      serve(request, response, { registry, refusesTo, images }).catch((error: unknown) => response.destroy(error as Error));
    });
    await new Promise<void>((resolve, reject) => {
      server.once('error', (cause) =>
        reject(
          new TerminalError(
            'lab.registry',
            `the lab's registries can't listen on ${address}:443 (${cause.message}): stop what listens there or on port 443 of every address while the lab runs; ss -ltnp 'sport = :443' names it`,
            { cause },
          ),
        ),
      );
      server.listen(443, address, resolve);
    });
    return new RegistryServer(server, authority.cert);
  }

  stop(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.server.close((error) => (error === undefined ? resolve() : reject(error)));
      this.server.closeAllConnections();
    });
  }
}
