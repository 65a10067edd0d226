import { observing } from '@windlass/foundation';
import { AddressRules, defaultOutboundRules } from '@windlass/outbound';
import { AxiosError, type AxiosResponse } from 'axios';
import { createServer, type AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { ClusterApi } from './cluster-api.js';
import { translated } from './cluster-errors.js';

const terms = { fence: () => undefined, signal: new AbortController().signal, changeSignal: new AbortController().signal };
const CONFIG_MAP = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: 'one' };

describe('a cluster at an address that nobody allowed', () => {
  it('is not connected to, by a look or by a change, and each is told to the observer', async () => {
    let connections = 0;
    const told: string[] = [];
    const observer = {
      keepsSpans: true,
      ended: ({ kind, name }: { kind: string; name: string }) => void told.push(`${kind}: ${name}`),
    };
    const server = createServer((socket) => {
      connections += 1;
      socket.destroy();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const access = { connectionId: 'c', authUrl: `https://127.0.0.1:${port}`, token: 'sent to nobody' };
    const cluster = new ClusterApi(access, terms, new AddressRules(defaultOutboundRules));
    try {
      const refusal = {
        name: 'TerminalError',
        code: 'kubernetes.address-refused',
        message: expect.stringContaining('VIM_ALLOW') as string,
      };
      await observing(observer, async () => {
        await expect(cluster.find(CONFIG_MAP)).rejects.toMatchObject(refusal);
        await expect(cluster.apply(CONFIG_MAP, { apiVersion: 'v1', kind: 'ConfigMap' })).rejects.toMatchObject(refusal);
      });
      expect(connections).toBe(0);
      // The kinds of its version are looked for first, once.
      expect(told).toEqual(['vim: GET kubernetes']);
    } finally {
      cluster.close();
      server.close();
    }
  });
});

describe('the words of a refusal', () => {
  const told = (data: unknown, status = 404): string => {
    const response = { status, data } as AxiosResponse;
    return translated(new AxiosError('refused', 'ERR_BAD_REQUEST', undefined, undefined, response), 'a look').message;
  };

  it('are told of a Status of Kubernetes, and of nothing else', () => {
    const status = { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'NotFound', message: 'it said so' };
    expect(told(status)).toBe('the cluster refuses a look: it said so');
    for (const page of [
      { message: 'the secret page' },
      'the secret page',
      ['the secret page'],
      { kind: 'Secret', message: 'the secret page' },
    ])
      for (const code of [400, 403, 404, 409, 500]) expect(told(page, code)).not.toContain('secret page');
  });
});
