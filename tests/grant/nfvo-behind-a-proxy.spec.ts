import { Secret } from '@windlass/foundation';
import { HttpProxyServer } from '@windlass/openstack/testing';
import { testServer, type TestServer } from '@windlass/outbound/testing';
import { NfvoClient, NfvoConfig, nfvoOf } from '@windlass/saga-coordinator';
import { readConfig } from '@windlass/service-kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const LOGIN = 'ann:hunter2-proxy';
let proxy: HttpProxyServer;
let nfvo: TestServer;

beforeAll(async () => {
  proxy = await HttpProxyServer.start(LOGIN);
  nfvo = await testServer((_request, response) => void response.writeHead(202, { location: '/grant/v1/grants/7' }).end());
});
afterAll(async () => {
  await nfvo.close();
  await proxy.close();
});

/** As the coordinator makes it of its environment. */
function client(by: Secret): NfvoClient {
  const core = { NATS_URL: 'nats://127.0.0.1:4222', DATABASE_URL: 'postgres://u:p@127.0.0.1/w', MASTER_KEY: 'ab'.repeat(32) };
  const places = { NFVO_URL: nfvo.url, WINDLASS_PUBLIC_URL: 'http://vnfm.example', NFVO_PROXY: by.reveal() };
  const settings = nfvoOf(readConfig(NfvoConfig, { ...core, ...places }));
  if (settings === undefined) throw new Error('no NFVO is configured');
  return new NfvoClient(settings);
}
const ask = (to: NfvoClient) => to.ask('{}', { again: false, signal: new AbortController().signal });

describe('an NFVO that is reached by a proxy alone', () => {
  it('is asked through NFVO_PROXY, with the proxy’s login', async () => {
    expect(await ask(client(proxy.url()))).toEqual({ location: `${nfvo.url}/grant/v1/grants/7` });
    expect(proxy.seen).toEqual([`POST ${nfvo.url}/grant/v1/grants`]);
  });

  it('is not asked where the proxy takes no such login, which is told without it', async () => {
    const before = nfvo.seen.length;
    const failure = await ask(client(proxy.url('ann:wrong-word'))).catch((error: unknown) => error as Error);
    expect(failure).toMatchObject({ code: 'outbound.proxy-refused', message: expect.stringContaining('NFVO_PROXY') as string });
    expect(JSON.stringify(failure)).not.toContain('wrong-word');
    expect(nfvo.seen).toHaveLength(before);
  });
});
