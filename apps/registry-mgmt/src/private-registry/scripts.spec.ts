import { spawnSync } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ScriptBench } from '@windlass/driver-kit/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import * as access from './access-scripts.js';
import * as scripts from './scripts.js';

const { SECURE_REGISTRY } = access;
const { INSTALL_ENGINE, LOAD_IMAGE, PULL_IMAGE, RUN_CONTAINER, RUN_PROGRAM, VERIFY_REGISTRY } = scripts;

describe('scripts that run on the registry’s VM', () => {
  it.each(
    Object.entries({ SECURE_REGISTRY, INSTALL_ENGINE, LOAD_IMAGE, PULL_IMAGE, RUN_CONTAINER, RUN_PROGRAM, VERIFY_REGISTRY }),
  )('shellcheck has nothing to say about %s', (_name, text) => {
    const { error, stdout } = spawnSync('shellcheck', ['--shell=bash', '--severity=style', '-'], {
      input: text,
      encoding: 'utf8',
    });
    if (error !== undefined) throw new Error('shellcheck is missing: ./windlass test installs it', { cause: error });
    expect(stdout).toBe('');
  });
});

let vm: ScriptBench;
beforeEach(() => {
  vm = new ScriptBench()
    .programs('apt-get', 'dpkg', 'dpkg-query', 'tini-static', 'journalctl', 'chown')
    .program('systemctl', 'case $1 in is-active | is-failed) exit 3 ;; esac')
    .program('tar', 'echo layer')
    .program('hostname', 'echo registry')
    .program('sleep');
});
afterEach(() => vm.remove());

describe('an engine', () => {
  const install = (proxies = '') => {
    vm.file('job/apt', '')
      .file('job/proxies', proxies)
      .file('job/drop-in', scripts.dropIn(proxies !== ''));
    return vm.run(
      INSTALL_ENGINE,
      ['apt', 'proxies', 'drop-in'].map((name) => vm.at(`job/${name}`)),
    );
  };

  it('is one when a container has run on it', async () => {
    vm.program('docker');
    expect(await install('HTTP_PROXY=http://p\n')).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/engine: docker\n$/) as string,
    });
    expect(vm.calls.filter((call) => call.startsWith('docker run'))).toEqual([
      expect.stringMatching(/windlass-try \/tini-static --version$/),
    ]);
    expect(vm.read(scripts.PROXIES)).toBe('HTTP_PROXY=http://p\n');
    expect(vm.read(scripts.DROP_IN)).toContain('RequiresMountsFor=');
  });

  it('gets its client, where docker.io is the daemon alone as in Debian 13', async () => {
    vm.program('apt-get', `case "$*" in *docker-cli*) mv /run/docker "$(dirname "$0")/docker" ;; esac`);
    vm.executable('run/docker', 'true');
    expect(await install()).toMatchObject({ status: 0, stdout: expect.stringMatching(/engine: docker\n$/) as string });
    const installs = vm.calls.filter((call) => call.includes(' install '));
    expect(installs).toEqual([expect.stringContaining('docker.io'), expect.stringMatching(/ docker-cli$/)]);
  });

  it('that has a client with it gets no other', async () => {
    vm.program('docker');
    await install();
    expect(vm.calls.filter((call) => call.includes('docker-cli'))).toEqual([]);
  });

  it('that runs no container is none, and says why; it is not started again', async () => {
    vm.program('docker', 'if [ "$1" = run ]; then echo "runc: no cgroups here" >&2; exit 125; fi');
    const { status, stdout } = await install();
    expect({ status, stdout }).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/engine: none\nwhy: runc: no cgroups here ?\n$/) as string,
    });
    expect(vm.calls).toContain('systemctl disable --now docker.socket docker.service');
  });

  it('whose daemon does not come up is none, in the daemon’s words', async () => {
    vm.program('docker', 'exit 1')
      .program('systemctl', 'if [ "$1" = is-active ]; then exit 3; fi')
      .program('journalctl', 'echo "failed to start daemon: iptables is missing"');
    expect((await install()).stdout).toMatch(/engine: none\nwhy: failed to start daemon: iptables is missing ?\n$/);
  });

  it('that was installed with proxies has none left when it is installed without', async () => {
    vm.program('docker');
    await install('HTTP_PROXY=http://p\n');
    await install();
    expect(vm.has(scripts.PROXIES)).toBe(false);
    expect(vm.read(scripts.DROP_IN)).not.toContain('EnvironmentFile');
  });

  it('that the mirror does not give is tried again later', async () => {
    vm.program('docker').program('apt-get', 'exit 100');
    expect((await install()).status).toBe(75);
  });
});

