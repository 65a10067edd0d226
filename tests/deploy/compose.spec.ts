import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { infraDriver } from '@windlass/infra-driver';
import { k8sMgmt } from '@windlass/k8s-mgmt';
import { lcmApi } from '@windlass/lcm-api';
import { missingFixes } from '@windlass/messaging';
import { registryMgmt } from '@windlass/registry-mgmt';
import { sagaCoordinator } from '@windlass/saga-coordinator';
import { helpText, readConfig, variablesOf, type ServiceDefinition } from '@windlass/service-kit';
import { storageMgmt } from '@windlass/storage-mgmt';
import { vimRegistry } from '@windlass/vim-registry';
import { isEnrolled, natsUsersOf, SERVICES } from '@windlass/windlass';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';

interface Container {
  image: string;
  build?: object;
  pull_policy?: string;
  command?: string[];
  environment?: Record<string, string>;
  secrets?: string[];
  ports?: string[];
  depends_on?: Record<string, { condition: string }>;
  restart?: string;
  healthcheck?: { test?: string[]; disable?: boolean };
  stop_grace_period?: string;
  networks: string[];
  volumes?: string[];
  profiles?: string[];
  entrypoint?: string[];
}

interface Compose {
  services: Record<string, Container>;
  networks: Record<string, { internal?: boolean; ipam?: { config: { subnet: string }[] } }>;
  secrets: Record<string, { file: string }>;
}

/** Runs once before the services, and ends. */
const KEEPER = 'trail-keeper';
/** Runs where a person asks for it: a command on the record. */
const BY_HAND = 'record';

const root = join(import.meta.dirname, '../..');
const text = readFileSync(join(root, 'docker-compose.yml'), 'utf8');
/** As compose reads it where nobody gives a variable. */
const compose = parse(text.replace(/\$\{[A-Z_]+:-([^}]*)\}/g, '$1'), { merge: true }) as Compose;
const definitions = [
  sagaCoordinator,
  vimRegistry,
  lcmApi,
  infraDriver,
  k8sMgmt,
  storageMgmt,
  registryMgmt,
] as ServiceDefinition[];
const containers = Object.entries(compose.services);

/** What each secret's file holds in this test: of the kind that `make-secrets.mjs` makes. */
const contents: Record<string, string> = {
  'database-url': 'postgres://windlass:some-password@postgres:5432/windlass',
  'master-key': 'ab'.repeat(32),
  'lcm-token': 'a-token-long-enough-for-it',
  'enrolment-tokens': `infra-driver abcdefghijkl ${'ab'.repeat(32)}`,
};

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'windlass-compose-'));
  for (const name of Object.keys(compose.secrets)) writeFileSync(join(folder, name), `${contents[name] ?? 'some-password'}\n`);
});
afterAll(() => rmSync(folder, { recursive: true }));

const containerOf = (name: string): Container => {
  const container = compose.services[name];
  if (container === undefined) throw new Error(`docker-compose.yml has no service ${name}`);
  return container;
};

