import { describe, expect, it } from 'vitest';
import { Refused, type ApiClient } from '../api/client.js';
import { onboard, type Onboarding } from './onboarding.js';

/** An API that takes a package so, and says this of it. */
function api(takes: () => Promise<void>, shown: object = {}): { client: ApiClient; asked: string[] } {
  const asked: string[] = [];
  const json = (body: object): Response => new Response(JSON.stringify(body));
  const client = {
    post: (path: string) => {
      asked.push(`POST ${path}`);
      return Promise.resolve(json({ id: 'p1' }));
    },
    upload: async (path: string, _file: Blob, onSent: (sent: number, of: number) => void) => {
      asked.push(`PUT ${path}`);
      onSent(1, 2);
      await takes();
    },
    send: (method: string, path: string) => {
      asked.push(`${method} ${path}`);
      return Promise.resolve(json(shown));
    },
  };
  return { client: client as unknown as ApiClient, asked };
}
const file = new Blob(['zip']);
const PACKAGES = '/vnfpkgm/v1/vnf_packages';
const P1 = `${PACKAGES}/p1`;

describe('the upload of a package', () => {
  it('is told on its way, and what onboarding said in the end', async () => {
    const shown = { id: 'p1', onboardingState: 'CREATED', onboardingFailureDetails: { detail: 'no VNFD' } };
    const { client } = api(() => Promise.resolve(), shown);
    const told: Onboarding[] = [];
    await onboard(client, file, (how) => told.push(how), new AbortController().signal);
    expect(told).toEqual([
      { is: 'sending', sent: 0, of: 3 },
      { is: 'sending', sent: 1, of: 2 },
      { is: 'read' },
      { is: 'said', shown },
    ]);
  });

  it.each(['refused', 'stopped'])('that was %s leaves nothing, and is told why', async (why) => {
    const { client, asked } = api(() => Promise.reject(new Refused(413, 'x', why)));
    await expect(onboard(client, file, () => undefined, new AbortController().signal)).rejects.toThrow(why);
    expect(asked).toEqual([`POST ${PACKAGES}`, `PUT ${P1}/package_content`, `DELETE ${P1}`]);
  });

  it('that was stopped before anything was sent sends nothing, and leaves nothing', async () => {
    const stopped = new AbortController();
    const { client, asked } = api(() => Promise.resolve());
    const made = client.post(PACKAGES, {});
    client.post = () => (stopped.abort(new Error('the upload was stopped')), made);
    await expect(onboard(client, file, () => undefined, stopped.signal)).rejects.toThrow('the upload was stopped');
    expect(asked).toEqual([`POST ${PACKAGES}`, `DELETE ${P1}`]);
  });

  it('that was stopped on its way is taken away once the API has let go of it', async () => {
    const { client, asked } = api(() => Promise.reject(new Error('stopped')));
    const send = client.send.bind(client);
    let refused = 1;
    client.send = (method, path) => {
      if (refused-- <= 0) return send(method, path);
      return Promise.reject(new Refused(409, 'vnf-package.uploading', 'wait for it'));
    };
    await expect(onboard(client, file, () => undefined, new AbortController().signal)).rejects.toThrow('stopped');
    expect(asked.at(-1)).toBe(`DELETE ${P1}`);
  });

  it('that can’t be taken away is told of', async () => {
    const { client } = api(() => Promise.reject(new Error('stopped')));
    client.send = () => Promise.reject(new Error('nobody answers'));
    const stopped = onboard(client, file, () => undefined, new AbortController().signal);
    await expect(stopped).rejects.toThrow(/^stopped\. What was made for it is left/);
  });

  it('that is left while the package is read keeps it', async () => {
    const left = new AbortController();
    const { client, asked } = api(() => Promise.resolve());
    const following = onboard(client, file, ({ is }) => is === 'read' && left.abort(), left.signal);
    await expect(following).rejects.toThrow('no longer followed');
    expect(asked.some((each) => each.startsWith('DELETE'))).toBe(false);
  });
});