describe('an image of the package', () => {
  const load = (says: string, status = 0) => {
    vm.program('docker', `if [ "$1" = load ]; then printf '${says}'; exit ${status}; fi`).file('image.tar', 'x');
    return vm.run(LOAD_IMAGE, [vm.at('image.tar'), 'the-sum', 'Files/image.tar']);
  };

  it.each([
    ['Loaded image: registry:latest\\n', 'registry:latest'],
    ['Loaded image: mine.example/registry:2\\n', 'mine.example/registry:2'],
    ['Loaded image: busybox:1\\nLoaded image: docker.io/library/registry:2\\n', 'docker.io/library/registry:2'],
    ['Loaded image ID: sha256:0123\\n', 'sha256:0123'],
    ['Loaded image: distribution:v3\\n', 'distribution:v3'],
  ])('of which docker says %j is %s, and the archive goes', async (says, image) => {
    expect(await load(says)).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(new RegExp(`image: ${image}\n$`)) as string,
    });
    expect(vm.read(scripts.LOADED)).toBe(`the-sum ${image}\n`);
    expect(vm.has('image.tar')).toBe(false);
  });

  it('that is no archive ends the operation with docker’s words', async () => {
    const { status, stderr } = await load('invalid tar header', 1);
    expect(status).toBe(1);
    expect(stderr).toContain(
      'Files/image.tar is no image that docker load takes; was it made by docker save? It said: invalid tar header',
    );
    expect(vm.has(scripts.LOADED)).toBe(false);
  });

  it('that holds several, of which none is a registry, is not guessed at', async () => {
    const { status, stderr } = await load('Loaded image: one:1\\nLoaded image: two:2\\n');
    expect({ status, stderr }).toMatchObject({ status: 1, stderr: expect.stringContaining('but: one:1 two:2') as string });
  });
});

describe('an image that is pulled', () => {
  const pull = (says: string) => {
    vm.program('docker', `if [ "$1" = pull ]; then echo "${says}" >&2; exit 1; fi`);
    return vm.run(PULL_IMAGE, ['registry:latest']);
  };

  it('is tried five times, and again later, while the network does not give it', async () => {
    expect(await pull('net/http: request canceled (Client.Timeout exceeded)')).toMatchObject({ status: 75 });
    expect(vm.calls.filter((call) => call.startsWith('docker pull'))).toHaveLength(5);
  });

  it.each(['manifest for registry:latest not found', 'blob unknown: blob unknown to registry: sha256:a3d8'])(
    'is not tried again when the registry has none: %s',
    async (says) => {
      const { status, stderr } = await pull(says);
      expect(status).toBe(1);
      expect(stderr).toContain('should image_path name a file of the package?');
      expect(vm.calls.filter((call) => call.startsWith('docker pull'))).toHaveLength(1);
    },
  );
});