describe('docker-compose.yml', () => {
  it('has a container for every service, PostgreSQL, NATS and what hands over the audit trail, and nothing else', () => {
    expect(definitions.map(({ name }) => name).sort()).toEqual(SERVICES.map(({ name }) => name).sort());
    const others = ['nats', 'postgres', KEEPER, BY_HAND];
    expect(Object.keys(compose.services).sort()).toEqual([...SERVICES.map(({ name }) => name), ...others].sort());
  });

  it.each(definitions.map((definition) => [definition.name, definition] as const))(
    'tells %s all that its configuration needs, and nothing that it does not know',
    (name, definition) => {
      const { environment = {}, secrets = [] } = containerOf(name);
      const files = Object.values(environment).filter((value) => value.startsWith('/run/secrets/'));
      expect(files.map((file) => file.slice('/run/secrets/'.length)).sort()).toEqual([...secrets].sort());
      const told = Object.fromEntries(
        Object.entries(environment).map(([key, value]) => [key, value.replace('/run/secrets', folder)]),
      );
      expect(() => readConfig(definition.config, told)).not.toThrow();
      const known = [...helpText(definition).matchAll(/^ {2}([A-Z][A-Z0-9_]+)/gm)].map(([, variable]) => variable);
      expect(known).toContain('NATS_URL');
      for (const key of Object.keys(environment))
        expect(known, key).toContain(known.includes(key) ? key : key.replace(/_FILE$/, ''));
    },
  );

  it('runs each service’s own program, as its own NATS user, and waits for what it stands on', () => {
    for (const { name, core } of SERVICES) {
      const container = containerOf(name);
      expect(container.command).toEqual([`apps/windlass/dist/services/${name}.js`]);
      expect(container.environment).toMatchObject({ NATS_USER: name, NATS_PASSWORD_FILE: `/run/secrets/nats-${name}` });
      const healthy = { condition: 'service_healthy' };
      expect(container.depends_on).toEqual({
        nats: healthy,
        ...(core ? { postgres: healthy, [KEEPER]: { condition: 'service_completed_successfully' } } : {}),
      });
    }
    expect(natsUsersOf({}).map(({ name }) => name)).toEqual(SERVICES.map(({ name }) => name));
  });

  it('gives the master key and the database to the core services alone', () => {
    const holders = (secret: string): string[] =>
      containers.filter(([, { secrets = [] }]) => secrets.includes(secret)).map(([name]) => name);
    const core = SERVICES.filter((service) => service.core).map(({ name }) => name);
    expect(holders('master-key').sort()).toEqual([...core, BY_HAND].sort());
    expect(holders('database-url').sort()).toEqual([...core, KEEPER, BY_HAND].sort());
    expect(holders('lcm-token')).toEqual(['lcm-api']);
    expect(holders('nats-conf')).toEqual(['nats']);
    expect(holders('enrolment-tokens')).toEqual(['saga-coordinator']);
  });

  it('starts what commands on the record need where a person asks alone, and connects it to PostgreSQL and to nothing else', () => {
    const { profiles, networks, entrypoint, secrets, restart, environment } = containerOf(BY_HAND);
    expect({ profiles, networks, restart, environment }).toEqual({ profiles: ['by-hand'], networks: ['record'], restart: 'no' });
    expect(entrypoint).toEqual(['node', 'apps/windlass/dist/main.js']);
    expect(secrets).toEqual(['database-url', 'master-key']);
    expect(containers.filter(([, container]) => container.profiles !== undefined).map(([name]) => name)).toEqual([BY_HAND]);
    // What the guide makes beside the file gets neither into git nor into the image's build.
    for (const [file, prefix] of [
      ['.gitignore', '/'],
      ['deploy/images/Dockerfile.dockerignore', ''],
    ] as const) {
      const ignored = readFileSync(join(root, file), 'utf8')
        .split('\n')
        .map((line) => line.replace(/\/$/, ''));
      expect(ignored, file).toEqual(expect.arrayContaining([`${prefix}backups`, `${prefix}backup.key`]));
    }
  });

  it('hands the audit trail to its keeper before any service starts, and gives the superuser to nobody else', () => {
    const { command, restart, secrets } = containerOf(KEEPER);
    expect(command?.slice(0, 3)).toEqual(['apps/windlass/dist/main.js', 'audit-trail', 'separate']);
    expect(command?.slice(3).map((option) => option.replace(/^--[a-z-]+-file=\/run\/secrets\//, ''))).toEqual(secrets);
    expect(secrets).toEqual(['database-url', 'database-admin-url']);
    expect(restart).toBe('no');
    const superuser = containers.filter(([, { secrets: held = [] }]) => held.some((name) => name.includes('admin')));
    expect(superuser.map(([name]) => name).sort()).toEqual(['postgres', KEEPER].sort());
    expect(containerOf('postgres').environment).toMatchObject({ POSTGRES_USER: 'postgres' });
    const init = readFileSync(join(root, 'deploy/postgres/windlass.sh'), 'utf8');
    expect(init).toMatch(/^CREATE ROLE windlass LOGIN PASSWORD :'password';\nCREATE DATABASE windlass OWNER windlass;$/m);
    expect(statSync(join(root, 'deploy/postgres/windlass.sh')).mode & 0o111).toBe(0o111);
  });

  it('publishes the REST API on loopback and nothing else', () => {
    expect(containers.flatMap(([name, { ports = [] }]) => ports.map((port) => `${name} ${port}`))).toEqual([
      'lcm-api 127.0.0.1:9890:9890',
    ]);
  });

  it('lets PostgreSQL be reached by those alone that hold its password, and NATS by all services, on networks without a way out', () => {
    const on = (network: string): string[] =>
      containers.filter(([, { networks }]) => networks.includes(network)).map(([name]) => name);
    const holders = containers.filter(([, { secrets = [] }]) => secrets.includes('database-url')).map(([name]) => name);
    expect(on('record').sort()).toEqual(['postgres', ...holders].sort());
    expect(on('inside').sort()).toEqual(['nats', ...SERVICES.map(({ name }) => name)].sort());
    expect(Object.entries(compose.networks).map(([name, { internal = false }]) => [name, internal])).toEqual([
      ['inside', true],
      ['record', true],
      ['outside', false],
    ]);
  });

  it('serves health and metrics in the network inside, where a Prometheus finds them by the names that the file lists', () => {
    const subnet = compose.networks.inside?.ipam?.config[0]?.subnet ?? '';
    expect(isIP(subnet.split('/')[0] ?? '')).toBe(4);
    for (const { name } of SERVICES)
      expect(containerOf(name).environment).toMatchObject({ HEALTH_HOST: subnet, HEALTH_PORT: '9090' });
    const [, names = '', port] = /^ +# +dns_sd_configs: \[\{ names: \[(.*)\], type: A, port: (\d+) \}\]$/m.exec(text) ?? [];
    expect([names.split(', ').sort(), port]).toEqual([SERVICES.map(({ name }) => name).sort(), '9090']);
    for (const ports of containers.map(([, container]) => container.ports ?? [])) expect(ports.join()).not.toContain('9090');
  });

  it('builds the image once, in what runs before the services, and asks no registry for it', () => {
    const ours = containers.filter(([, { image }]) => image.startsWith('windlass:'));
    expect(ours.map(([name]) => name).sort()).toEqual([KEEPER, BY_HAND, ...SERVICES.map(({ name }) => name)].sort());
    expect(new Set(ours.map(([, { image }]) => image)).size).toBe(1);
    expect(containers.filter(([, { build }]) => build !== undefined).map(([name]) => name)).toEqual([KEEPER]);
    for (const [name, { pull_policy: policy }] of ours)
      expect([name, policy]).toEqual([name, name === KEEPER ? 'build' : 'never']);
  });

  it('gives a way out to the services whose configuration knows of others to connect to, and to no other container', () => {
    const abroad = ['VIM_ALLOW', 'OUTBOUND_ALLOW', 'NFVO_URL'];
    const leads = ({ config }: ServiceDefinition): boolean =>
      variablesOf(config.prototype as object).some(({ name }) => abroad.includes(name));
    const out = definitions.filter(leads).map(({ name }) => name);
    expect(out).toContain('saga-coordinator');
    const connected = containers.filter(([, { networks }]) => networks.includes('outside')).map(([name]) => name);
    expect(connected.sort()).toEqual(out.sort());
    // The file says of each what for.
    for (const name of out)
      expect(text).toMatch(new RegExp(`^  ${name}:\\n(?:    .*\\n)*?    # To outside: .+\\n    networks: `, 'm'));
  });

  it('gives each service that runs steps a token of its own to enrol with, and a place for its key that outlives it', () => {
    for (const service of SERVICES) {
      const { environment = {}, volumes = [] } = containerOf(service.name);
      const enrolled = isEnrolled(service);
      expect(environment.ENROLMENT_TOKEN_FILE).toBe(enrolled ? `/run/secrets/enrol-${service.name}` : undefined);
      expect(environment.WORKER_KEY_FILE).toBe(enrolled ? '/var/lib/windlass/worker.key' : undefined);
      expect(volumes).toEqual(enrolled ? [`keys-${service.name}:/var/lib/windlass`] : []);
    }
    const dockerfile = readFileSync(join(root, 'deploy/images/Dockerfile'), 'utf8');
    expect(dockerfile).toMatch(/install -d -o node -g node -m 0700 \/of-node\/windlass \\\n/);
    expect(dockerfile).toMatch(/^COPY --from=build --chown=1000:1000 \/of-node \/var\/lib$/m);
  });

  it('holds no secret itself: each is a file of its own that git ignores', () => {
    for (const [name, { file }] of Object.entries(compose.secrets)) expect(file).toBe(`deploy/secrets/${name}`);
    const used = new Set(containers.flatMap(([, { secrets = [] }]) => secrets));
    expect([...used].sort()).toEqual(Object.keys(compose.secrets).sort());
    expect(readFileSync(join(root, 'deploy/secrets/.gitignore'), 'utf8')).toMatch(/^\*$/m);
    expect(text).not.toMatch(/(PASSWORD|TOKEN|KEY|DATABASE_URL):/);
  });

  it('checks the health of every container, gives services time to detach, and pins every image to a version', () => {
    for (const [name, { healthcheck, image, stop_grace_period: grace }] of containers) {
      if (name === KEEPER || name === BY_HAND) expect(healthcheck).toEqual({ disable: true });
      else expect(healthcheck?.test?.[0], name).toBe('CMD');
      expect(image, name).toMatch(/:\d+\.\d+(\.\d+)?(-[a-z]+)?$/);
      if (name !== 'postgres' && name !== 'nats') expect(parseInt(grace ?? '0', 10)).toBeGreaterThan(30);
    }
  });

  it('takes PostgreSQL for ready by TCP: while its image initialises, a server answers at the unix socket, and stops again', () => {
    const asked = containerOf('postgres').healthcheck?.test ?? [];
    expect(asked[asked.indexOf('-h') + 1]).toBe('127.0.0.1');
  });
});

describe('the image of NATS', () => {
  it('has every security fix that services would warn of', () => {
    const [, version = ''] = /^nats:([\d.]+)-alpine$/.exec(containerOf('nats').image) ?? [];
    expect(version).not.toBe('');
    expect(missingFixes(version)).toBeUndefined();
  });
});

describe('the image', () => {
  it('has the security releases of its Node that are known here', () => {
    const dockerfile = readFileSync(join(root, 'deploy/images/Dockerfile'), 'utf8');
    const versions = [...dockerfile.matchAll(/^FROM node:(\d+)\.(\d+)\.\d+-bookworm-slim/gm)];
    expect(versions).toHaveLength(1);
    expect(dockerfile).toMatch(/^FROM scratch$/m);
    // The one of 18 June 2026 for 22.x.
    for (const [, major, minor] of versions) expect([major, Number(minor) >= 23]).toEqual(['22', true]);
  });

  it('installs nothing that calls home: an empty package of ours is in the place of @scarf/scarf', () => {
    const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, object>;
    };
    const scarf = Object.entries(packages).filter(([path]) => path.endsWith('/scarf'));
    const ours: object = { resolved: 'tools/no-scarf', link: true };
    expect(scarf).toEqual([['node_modules/@scarf/scarf', ours]]);
    expect(readFileSync(join(root, 'tools/no-scarf/package.json'), 'utf8')).not.toContain('scripts');
    expect(readFileSync(join(root, 'deploy/images/Dockerfile'), 'utf8')).toMatch(/COPY tools\/no-scarf .*\nRUN npm ci/);
  });

  it('builds the dashboard and the programs of services, and has what they are made of', () => {
    const dockerfile = readFileSync(join(root, 'deploy/images/Dockerfile'), 'utf8');
    expect(dockerfile).toMatch(
      /COPY docs\/contracts\/openapi.json [^]*tsc -b && node apps\/dashboard\/build.mjs && node apps\/windlass\/build-services.mjs apps\/windlass\/dist\/services /,
    );
  });

  it('runs as a user that Kubernetes can tell from root, says its version and licence, and takes its list of parts before files are left out', () => {
    const dockerfile = readFileSync(join(root, 'deploy/images/Dockerfile'), 'utf8');
    const { version, license } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Record<string, string>;
    expect(dockerfile).toMatch(/^USER 1000:1000$/m);
    expect(dockerfile).toContain(`org.opencontainers.image.version="${version}"`);
    expect(dockerfile).toContain(`org.opencontainers.image.licenses="${license}"`);
    expect(containerOf(KEEPER).image).toBe(`windlass:${version}`);
    expect(dockerfile).toMatch(/npm sbom --omit=dev --sbom-format=cyclonedx >sbom\.cdx\.json\n[^]*slim\.mjs \/windlass /);
    expect(dockerfile).toMatch(/^COPY --from=build .* \/windlass\/sbom\.cdx\.json \.\/$/m);
  });

  it('takes along what libraries read at run time beside their code', () => {
    const dockerfile = readFileSync(join(root, 'deploy/images/Dockerfile'), 'utf8');
    expect(dockerfile).toContain('test -d libs/vnf-package/data');
    expect(dockerfile).toMatch(/^COPY --from=build \/windlass\/libs libs$/m);
    const ignored = readFileSync(join(root, 'deploy/images/Dockerfile.dockerignore'), 'utf8').split('\n');
    expect(ignored).toContain('deploy/secrets');
    expect(ignored.some((line) => line.includes('data'))).toBe(false);
  });
});
