import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { JsonObject } from '@windlass/foundation';
import { listAt, objectAt, stringAt } from '../kube/object.js';

/** How to reach an API server, and as whom. PEM texts. */
export interface Access {
  /** `https://10.0.0.1:6443` */
  server: string;
  ca?: string;
  cert?: string;
  key?: string;
  token?: string;
  /** Skips the check of the server's certificate: discovery by token does that on purpose, once. */
  insecure?: boolean;
}

/** A kubeconfig file can't be used. */
export class KubeconfigError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'KubeconfigError';
  }
}

const base64 = (text: string): string => Buffer.from(text, 'utf8').toString('base64');

/** A kubeconfig with one cluster, one user and one context, as kubeadm writes them. */
export function kubeconfigOf(access: Access, names: { cluster: string; user: string }): JsonObject {
  const context = `${names.user}@${names.cluster}`;
  const user: JsonObject = {
    ...(access.cert === undefined ? {} : { 'client-certificate-data': base64(access.cert) }),
    ...(access.key === undefined ? {} : { 'client-key-data': base64(access.key) }),
    ...(access.token === undefined ? {} : { token: access.token }),
  };
  return {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      {
        name: names.cluster,
        cluster: {
          ...(access.ca === undefined ? {} : { 'certificate-authority-data': base64(access.ca) }),
          server: access.server,
        },
      },
    ],
    contexts: [{ name: context, context: { cluster: names.cluster, user: names.user } }],
    'current-context': context,
    preferences: {},
    users: [{ name: names.user, user }],
  };
}

/** Reads a kubeconfig file. @throws KubeconfigError when it is not there or not one */
export async function loadKubeconfig(path: string): Promise<Access> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    throw new KubeconfigError(`failed to load admin kubeconfig: ${error instanceof Error ? error.message : String(error)}`);
  }
  return parseKubeconfig(text, dirname(path));
}

/** The current context of a kubeconfig text; relative file names are taken from `folder`. */
export async function parseKubeconfig(text: string, folder: string): Promise<Access> {
  const { parse } = await import('yaml');
  const config = parse(text) as unknown;
  const named = (list: string, name: string | undefined): unknown =>
    listAt(config, list).find((entry) => stringAt(entry, 'name') === name);
  const current = stringAt(config, 'current-context');
  // A discovery file has a cluster without any context.
  const context = objectAt(named('contexts', current), 'context');
  const cluster = objectAt(
    context === undefined ? listAt(config, 'clusters')[0] : named('clusters', stringAt(context, 'cluster')),
    'cluster',
  );
  const user = objectAt(named('users', stringAt(context, 'user')), 'user');
  const server = stringAt(cluster, 'server');
  if (server === undefined) throw new KubeconfigError('invalid configuration: no server found for the current context');
  const material = async (holder: JsonObject | undefined, member: string): Promise<string | undefined> => {
    const data = stringAt(holder, `${member}-data`);
    if (data !== undefined) return Buffer.from(data, 'base64').toString('utf8');
    const file = stringAt(holder, member);
    return file === undefined ? undefined : readFile(resolve(folder, file), 'utf8');
  };
  const [ca, cert, key] = await Promise.all([
    material(cluster, 'certificate-authority'),
    material(user, 'client-certificate'),
    material(user, 'client-key'),
  ]);
  const token = stringAt(user, 'token');
  return {
    server,
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
    ...(token === undefined ? {} : { token }),
  };
}
