import { randomUUID } from 'node:crypto';
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import type { AxiosInstance } from 'axios';
import { sha256, smallestPackage, VNFD_ID, zipOf, type PackageFiles } from '@windlass/vnf-package/testing';

/** The path and content of a file that the manifest of {@link signedPackage} declares. */
export const ARTIFACT = { path: 'Scripts/a b/install.sh', content: '#!/bin/sh\necho 0123456789\n' };

/** A package with a new VNFD id, an artifact that the manifest declares, and a file that it does not declare. */
export function signedPackage(changes: PackageFiles = {}): { vnfdId: string; zip: Buffer } {
  const vnfdId = randomUUID();
  const files = smallestPackage();
  const zip = zipOf({
    ...files,
    'Definitions/top.yaml': String(files['Definitions/top.yaml']).replaceAll(VNFD_ID, vnfdId),
    'TOSCA-Metadata/TOSCA.meta': `${String(files['TOSCA-Metadata/TOSCA.meta'])}ETSI-Entry-Manifest: manifest.mf\n`,
    'manifest.mf': `Source: ${ARTIFACT.path}\nAlgorithm: sha-256\nHash: ${sha256(ARTIFACT.content)}\n`,
    [ARTIFACT.path]: ARTIFACT.content,
    'Scripts/undeclared.sh': 'nobody may read this\n',
    ...changes,
  });
  return { vnfdId, zip };
}

/** An answer in bytes. */
export interface RawAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** Sends a GET with an unchanged path: axios would normalise it. */
export function rawGet(api: AxiosInstance, path: string, headers: Readonly<Record<string, string>> = {}): Promise<RawAnswer> {
  const { hostname, port } = new URL(String(api.defaults.baseURL));
  const token = { 'X-Auth-Token': 'test-token' };
  return new Promise((resolve, reject) => {
    const asked = httpRequest({ hostname, port, path, headers: { ...token, ...headers }, agent: false }, (answer) => {
      const parts: Buffer[] = [];
      answer.on('data', (part: Buffer) => parts.push(part));
      answer.on('error', reject);
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(parts) }));
    });
    asked.on('error', reject).end();
  });
}

/** A promise, and the function that resolves it. */
export function gate(): { passed: Promise<void>; open: () => void } {
  let open = (): void => undefined;
  const passed = new Promise<void>((resolve) => (open = resolve));
  return { passed, open };
}
