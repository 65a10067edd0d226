import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { Agent } from 'node:https';
import { join } from 'node:path';
import { connect, type SecureVersion, type TLSSocket } from 'node:tls';
import { testFolder } from '@windlass/embedded/testing';
import { millis, seconds, waitUntil, type JsonObject } from '@windlass/foundation';
import { ServerTls } from '@windlass/lcm-api';
import axios, { type AxiosResponse } from 'axios';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startReplica, type Replica } from '../observability/support/replicas.js';
import { startSystem, type System } from '../support/system.js';
import { listening } from './support/access.js';

const INSTANCES = '/vnflcm/v1/vnf_instances';
const folder = testFolder();
const at = (...names: string[]): string => join(folder.path, ...names);

/** An authority, and certificates of a server and a client from it, each with its key. */
function certificatesIn(name: string): void {
  mkdirSync(at(name));
  const openssl = (...args: string[]): void => void execFileSync('openssl', args, { cwd: at(name), stdio: 'pipe' });
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  openssl('req', '-x509', ...key, '-keyout', 'ca.key', '-out', 'ca.pem', '-subj', `/CN=${name}`, '-days', '2');
  writeFileSync(at(name, 'names'), 'subjectAltName=DNS:localhost,IP:127.0.0.1\n');
  for (const who of ['server', 'client']) {
    openssl('req', ...key, '-keyout', `${who}.key`, '-out', `${who}.csr`, '-subj', `/CN=${who} of ${name}`);
    const from = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-extfile', 'names'];
    openssl('x509', '-req', '-in', `${who}.csr`, ...from, '-out', `${who}.pem`, '-days', '2');
  }
}

/** The files that a server is told of get the content of others, as a renewal does it. */
function renew(files: string, from: string): void {
  mkdirSync(at(files), { recursive: true });
  for (const file of ['server.pem', 'server.key', 'ca.pem']) copyFileSync(at(from, file), at(files, file));
}

let system: System;
const lines: string[] = [];

async function served(files: string, clients: boolean): Promise<Replica> {
  const { certFile, keyFile, caFile } = {
    certFile: at(files, 'server.pem'),
    keyFile: at(files, 'server.key'),
    caFile: at(files, 'ca.pem'),
  };
  const tls = new ServerTls({ certFile, keyFile, ...(clients ? { caFile } : {}) }, listening(lines), millis(20));
  return startReplica(system, { more: { tls } });
}

interface Client {
  ca: string;
  certificate?: string;
}

function ask({ url, token }: Replica, { ca, certificate }: Client, method = 'GET'): Promise<AxiosResponse<JsonObject>> {
  const own =
    certificate === undefined
      ? {}
      : { cert: readFileSync(at(certificate, 'client.pem')), key: readFileSync(at(certificate, 'client.key')) };
  const httpsAgent = new Agent({ ca: readFileSync(at(ca, 'ca.pem')), ...own });
  return axios.request<JsonObject>({
    method,
    url: `${url}${method === 'GET' ? INSTANCES : '/vnfpkgm/v1/vnf_packages'}`,
    headers: { 'X-Auth-Token': token },
    httpsAgent,
    proxy: false,
    ...(method === 'GET' ? {} : { data: {} }),
    validateStatus: () => true,
  });
}

beforeAll(async () => {
  for (const name of ['first', 'second']) certificatesIn(name);
  system = await startSystem();
});
afterAll(async () => {
  await system.close();
  folder.remove();
});

