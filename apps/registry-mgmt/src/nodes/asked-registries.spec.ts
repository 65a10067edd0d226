import { spawn } from 'node:child_process';
import { createServer as createHttp, type IncomingMessage, type RequestListener } from 'node:http';
import { createServer as createHttps } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { ScriptBench } from '@windlass/driver-kit/testing';
import { testCertificates, testFolder } from '@windlass/embedded/testing';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { curlLoginOf } from './kubelet-credentials.js';
import { CONNECT_REGISTRIES } from './scripts.js';

const PASSWORD = 'hunter "2" \\ $HOME';
const folder = testFolder();
const tls = testCertificates(folder.path, 'registries', ['IP:127.0.0.1']);
const others = testCertificates(`${folder.path}/others`, 'others', ['IP:127.0.0.1']);
afterAll(() => folder.remove());

const hasLogin = ({ headers }: IncomingMessage, password = PASSWORD): boolean =>
  headers.authorization === `Basic ${Buffer.from(`me:${password}`).toString('base64')}`;

/** The script that connects nodes, with the real curl, and registries of the test's own. */
describe('a registry that a node was told of', () => {
  let node: ScriptBench;
  const servers: Server[] = [];
  beforeEach(() => {
    node = new ScriptBench().program('systemctl', 'echo 0').program('hostname', 'echo vm-a').program('sleep');
    node.program('curl', 'exec /usr/bin/curl "$@"');
    node.file('etc/hosts', '').file('names', '').file('ca', tls.read('ca.pem')).file('other-ca', others.read('ca.pem'));
  });
  afterEach(() => {
    for (const server of servers.splice(0)) server.close();
    node.remove();
  });

  const served = async (listener: RequestListener, secure = false): Promise<string> => {
    const server = secure
      ? createHttps({ cert: tls.read('server.pem'), key: tls.read('server.key') }, listener)
      : createHttp(listener);
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return `127.0.0.1:${(server.address() as AddressInfo).port}`;
  };
  const asked = async (server: string, scheme: 'http' | 'https', { password = '', ca = '-' } = {}) => {
    const login = curlLoginOf({ server, scheme, username: 'me', password });
    if (password !== '') node.file('login', login!.reveal());
    node.file('manifest', `ask containerd ${server} ${scheme} ${password === '' ? '-' : 'login'} ${ca} ${server}\n`);
    return node.run(CONNECT_REGISTRIES, [node.at('manifest')]);
  };
  const closed: RequestListener = (request, response) =>
    void response.writeHead(hasLogin(request) ? 200 : 401, { 'www-authenticate': 'Basic realm="x"' }).end('{}');
  const open: RequestListener = (_, response) => void response.end('{}');

  it('answers by HTTP; its password is in no command line', async () => {
    expect(await asked(await served(closed), 'http', { password: PASSWORD })).toMatchObject({ status: 0, stderr: '' });
    expect(node.calls.join('\n')).not.toContain('hunter');
    expect(node.has('var/lib/windlass/registries-unanswered')).toBe(false);
  });

  it('answers by HTTPS with its CA, and with a login', async () => {
    expect(await asked(await served(closed, true), 'https', { password: PASSWORD, ca: 'ca' })).toMatchObject({ status: 0 });
  });

  it.each([
    [
      'a wrong password',
      closed,
      true,
      'https',
      { password: 'wrong', ca: 'ca' },
      'refuses the login: username or password is wrong',
    ],
    ['another CA', open, true, 'https', { ca: 'other-ca' }, 'certificate_path is missing or has another CA'],
    ['no CA', open, true, 'https', {}, 'is not trusted'],
    ['HTTPS where it speaks HTTP', open, false, 'https', {}, 'connection_type 0 is HTTP'],
    ['a page in its place', (_, response) => void response.writeHead(404).end(), false, 'http', {}, 'is no registry of http'],
  ] as [string, RequestListener, boolean, 'http' | 'https', { password?: string; ca?: string }, string][])(
    'is refused with %s: what is wrong stands in the error, and the step is not done',
    async (_, listener, secure, scheme, terms, why) => {
      const ended = await asked(await served(listener, secure), scheme, terms);
      expect(ended).toMatchObject({ status: 1, stderr: expect.stringContaining(why) as string });
      expect(ended.stderr).not.toContain('wrong\n');
      expect(node.has('var/lib/windlass/registries-unanswered')).toBe(true);
    },
  );

  it('that nobody has at its address is asked again, and then told with the address', async () => {
    const server = await served(open);
    servers.splice(0).forEach((each) => each.close());
    const { status, stderr } = await asked(server, 'http');
    expect(status).toBe(75);
    expect(stderr).toContain(`the registry ${server} does not answer: is it there, and are server and hosts_string right?`);
    expect(stderr).toContain(`http://${server}/v2/ from vm-a`);
    expect(node.calls.filter((call) => call.startsWith('curl'))).toHaveLength(3);
  });

  it('that asks for a login and was given none answers, for pods may have one of their own', async () => {
    expect(await asked(await served(closed), 'http')).toMatchObject({ status: 0 });
  });

  it('that sends for a token is asked for one with the login, and a wrong password is refused there', async () => {
    const own = { host: '' };
    own.host = await served((request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '/', 'http://x');
      if (pathname === '/token' && searchParams.get('service') === 'of mine')
        return void response.writeHead(hasLogin(request) ? 200 : 401).end('{}');
      const bearer = `Bearer realm="http://${own.host}/token",service="of mine"`;
      response.writeHead(401, { 'www-authenticate': bearer }).end();
    });
    expect(await asked(own.host, 'http', { password: PASSWORD })).toMatchObject({ status: 0 });
    const { status, stderr } = await asked(own.host, 'http', { password: 'wrong' });
    expect(status).toBe(1);
    expect(stderr).toContain('username or password is wrong');
  });

  it.each([
    ['to another registry', (host: string) => [307, { location: `http://${host}/v2/` }] as const, 'refuses the login'],
    [
      'for a token without TLS or its own scheme',
      (host: string) => [401, { 'www-authenticate': `Bearer realm="ftp://${host}/"` }] as const,
      'no address of http',
    ],
  ])('that sends %s has the login given to nobody else', async (_where, answer, says) => {
    const heard: (string | undefined)[] = [];
    const other = await served((request, response) => {
      heard.push(request.headers.authorization);
      response.writeHead(401).end();
    });
    const sending = await served((_request, response) => {
      const [status, headers] = answer(other);
      response.writeHead(status, headers).end();
    });
    const { status, stderr } = await asked(sending, 'http', { password: PASSWORD });
    expect(status).not.toBe(0);
    expect(stderr).toContain(says);
    expect(heard.filter((authorization) => authorization !== undefined)).toEqual([]);
  });

  it('is asked through the proxies of who pulls, and no others', async () => {
    const through: string[] = [];
    const proxy = await served((request, response) => {
      through.push(request.url ?? '');
      response.end('{}');
    });
    const puller = spawn('sleep', ['60'], { env: { HTTP_PROXY: `http://${proxy}`, no_proxy: '127.0.0.1' } });
    try {
      node.program('systemctl', `echo ${puller.pid ?? 0}`);
      expect(await asked('registry.invalid:5000', 'http')).toMatchObject({ status: 0 });
      expect(await asked(await served(open), 'http')).toMatchObject({ status: 0 });
      expect(through).toEqual(['http://registry.invalid:5000/v2/']);
    } finally {
      puller.kill();
    }
  });
});
