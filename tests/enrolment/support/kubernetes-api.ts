import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '@windlass/foundation';

/** The part of a cluster's API that the VIM registry uses, over TLS on loopback. */
export interface KubernetesApi {
  url: string;
  /** The API's certificate, which is self-signed, PEM. */
  ca: string;
  token: string;
  /** The number of requests with the token. */
  asked: () => number;
  /** The number of requests that were refused with 401. */
  turnedAway: () => number;
  /** The PersistentVolumes, as the API shows them. */
  volumes: JsonObject[];
  /** The nodes, as the API shows them: in pages of `limit`. */
  nodes: JsonObject[];
  /** The paths of requests with the token. */
  paths: string[];
  /** Whether the API accepts connections and never answers. */
  isMute: boolean;
  /** Whether the API accepts the token. */
  letsIn: boolean;
  close(): Promise<void>;
}

export async function startKubernetesApi(): Promise<KubernetesApi> {
  const folder = mkdtempSync(join(tmpdir(), 'windlass-kube-'));
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '1'];
  const name = ['-subj', '/CN=cluster', '-addext', 'subjectAltName=IP:127.0.0.1'];
  execFileSync('openssl', ['req', '-x509', ...kind, ...name, '-keyout', key, '-out', cert], { stdio: 'ignore' });
  const ca = readFileSync(cert, 'utf8');
  const token = 'token-of-the-cluster';
  let asked = 0;
  let turnedAway = 0;
  const has = { volumes: [] as JsonObject[], nodes: [] as JsonObject[], paths: [] as string[], isMute: false, letsIn: true };
  const server = createServer({ key: readFileSync(key), cert: ca }, (request, response) => {
    if (request.headers.authorization !== `Bearer ${token}` || !has.letsIn) {
      turnedAway += 1;
      response.writeHead(401).end();
      return;
    }
    asked += 1;
    if (has.isMute) return;
    response.setHeader('Content-Type', 'application/json');
    const { pathname, searchParams } = new URL(request.url ?? '/', 'https://cluster');
    has.paths.push(pathname);
    if (pathname === '/version') response.end(JSON.stringify({ gitVersion: 'v1.34.1' }));
    else if (pathname === '/api/v1/nodes') response.end(JSON.stringify(pageOf(has.nodes, searchParams)));
    else {
      const items =
        pathname === '/api/v1/persistentvolumes'
          ? has.volumes.filter((volume) => isLabelled(volume, searchParams.get('labelSelector')))
          : [{ metadata: { name: 'default' } }];
      response.end(JSON.stringify({ items }));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  rmSync(folder, { recursive: true });
  return Object.assign(has, {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ca,
    token,
    asked: () => asked,
    turnedAway: () => turnedAway,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  });
}

/** A page of a list: `continue` says where the next page begins. */
function pageOf(items: readonly JsonObject[], asked: URLSearchParams): JsonObject {
  const from = Number(asked.get('continue') ?? 0);
  const to = from + Number(asked.get('limit') ?? Infinity);
  return { metadata: to < items.length ? { continue: String(to) } : {}, items: items.slice(from, to) };
}

/** Whether an object has the label of a selector. */
function isLabelled({ metadata }: JsonObject, selector: string | null): boolean {
  const [name = '', value] = selector?.split('=') ?? [];
  return selector === null || ((metadata as JsonObject).labels as JsonObject | undefined)?.[name] === value;
}
