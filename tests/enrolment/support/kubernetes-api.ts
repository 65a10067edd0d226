import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** As much of a cluster's API as the VIM registry asks for, by TLS on loopback. */
export interface KubernetesApi {
  url: string;
  /** PEM; signs its own certificate. */
  ca: string;
  token: string;
  /** Requests that came with the token. */
  asked: () => number;
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
  const server = createServer({ key: readFileSync(key), cert: ca }, (request, response) => {
    if (request.headers.authorization !== `Bearer ${token}`) {
      response.writeHead(401).end();
      return;
    }
    asked += 1;
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify({ items: [{ metadata: { name: 'default' } }] }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  rmSync(folder, { recursive: true });
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ca,
    token,
    asked: () => asked,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
