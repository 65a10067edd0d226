import { describe, expect, it } from 'vitest';
import type { ApiClient } from '../api/client.js';
import { audited } from './audit.js';

const api = (audit: object): { client: ApiClient; bodies: unknown[] } => {
  const bodies: unknown[] = [];
  const client = {
    post: (_path: string, body: unknown) => {
      bodies.push(body);
      return Promise.resolve(new Response(null, { headers: { Location: 'http://x.invalid/windlass/v1/audits/a1' } }));
    },
    send: (_method: string, path: string) =>
      path === '/windlass/v1/audits/a1' ? Promise.resolve(new Response(JSON.stringify(audit))) : Promise.reject(new Error(path)),
  };
  return { client: client as unknown as ApiClient, bodies };
};

describe('an audit that is asked for', () => {
  it('is waited for, and removes nothing unless that was asked for', async () => {
    const { client, bodies } = api({ state: 'DONE', report: { at: 'then' } });
    expect(await audited(client, false, new AbortController().signal)).toEqual({ at: 'then' });
    expect(bodies).toEqual([{ fix: false }]);
  });

  it('that could not be done says why', async () => {
    const { client } = api({ state: 'GIVEN_UP', report: null, error: { detail: 'no VIM answered' } });
    await expect(audited(client, false, new AbortController().signal)).rejects.toThrow('no VIM answered');
  });

  it('is asked for no more once the page was left', async () => {
    const left = new AbortController();
    left.abort();
    await expect(audited(api({ state: 'PENDING', report: null }).client, false, left.signal)).rejects.toThrow('nobody waits');
  });
});
