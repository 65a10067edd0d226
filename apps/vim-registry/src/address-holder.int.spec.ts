import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import { createServer as createMute } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AddressRules, defaultOutboundRules } from '@windlass/outbound';
import type { ClusterNode } from '@windlass/messaging';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { holderOf, namesAtAddress } from './address-holder.js';

const url = 'https://127.0.0.1:16443';

let kubelet: Server;
let port: number;

beforeAll(async () => {
  // As a kubelet that makes its own certificate.
  const folder = mkdtempSync(join(tmpdir(), 'windlass-kubelet-'));
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '1'];
  const name = ['-subj', '/CN=master11@1795766400', '-addext', 'subjectAltName=DNS:master11'];
  execFileSync('openssl', ['req', '-x509', ...kind, ...name, '-keyout', key, '-out', cert], { stdio: 'ignore' });
  kubelet = createServer({ key: readFileSync(key), cert: readFileSync(cert) }, (_request, response) =>
    response.writeHead(401).end(),
  );
  rmSync(folder, { recursive: true });
  await new Promise<void>((resolve) => kubelet.listen(0, '127.0.0.1', resolve));
  ({ port } = kubelet.address() as AddressInfo);
});
afterAll(() => kubelet.close());

const node = (name: string, role: 'master' | 'worker', address: string): ClusterNode => ({
  name,
  role,
  ready: 'True',
  reason: null,
  since: null,
  schedulable: true,
  version: '',
  runtime: '',
  os: '',
  addresses: [address],
});
const NODES = [
  node('master10', 'master', '10.0.0.10'),
  node('master11', 'master', '10.0.0.11'),
  node('worker12', 'worker', '10.0.0.12'),
];

describe('who has the address of a cluster’s API', () => {
  it('is the master whose kubelet answers there, though it lets nobody in', async () => {
    const names = await namesAtAddress({ url, rules: undefined, port });
    expect(names).toEqual(['master11', 'master11']);
    expect(holderOf(url, NODES, names)).toBe('master11');
  });

  it('is the node whose own address it is, whatever is said there', () => {
    expect(holderOf('https://10.0.0.10:6443', NODES, ['master11'])).toBe('master10');
    expect(holderOf('https://[fd00::1]:6443', [node('one', 'master', 'fd00::1')], [])).toBe('one');
  });

  it('is nobody where a worker or a stranger answers: no master has it', () => {
    expect(holderOf(url, NODES, ['worker12', 'balancer'])).toBeNull();
  });

  it('is not known where nobody answers, what answers says nothing, or it may not be connected to', async () => {
    const mute = createMute(() => undefined);
    await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve));
    const silent = (mute.address() as AddressInfo).port;
    const refused = new AddressRules(defaultOutboundRules);
    expect(await namesAtAddress({ url, rules: refused, port })).toEqual([]);
    expect(await namesAtAddress({ url, rules: undefined, port: 1 })).toEqual([]);
    expect(await namesAtAddress({ url, rules: undefined, port: silent })).toEqual([]);
    mute.close();
  });
});