describe('the REST API with a certificate', () => {
  it('is served by https, and its links say so', async () => {
    renew('plain', 'first');
    const replica = await served('plain', false);
    expect(replica.url).toMatch(/^https:/);
    const created = await ask(replica, { ca: 'first' }, 'POST');
    expect([created.status, String(created.headers.location).startsWith(`${replica.url}/`)]).toEqual([201, true]);
    await expect(ask(replica, { ca: 'second' })).rejects.toThrow(/unable to|self-signed|signature/i);
    await expect(axios.get(replica.url.replace('https:', 'http:'), { proxy: false })).rejects.toThrow(/hang up|ECONNRESET/);
    await replica.stop();
  });

  it.each([
    ['TLSv1.1', 'refused'],
    ['TLSv1.2', 'TLSv1.2'],
    ['TLSv1.3', 'TLSv1.3'],
  ])('a client of %s is %s', async (version, expected) => {
    renew('versions', 'first');
    const replica = await served('versions', false);
    expect(await handshake(replica, version as SecureVersion)).toBe(expected);
    await replica.stop();
  });

  it('takes a renewed one without a restart, and connections that there are stay', async () => {
    renew('renewed', 'first');
    const replica = await served('renewed', false);
    const open = connect({ port: Number(new URL(replica.url).port), host: '127.0.0.1', ca: readFileSync(at('first', 'ca.pem')) });
    await new Promise((resolve) => open.once('secureConnect', resolve));
    renew('renewed', 'second');
    const status = await waitUntil(
      async (seen) => {
        try {
          return (await ask(replica, { ca: 'second' })).status;
        } catch (error) {
          seen(String(error));
          return undefined;
        }
      },
      { for: 'the renewed certificate', within: seconds(20), every: millis(50) },
    );
    expect(status).toBe(200);
    expect(await overTheOld(open, replica.token)).toMatch(/^HTTP\/1\.1 200 /);
    open.destroy();
    await replica.stop();
  });

  it('keeps the one before while the files do not belong together, and the log says so', async () => {
    renew('torn', 'first');
    const replica = await served('torn', false);
    lines.length = 0;
    copyFileSync(at('second', 'server.key'), at('torn', 'server.key'));
    await waitUntil(() => Promise.resolve(lines.length > 0 || undefined), {
      for: 'a line',
      within: seconds(20),
      every: millis(20),
    });
    expect(lines[0]).toMatch(/error the certificate of the REST API can’t be renewed.*LCM_TLS_KEY_FILE is not the key/);
    expect((await ask(replica, { ca: 'first' })).status).toBe(200);
    await replica.stop();
  });
});

describe('with an authority of clients', () => {
  it('lets in who has a certificate of it, and a token: one without the other is not enough', async () => {
    renew('mutual', 'first');
    const replica = await served('mutual', true);
    expect((await ask(replica, { ca: 'first', certificate: 'first' })).status).toBe(200);
    await expect(ask(replica, { ca: 'first' })).rejects.toThrow(/certificate required|ECONNRESET|EPIPE|hang up/i);
    await expect(ask(replica, { ca: 'first', certificate: 'second' })).rejects.toThrow(
      /unknown ca|ECONNRESET|EPIPE|hang up|decrypt/i,
    );
    const without = await ask({ ...replica, token: 'wrong' }, { ca: 'first', certificate: 'first' });
    expect(without.status).toBe(401);
    await replica.stop();
  });
});

/** The version that a handshake ends with. */
function handshake({ url }: Replica, version: SecureVersion): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({
      port: Number(new URL(url).port),
      host: '127.0.0.1',
      ca: readFileSync(at('first', 'ca.pem')),
      minVersion: version,
      maxVersion: version,
      // Node’s own would not even offer the old ones.
      ciphers: 'DEFAULT:@SECLEVEL=0',
    });
    socket.once('secureConnect', () => {
      resolve(String(socket.getProtocol()));
      socket.destroy();
    });
    socket.once('error', () => resolve('refused'));
  });
}

function overTheOld(socket: TLSSocket, token: string): Promise<string> {
  return new Promise((resolve, reject) => {
    socket.once('data', (data: Buffer) => resolve(data.toString('latin1')));
    socket.once('error', reject).once('close', () => reject(new Error('the connection was closed')));
    socket.write(`GET ${INSTANCES} HTTP/1.1\r\nHost: x\r\nX-Auth-Token: ${token}\r\n\r\n`);
  });
}
