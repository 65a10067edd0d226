import { observing, type EndedWork } from '@windlass/foundation';
import { AxiosError, type AxiosResponse } from 'axios';
import { describe, expect, it } from 'vitest';
import { observedClusterRequest } from './cluster-request.js';

const url = new URL('https://user:hidden@cluster.example:6443/api/v1/namespaces/default/pods?labelSelector=hidden');

async function told(send: () => Promise<{ status: number }>, signal?: AbortSignal): Promise<{ work: EndedWork; ended: unknown }> {
  const all: EndedWork[] = [];
  const observer = { keepsSpans: true, ended: (work: EndedWork) => void all.push(work) };
  const ended: unknown = await observing(observer, () =>
    observedClusterRequest({ method: 'GET', url, signal }, send).catch((error: unknown) => error),
  );
  const [work] = all;
  if (work === undefined || all.length > 1) throw new Error(`${all.length} were told of`);
  return { work, ended };
}

const refused = (status: number): AxiosError =>
  new AxiosError('hidden', 'ERR_BAD_RESPONSE', undefined, undefined, { status, data: 'hidden' } as AxiosResponse);

describe('a request to a cluster', () => {
  it('is told with host, port and path, and with nothing that could hold a secret', async () => {
    const { work, ended } = await told(() => Promise.resolve({ status: 200, data: 'hidden' }));
    expect(ended).toEqual({ status: 200, data: 'hidden' });
    expect(work).toMatchObject({ kind: 'vim', name: 'GET kubernetes', outcome: '2xx', failed: false });
    expect(work.attributes).toEqual({
      'http.request.method': 'GET',
      'http.response.status_code': 200,
      'server.address': 'cluster.example',
      'server.port': 6443,
      'url.path': '/api/v1/namespaces/default/pods',
      'windlass.vim.service': 'kubernetes',
    });
    expect(JSON.stringify(work)).not.toContain('hidden');
  });

  it('that is answered with 404 has not failed, with 503 it has, and whoever asked hears the error itself', async () => {
    for (const [status, outcome, failed] of [
      [404, '4xx', false],
      [503, '5xx', true],
    ] as const) {
      const error = refused(status);
      const { work, ended } = await told(() => Promise.reject(error));
      expect(ended).toBe(error);
      expect(work).toMatchObject({ outcome, failed });
      expect(JSON.stringify(work)).not.toContain('hidden');
    }
  });

  it('without an answer says so, and says nothing of the cluster where nobody waits any more', async () => {
    const none = () => Promise.reject(new AxiosError('hidden', 'ECONNREFUSED'));
    expect((await told(none)).work).toMatchObject({ outcome: 'kubernetes.unreachable', failed: true });
    expect((await told(none, AbortSignal.abort())).work).toMatchObject({ outcome: 'aborted' });
  });
});
