import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import { TerminalError } from '@windlass/foundation';
import { issueCertificate, newAuthority } from '../standins/pki/certificates.js';
import { refusal, Registry, type MadeImages, type Refuses } from './registry.js';
import type { ServedImages } from '../kubernetes/image-layout.js';
import { LOGIN_PAGE } from './login-page.js';
import { realAnswer, sendFile } from './real-images.js';
import { copiedFrom, RELEASES_HOST, REGISTRY_HOSTS } from './served-images.js';

/** Which images a VM is refused this time, by the VM's address. */
export type RefusesTo = (address: string) => Refuses;

/** What registries have. */
export interface RegistryContents {
  /** Those that are more than a name. */
  made?: MadeImages;
  /** Real ones: then the registries have these, those that are made, and nothing else. */
  images?: ServedImages | undefined;
  /** The name of a site's own registry: it is the only one then, with what clusters need below one path, and the internet's are not there. */
  site?: string | undefined;
}

interface Served extends RegistryContents {
  registry: Registry;
  refusesTo: RefusesTo;
}

/** What is asked for by the names that the internet has for it; undefined where a site's own registry has no such thing. */
function meant(host: string, path: string, site: string | undefined): { host: string; path: string } | undefined {
  if (site === undefined || path === '/v2/' || path === '/v2') return { host, path };
  return host === site ? copiedFrom(path) : undefined;
}

async function serve(request: IncomingMessage, response: ServerResponse, served: Served): Promise<void> {
  const { registry, refusesTo, images, site } = served;
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.writeHead(405, { allow: 'GET, HEAD' }).end();
    return;
  }
  const named = (request.headers.host ?? '').replace(/:\d+$/, '');
  if (named === RELEASES_HOST) {
    response.writeHead(200, { 'content-type': 'text/html' }).end(LOGIN_PAGE);
    return;
  }
  const [asked = '/'] = (request.url ?? '/').split('?', 1);
  const wanted = meant(named, asked, site);
  if (wanted === undefined) {
    const { status, headers, body } = refusal(404, 'NAME_UNKNOWN', `repository name not known to registry: ${asked}`);
    response.writeHead(status, headers).end(body);
    return;
  }
  const { host, path } = wanted;
  const refuses = refusesTo(request.socket.remoteAddress ?? '');
  const withBody = request.method !== 'HEAD';
  const answer =
    images === undefined || path === '/v2/' || path === '/v2' || registry.makes(host, path)
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
   * @throws TerminalError `lab.registry` where something else of the machine has port 443.
   */
  static async start(address: string, refusesTo: RefusesTo, contents: RegistryContents = {}): Promise<RegistryServer> {
    const hosts = contents.site === undefined ? [...REGISTRY_HOSTS, RELEASES_HOST] : [contents.site];
    const authority = await newAuthority('windlass-lab registries', 30, 'ECDSA-P256');
    const certificate = await issueCertificate(authority, {
      commonName: hosts[0] ?? '',
      usages: ['serverAuth'],
      dnsNames: hosts,
      days: 30,
      algorithm: 'ECDSA-P256',
    });
    const registry = new Registry(contents.made);
    const server = createServer({ cert: certificate.cert, key: certificate.key }, (request, response) => {
      serve(request, response, { ...contents, registry, refusesTo }).catch((error: unknown) => response.destroy(error as Error));
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
