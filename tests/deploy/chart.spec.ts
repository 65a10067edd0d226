import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '@windlass/foundation';
import { isEnrolled, SERVICES } from '@windlass/windlass';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { knownVariables } from '../../apps/windlass/src/settings/known-variables.js';

/** deploy/helm/windlass without helm, which tests/deploy/chart.containers.spec.ts runs: against the code and against docker-compose.yml. */
const root = join(import.meta.dirname, '../..');
const chart = join(root, 'deploy/helm/windlass');
const textOf = (...path: string[]): string => readFileSync(join(...path), 'utf8');

interface Compose {
  services: Record<string, { image: string; command?: string[]; environment?: Record<string, string> }>;
  secrets: Record<string, object>;
}
/** What `_services.tpl` says of a service. */
interface Told {
  core?: boolean;
  api?: boolean;
  enrolled?: boolean;
  secrets: Record<string, string>;
}
interface Values extends JsonObject {
  image: { repository: string };
  services: Record<string, JsonObject>;
  terminationGracePeriodSeconds: number;
}

const compose = parse(textOf(root, 'docker-compose.yml'), { merge: true }) as Compose;
const values = parse(textOf(chart, 'values.yaml')) as Values;
const schema = JSON.parse(textOf(chart, 'values.schema.json')) as JsonObject;
const deployments = textOf(chart, 'templates/deployments.yaml');
const [, table = ''] =
  /\{\{- define "windlass\.services" -\}\}\n([^]*?)\{\{- end \}\}/.exec(textOf(chart, 'templates/_services.tpl')) ?? [];
const told = parse(table) as Record<string, Told>;
const names = SERVICES.map(({ name }) => name);
const known = knownVariables();