describe('the registry', () => {
  const run = (closed: readonly ['yes' | 'no', 'yes' | 'no'], publish = '10.0.0.5:5001:5000') => {
    vm.program('docker');
    return vm.run(RUN_CONTAINER, [publish, 'registry:2', 'the-label', ...closed]);
  };

  it('as a container is made anew, comes back after a restart and has its data outside', async () => {
    expect(await run(['no', 'no'])).toMatchObject({ status: 0 });
    expect(vm.calls).toEqual([
      'docker rm --force private_registry',
      'docker run --detach --name private_registry --restart always --publish 10.0.0.5:5001:5000 --volume /private_registry:/var/lib/registry --label windlass.access=the-label registry:2',
    ]);
  });

  it.each<[readonly ['yes' | 'no', 'yes' | 'no'], RegExp]>([
    [['yes', 'no'], / REGISTRY_AUTH=htpasswd .*_REALM=private registry .*_PATH=\/etc\/windlass-access\/htpasswd registry:2$/],
    [
      ['no', 'yes'],
      / REGISTRY_HTTP_TLS_CERTIFICATE=\/etc\/windlass-access\/tls\.crt .*_TLS_KEY=\/etc\/windlass-access\/tls\.key registry:2$/,
    ],
  ])('as a container is given what closes it, of which it can write nothing: %j', async (closed, said) => {
    vm.file(`${scripts.ACCESS}/htpasswd`, '');
    await run(closed);
    const [call = ''] = vm.calls.filter((each) => each.startsWith('docker run'));
    expect(call.replaceAll(vm.root, '')).toMatch(said);
    expect(call.replaceAll(vm.root, '')).toContain(' --volume /etc/windlass-private-registry:/etc/windlass-access:ro ');
  });

  it('by itself takes the place of the package’s own service, and comes back after a restart', async () => {
    vm.file('config', scripts.programConfig('10.0.0.5:5001', { login: false })).file('unit', scripts.PROGRAM_UNIT);
    expect(await vm.run(RUN_PROGRAM, ['10.0.0.5:5001', vm.at('config'), vm.at('unit')])).toMatchObject({ status: 0, stderr: '' });
    expect(vm.calls.filter((call) => /^systemctl (dis|en)able|restart/.test(call))).toEqual([
      'systemctl disable --now docker-registry.service',
      'systemctl enable private_registry.service',
      'systemctl restart private_registry.service',
    ]);
    expect(vm.read('etc/docker/registry/private_registry.yml')).toContain('addr: "10.0.0.5:5001"');
  });
});

describe('the health of a registry', () => {
  let server: Server | undefined;
  let asked: string[] = [];
  let asks = false;
  const serve = (status: number): Promise<string> =>
    new Promise((resolve) => {
      [asked, asks] = [[], false];
      server = createServer((request, response) => {
        asked.push(`${request.method} ${request.url}`);
        const refused = asks && request.headers.authorization === undefined;
        response.writeHead(refused ? 401 : status).end('{}');
      }).listen(0, '127.0.0.1', () => resolve(String((server?.address() as AddressInfo).port)));
    });
  afterEach(() => new Promise<void>((resolve) => (server === undefined ? resolve() : server.close(() => resolve()))));

  it('is an answer to GET /v2/', async () => {
    const port = await serve(200);
    expect(await vm.run(VERIFY_REGISTRY, [port, 'docker', '0', '127.0.0.1', 'no', ''])).toMatchObject({ status: 0 });
    expect(asked).toEqual(['GET /v2/']);
  });

  it('with a login is an answer to who logs in alone', async () => {
    const port = await serve(200);
    vm.program('docker', 'echo "listening"').file('login', `Authorization: Basic ${'a'.repeat(12)}`);
    const verify = () => vm.run(VERIFY_REGISTRY, [port, 'docker', '0', '127.0.0.1', 'no', vm.at('login')]);
    expect(await verify(), 'one that lets everybody in').toMatchObject({ status: 1 });
    asks = true;
    expect(await verify()).toMatchObject({ status: 0 });
    expect((await verify()).stdout).not.toContain('aaaa');
  });

  it('is not there where something else answers, or what it printed would have told', async () => {
    vm.program('docker', 'echo "panic: permission denied"');
    const port = await serve(503);
    const { status, stderr } = await vm.run(VERIFY_REGISTRY, [port, 'docker', '0', '127.0.0.1', 'no', '']);
    expect(status).toBe(1);
    expect(stderr).toMatch(/after 0 s: HTTP\/1\.[01] 503 .*\. It printed at last:\npanic: permission denied/);
  });

  it('of the program by itself is told by its journal', async () => {
    const port = await serve(200);
    await new Promise<void>((resolve) => server?.close(() => resolve()));
    server = undefined;
    vm.program('journalctl', 'echo "listen tcp: address already in use"');
    const { stderr } = await vm.run(VERIFY_REGISTRY, [port, 'none', '0', '127.0.0.1', 'no', '']);
    expect(stderr).toMatch(/no answer\. It printed at last:\nlisten tcp: address already in use/);
    expect(vm.calls).toContain('journalctl --unit=private_registry.service --lines=20 --no-pager --output=cat');
  });
});
