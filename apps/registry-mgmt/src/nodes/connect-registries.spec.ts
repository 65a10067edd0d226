import type { RegistryInput } from '@windlass/driver-kit';
import { crashSuite, undoSuite } from '@windlass/driver-kit/testing';
import { testCertificates, testFolder } from '@windlass/embedded/testing';
import { afterAll, describe, expect, it } from 'vitest';
import { bench, fileOf, nodes } from '../testing/nodes.js';

const PASSWORD = 'hunter2-of-the-registry';
const certificates = testFolder();
const ca = testCertificates(certificates.path, 'registries').read('ca.pem');
const files = { 'Files/ca.crt': ca };
const overHttp: RegistryInput = { server: '192.168.0.10:5000', scheme: 'http' };
const overHttps: RegistryInput = {
  server: 'registry.example.com',
  scheme: 'https',
  username: 'me',
  password: PASSWORD,
  certificate: fileOf(files, 'Files/ca.crt'),
  hosts: { address: '192.168.0.20', names: ['registry.example.com'] },
};
const registries = [overHttp, overHttps];

afterAll(() => certificates.remove());

const RECORD = '/var/lib/windlass/registries';
const CREDENTIALS = '/var/lib/kubelet/config.json';
const folder = (server: string): string => `/etc/containerd/certs.d/${server}`;

crashSuite('a node that is connected to registries', {
  bench: (points) => bench({ registries, files, ...points }),
  stands: ({ file }) => {
    for (const node of ['a', 'b']) {
      expect(file(`${folder(overHttp.server)}/hosts.toml`, node)).toContain('server = "http://192.168.0.10:5000"');
      expect(file(`${folder(overHttps.server)}/hosts.toml`, node)).toContain(`ca = "${folder(overHttps.server)}/ca.crt"`);
      expect(file(RECORD, node)).toBe('192.168.0.10:5000\nregistry.example.com\n');
      expect(file('/etc/hosts', node)).toContain('192.168.0.20 registry.example.com\n');
    }
  },
});

undoSuite('a connection to registries', {
  bench: (points) => bench({ registries, files, ...points }),
  left: {
    'connect-registries:a': ({ file }) =>
      [
        file(`${folder(overHttp.server)}/hosts.toml`),
        file(`${folder(overHttps.server)}/ca.crt`),
        file(CREDENTIALS),
        file(RECORD),
        /registry/.exec(file('/etc/hosts') ?? '')?.[0],
      ].find((each) => each !== undefined),
  },
});