/** The variables that the template gives to a service, in its `range` over them. */
const givenTo = ({ api = false, enrolled = false, secrets }: Told): string[] => {
  const [, before = '', forApi = '', forEnrolled = ''] =
    /^ {10}env:\n([^]*?)\n {12}\{\{- if \$is\.api \}\}\n([^]*?)\n {12}\{\{- end \}\}\n {12}\{\{- if \$is\.enrolled \}\}\n([^]*?)\n {12}\{\{- end \}\}/m.exec(
      deployments,
    ) ?? [];
  const namesIn = (text: string): string[] => [...text.matchAll(/\{ name: ([A-Z][A-Z0-9_]+),/g)].map(([, name = '']) => name);
  return [
    ...namesIn(before),
    ...(api ? namesIn(forApi) : []),
    ...(enrolled ? namesIn(forEnrolled) : []),
    ...Object.keys(secrets),
  ];
};
const validate = new Ajv({ strict: false, allErrors: true }).compile(schema);
const given = (more: JsonObject): JsonObject => ({
  ...structuredClone(values),
  publicUrl: 'https://windlass.example/vnfm',
  ...more,
});
/** Where the schema refuses values; none where it takes them. */
const refusedAt = (more: JsonObject): string[] =>
  validate(given(more)) ? [] : (validate.errors ?? []).map(({ instancePath }) => instancePath);

describe('the Helm chart', () => {
  it('has every service and no other, and says of each what the code says of it', () => {
    expect(Object.keys(told).sort()).toEqual([...names].sort());
    expect(Object.keys(values.services).sort()).toEqual([...names].sort());
    for (const service of SERVICES) {
      const { core = false, api = false, enrolled = false } = told[service.name] ?? { secrets: {} };
      expect([service.name, core, enrolled, api]).toEqual([
        service.name,
        service.core,
        isEnrolled(service),
        service.name === 'lcm-api',
      ]);
    }
  });

  it('gives each service the variables that compose gives it, by the same secrets', () => {
    for (const [name, is] of Object.entries(told)) {
      const { environment = {} } = compose.services[name] ?? {};
      // The chart has it where `config` says so.
      const given = Object.keys(environment).filter((variable) => variable !== 'OTEL_EXPORTER_OTLP_ENDPOINT');
      expect([name, givenTo(is).sort()]).toEqual([name, given.sort()]);
      const files = Object.entries(environment).filter(([variable]) => variable in is.secrets);
      expect(files.map(([variable, path]) => [variable, path.replace('/run/secrets/', '')])).toEqual(
        expect.arrayContaining(Object.entries(is.secrets)),
      );
      for (const secret of Object.values(is.secrets)) expect(Object.keys(compose.secrets)).toContain(secret);
    }
  });

  it('names no variable that is not known to the service which gets it', () => {
    for (const [name, is] of Object.entries(told))
      for (const variable of givenTo(is)) {
        const found = known.get(variable) ?? known.get(variable.replace(/_FILE$/, ''));
        expect([variable, found?.services.includes(name)]).toEqual([variable, true]);
      }
  });

  it('runs the programs of the same image, the one that hands over the audit trail by the same words', () => {
    expect(deployments).toContain('args: [apps/windlass/dist/services/{{ $name }}.js]');
    const { version } = JSON.parse(textOf(root, 'package.json')) as { version: string };
    const about = parse(textOf(chart, 'Chart.yaml')) as { version: string; appVersion: string };
    expect(about).toMatchObject({ version, appVersion: version });
    expect(compose.services['lcm-api']?.image).toBe(`${values.image.repository}:${about.appVersion}`);
    const [, args = ''] = /^ {10}args:\n((?: {12}- .*\n)+)/m.exec(textOf(chart, 'templates/migration.yaml')) ?? [];
    expect(parse(args)).toEqual(compose.services['trail-keeper']?.command);
  });

  it('waits for a stopping service longer than that may take', () => {
    const stop = parseInt(known.get('STOP_WITHIN')?.default ?? '', 10);
    const [, sleep = ''] = /preStop: \{ sleep: \{ seconds: (\d+) \} \}/.exec(deployments) ?? [];
    expect(values.terminationGracePeriodSeconds).toBeGreaterThan(stop + Number(sleep));
    expect((schema.properties as Record<string, { minimum?: number }>).terminationGracePeriodSeconds?.minimum).toBeGreaterThan(
      stop + Number(sleep),
    );
  });

  it('has values that its schema takes, once it is told where clients reach it', () => {
    expect(refusedAt({})).toEqual([]);
    expect(refusedAt({ publicUrl: '' })).toEqual(['/publicUrl']);
  });

  it('takes no secret among its values, nor a variable that it sets itself', () => {
    const secrets = [...known.values()].filter(({ secret }) => secret).map(({ name }) => name);
    expect(secrets).toEqual(expect.arrayContaining(['DATABASE_URL', 'MASTER_KEY', 'NFVO_PASSWORD', 'VIM_PROXY']));
    const own = new Set(Object.values(told).flatMap(givenTo));
    const files = [...known.values()].filter(({ name, secret }) => secret || name.endsWith('_FILE')).map(({ name }) => name);
    for (const variable of [...secrets, ...own, ...files]) {
      expect([variable, refusedAt({ config: { [variable]: 'x' } })]).not.toEqual([variable, []]);
      const service = { ...values.services['lcm-api'], config: { [variable]: 'x' } };
      expect(refusedAt({ services: { ...values.services, 'lcm-api': service } })).not.toEqual([]);
    }
    for (const variable of [...own].filter((name) => name.endsWith('_FILE')))
      expect([variable, refusedAt({ files: { [variable]: { secret: 'mine', key: 'x' } } })]).not.toEqual([variable, []]);
    for (const url of ['nats://lcm-api:secret@nats:4222', 'nats://one:4222,nats://lcm-api:secret@two:4222'])
      expect(refusedAt({ nats: { url } })).toEqual(['/nats/url']);
    expect(refusedAt({ nats: { url: 'tls://nats-0.nats:4222,tls://nats-1.nats:4222' } })).toEqual([]);
    expect(refusedAt({ publicUrl: 'https://me:secret@windlass.example' })).toEqual(['/publicUrl']);
  });

  it('takes every other variable of the configuration page, as a text or as a file', () => {
    const own = new Set(Object.values(told).flatMap(givenTo));
    for (const { name, secret, path } of known.values()) {
      const file = secret ? `${name}_FILE` : name;
      if (own.has(name) || own.has(file)) continue;
      if (secret || path) expect([file, refusedAt({ files: { [file]: { secret: 'mine', key: 'x' } } })]).toEqual([file, []]);
      else expect([name, refusedAt({ config: { [name]: 'x' } })]).toEqual([name, []]);
    }
    // As a number it would come out as 1e+06.
    expect(refusedAt({ config: { LCM_MAX_PACKAGE_BYTES: 1_000_000 } })).toEqual(['/config/LCM_MAX_PACKAGE_BYTES']);
  });

  it('refuses what it does not know, wherever it stands', () => {
    const wrong: JsonObject[] = [
      { replicas: 3 },
      { image: { repo: 'x' } },
      { services: { ...values.services, 'lcm-apis': values.services['lcm-api'] ?? {} } },
      { secrets: { 'lcm-tokens': { name: 'a', key: 'b' } } },
    ];
    for (const more of wrong) expect([more, refusedAt(more)]).not.toEqual([more, []]);
  });

  it('knows the places of exactly the secrets that services get', () => {
    const { propertyNames } = (schema.properties as Record<string, { propertyNames?: { enum: string[] } }>).secrets ?? {};
    const all = new Set(Object.values(told).flatMap(({ secrets }) => Object.values(secrets)));
    expect(propertyNames?.enum.sort()).toEqual([...all].sort());
  });

  it('writes no secret, and lets no template look one up in the cluster', () => {
    for (const file of readdirSync(join(chart, 'templates'))) {
      const text = textOf(chart, 'templates', file);
      expect([file, /\blookup\b|kind: Secret|\bgenPrivateKey\b|\brandAlpha/.test(text)]).toEqual([file, false]);
    }
  });

  it('has examples of a nightly backup and of a restore, whose words the command line knows and whose secrets the guides make', () => {
    const commands = ['backup.ts', 'restore.ts', 'meant-database.ts']
      .map((file) => textOf(root, 'apps/windlass/src/commands', file))
      .join('\n');
    const guides = ['helm.md', 'backup.md'].map((page) => textOf(root, 'docs/guides', page)).join('\n');
    for (const [file, kind] of [
      ['backup.yaml', 'CronJob'],
      ['restore.yaml', 'Job'],
    ] as const) {
      const text = textOf(root, 'deploy/helm/examples', file);
      expect([file, text.split('\n---\n').map((document) => (parse(document) as JsonObject).kind)]).toEqual([file, expect.arrayContaining([kind])]); // prettier-ignore
      const words = [...text.matchAll(/^ +- (--[a-z-]+)=(\S+)$/gm)];
      expect([file, words.map(([, option]) => option)]).toEqual([
        file,
        ['--key-file', '--database-url-file', '--master-key-file'],
      ]);
      for (const [, option = '', path = ''] of words) {
        expect(commands).toContain(`${option} <file>`);
        expect([file, text]).toEqual([file, expect.stringContaining(`path: ${path.replace('/run/secrets/', '')} }`)]);
      }
      for (const [, secret = ''] of text.matchAll(/secret: \{ name: ([a-z-]+)/g))
        expect(guides).toContain(`create secret generic ${secret} `);
      expect(guides).toContain(`deploy/helm/examples/${file}`);
      // By these the example's policy lets it reach PostgreSQL, as the chart's migration.
      expect([file, text]).toEqual([file, expect.stringContaining('app.kubernetes.io/name: windlass, app.kubernetes.io/component: migration')]); // prettier-ignore
    }
  });

  it('has a rule for prometheus-adapter in its guide, whose metric and query are those of the autoscaler and of promtool’s test', () => {
    const [, block = ''] = /```yaml\n(externalRules:[^]*?)```/.exec(textOf(root, 'docs/guides/helm.md')) ?? [];
    const [rule] = (parse(block) as { externalRules: { name: { as: string }; metricsQuery: string }[] }).externalRules;
    expect(deployments).toContain(`name: ${rule?.name.as ?? ''}\n`);
    expect(deployments).toContain('matchLabels: { worker_service: {{ $name }} }');
    const asked = rule?.metricsQuery.replace('<<.LabelMatchers>>', 'worker_service="infra-driver"') ?? '';
    expect(textOf(root, 'deploy/prometheus/windlass.test.yml')).toContain(`expr: '${asked}'`);
  });

  it('has commands in its guides that any shell takes, as they are pasted: no “!” and no comment behind them, which zsh has its own mind about', () => {
    const blocks = ['helm.md', 'backup.md'].flatMap((page) =>
      [...textOf(root, 'docs/guides', page).matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block),
    );
    const lines = blocks.filter((block) => /^(kubectl|helm) /m.test(block)).flatMap((block) => block.split('\n'));
    expect(lines.filter((line) => line.startsWith('kubectl ')).length).toBeGreaterThan(10);
    expect(lines.filter((line) => /!| #/.test(line))).toEqual([]);
  });
});