describe('a node that is connected to registries', () => {
  it('has the CA that the package has, and the kubelet’s credentials where root alone reads them', async () => {
    const { runner, file, hosts } = bench({ registries, files });
    await runner.run();
    expect(file(`${folder(overHttps.server)}/ca.crt`)?.trim()).toBe(ca.trim());
    const auth = Buffer.from(`me:${PASSWORD}`).toString('base64');
    expect(JSON.parse(file(CREDENTIALS)!)).toEqual({ auths: { 'registry.example.com': { auth } } });
    expect(hosts.machine('server-a').stat(CREDENTIALS)?.mode).toBe(0o600);
    expect(file('/etc/containerd/config.toml')).toContain('config_path = "/etc/containerd/certs.d"');
  });

  it('is left alone where it has all that already', async () => {
    const on = nodes();
    await bench({ registries, files, on }).runner.run();
    const before = on.changes.length;
    await bench({ registries, files, on, operationId: 'another' }).runner.run();
    expect(on.changes).toHaveLength(before);
    expect(on.hosts.processes).toHaveLength(2);
  });

  it('logs in to projects of one registry each by its own, and forgets one of them alone; entries of others stay', async () => {
    const on = nodes();
    const theirs = { auths: { 'registry.example.com/theirs': { auth: 'eA==' } } };
    on.hosts
      .machine('server-a')
      .files.set(CREDENTIALS, { content: Buffer.from(JSON.stringify(theirs)), mode: 0o600, owner: 'root' });
    const of = (project: string, username: string): RegistryInput => ({ ...overHttps, project, username });
    const first = bench({ registries: [overHttps, of('team-a', 'a'), of('team-b/x', 'b')], files, on });
    await first.runner.run();
    const auths = (made: typeof first) => {
      const { auths: found } = JSON.parse(made.file(CREDENTIALS)!) as { auths: Record<string, { auth: string }> };
      return Object.entries(found).map(([name, { auth }]) => `${name} ${Buffer.from(auth, 'base64').toString().split(':')[0]!}`);
    };
    expect(auths(first)).toEqual([
      'registry.example.com/theirs x',
      'registry.example.com me',
      'registry.example.com/team-a a',
      'registry.example.com/team-b/x b',
    ]);
    expect(on.manifests[0]!.filter((line) => line.endsWith('/hosts.toml'))).toHaveLength(1);
    expect(on.manifests[0]!.filter((line) => line.startsWith('ask '))).toHaveLength(3);
    const later = bench({ registries: [of('team-a', 'a')], files, on, operationId: 'another' });
    await later.runner.run();
    expect(auths(later)).toEqual(['registry.example.com/theirs x', 'registry.example.com/team-a a']);
    expect(later.file(`${folder('registry.example.com')}/hosts.toml`)).toBeDefined();
    expect(later.file(RECORD)).toBe('registry.example.com/team-a\n');
  });

  it('has what lies in containerd’s other folders linked before those stand in its configuration no more', async () => {
    const on = nodes();
    const config = `version = 3\n[plugins.'io.containerd.cri.v1.images'.registry]\n  config_path = '/etc/containerd/certs.d:/srv/theirs'\n`;
    for (const node of ['server-a', 'server-b'])
      on.hosts
        .machine(node)
        .files.set('/etc/containerd/config.toml', { content: Buffer.from(config), mode: 0o644, owner: 'root' });
    const { runner, file, hosts } = bench({ registries, files, on });
    await runner.run();
    expect(file('/var/lib/windlass/registry-folders')).toBe('/srv/theirs\n');
    expect(file('/etc/containerd/config.toml')).not.toContain('theirs');
    const manifest = on.manifests[0]!;
    const at = (line: RegExp) => manifest.findIndex((each) => line.test(each));
    expect(at(/registry-folders$/)).toBeLessThan(at(/^links/));
    expect(at(/hosts\.toml$/)).toBeLessThan(at(/^links/));
    expect(at(/^links/)).toBeLessThan(at(/config\.toml$/));
    hosts.on(/for theirs in/, { status: 1 });
    const before = on.hosts.processes.length;
    await bench({ registries, files, on, operationId: 'another' }).runner.run();
    expect(on.hosts.processes.length, 'something was put there meanwhile').toBeGreaterThan(before);
  });

  it('gets its credentials again where somebody took them away, and what is not theirs stays', async () => {
    const on = nodes();
    await bench({ registries, files, on }).runner.run();
    const others = { auths: { 'other.example.com': { auth: 'eA==' } }, credHelpers: {} };
    on.hosts
      .machine('server-a')
      .files.set(CREDENTIALS, { content: Buffer.from(JSON.stringify(others)), mode: 0o600, owner: 'root' });
    const again = bench({ registries, files, on, operationId: 'another' });
    await again.runner.run();
    const { auths, credHelpers } = JSON.parse(again.file(CREDENTIALS)!) as { auths: object; credHelpers: object };
    expect(Object.keys(auths)).toEqual(['other.example.com', 'registry.example.com']);
    expect(credHelpers).toEqual({});
  });

  it('forgets those that it is not told of any more, and keeps what others wrote', async () => {
    const on = nodes();
    on.hosts
      .machine('server-a')
      .files.set('/etc/hosts', { content: Buffer.from('127.0.0.1 localhost\n'), mode: 0o644, owner: 'root' });
    await bench({ registries, files, on }).runner.run();
    const later = bench({ registries: [overHttp], on, operationId: 'another' });
    await later.runner.run();
    expect(later.file(`${folder(overHttps.server)}/hosts.toml`)).toBeUndefined();
    expect(later.file(`${folder(overHttps.server)}/ca.crt`)).toBeUndefined();
    expect(later.file(CREDENTIALS)).toBeUndefined();
    expect(later.file('/etc/hosts')).toBe('127.0.0.1 localhost\n');
    expect(later.file(`${folder(overHttp.server)}/hosts.toml`)).toBeDefined();
    expect(later.file(RECORD)).toBe('192.168.0.10:5000\n');
  });

  it('shows no password, in whatever form, in a command, in what is told of the step or in an error', async () => {
    const { runner, hosts, lines } = bench({ registries, files });
    const auth = Buffer.from(`me:${PASSWORD}`).toString('base64');
    hosts.on(/script\.sh/, { status: 1, stderr: `refused ${PASSWORD} ${auth}\n` });
    const failure = String(await runner.run().catch((error: unknown) => error));
    expect(failure).toContain('refused');
    const shown = [
      failure,
      ...lines,
      ...hosts.processes.map(({ command }) => command),
      ...hosts.looks.map(({ command }) => command),
    ];
    for (const text of shown) expect(text).not.toMatch(new RegExp(`${PASSWORD}|${auth.replaceAll('=', '')}`));
  });

  it('with Docker in containerd’s place has the CA where Docker looks, and HTTP where Docker takes it', async () => {
    const on = nodes({}, 'containerd\ndockerd\n');
    const config = Buffer.from('disabled_plugins = ["cri"]\n');
    for (const node of ['server-a', 'server-b'])
      on.hosts.machine(node).files.set('/etc/containerd/config.toml', { content: config, mode: 0o644, owner: 'root' });
    const { runner, file } = bench({ registries, files, on });
    await runner.run();
    expect(file('/etc/docker/certs.d/registry.example.com/ca.crt')?.trim()).toBe(ca.trim());
    expect(JSON.parse(file('/etc/docker/daemon.json')!)).toEqual({ 'insecure-registries': ['192.168.0.10:5000'] });
    expect(file('/etc/containerd/config.toml')).toBe(config.toString());
    expect(file(`${folder(overHttps.server)}/hosts.toml`)).toBeUndefined();
    expect(JSON.parse(file(CREDENTIALS)!)).toHaveProperty(['auths', 'registry.example.com']);
  });

  it('without anything that pulls images is refused, with its name', async () => {
    const { runner } = bench({ registries, files, runtimes: '' });
    await expect(runner.run()).rejects.toMatchObject({
      code: 'node.no-container-runtime',
      message: expect.stringContaining('vm-a') as string,
    });
  });

  it.each([
    ['a path', { server: '../../x', scheme: 'http' }],
    ['a folder', { server: '..', scheme: 'http' }],
    ['a path of a project', { server: 'a', project: '../x', scheme: 'http' }],
    ['more words of a project', { server: 'a', project: 'x y', scheme: 'http' }],
    ['shell', { server: 'a;reboot', scheme: 'http' }],
    ['TOML', { server: 'a"\nskip_verify = true', scheme: 'https' }],
    ['more lines of /etc/hosts', { server: 'a', scheme: 'http', hosts: { address: '10.0.0.1', names: ['b\n10.0.0.2 c'] } }],
    ['an address that is none', { server: 'a', scheme: 'http', hosts: { address: '10.0.0.1 x', names: ['b'] } }],
  ] as [string, RegistryInput][])('takes no name that is %s', async (_, registry) => {
    const { runner, hosts } = bench({ registries: [registry] });
    await expect(runner.run()).rejects.toMatchObject({ code: 'registry.name' });
    expect(hosts.processes).toEqual([]);
  });

  it.each([
    ['has no certificate', 'a key, perhaps', 'it has no certificate in PEM'],
    ['has one that is cut off', ca.replace(/.{200}(?=\n-----END)/s, ''), 'its certificate 1 can’t be read'],
  ])('is told which file of the package %s', async (_, content, why) => {
    const wrong = { 'Files/ca.crt': content };
    const { runner } = bench({ registries: [{ ...overHttps, certificate: fileOf(wrong, 'Files/ca.crt') }], files: wrong });
    await expect(runner.run()).rejects.toMatchObject({
      code: 'registry.certificate',
      message: expect.stringContaining(why.replace('’', "'")) as string,
    });
  });
});
