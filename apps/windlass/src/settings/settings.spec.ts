import { testFolder } from '@windlass/embedded/testing';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { SERVICES } from '../deployment/services.js';
import { CONFIGURED_SERVICES, knownVariables } from './known-variables.js';
import { readSettings, settingLine, type Settings, type SettingsWish } from './settings.js';

const folder = testFolder();
afterAll(() => folder.remove());

const read = (wish: Partial<SettingsWish>): Promise<Settings> =>
  readSettings({ set: [], calledFrom: folder.path, environment: {}, inherited: {}, ...wish });
const refusal = (wish: Partial<SettingsWish>): Promise<string> =>
  read(wish).then(
    () => 'nothing was refused',
    (error: unknown) => (error as Error).message,
  );
const file = (text: string | Buffer, name = 'lab.conf'): string => {
  writeFileSync(join(folder.path, name), text);
  return name;
};

describe('settings of the services that `up` starts', () => {
  it('are told to those services alone that know the variable', async () => {
    const { environment } = await read({ set: ['LCM_MAX_PACKAGE_BYTES=4096', 'LOG_LEVEL=debug'] });
    expect(environment('lcm-api')).toEqual({ LCM_MAX_PACKAGE_BYTES: '4096', LOG_LEVEL: 'debug' });
    expect(environment('k8s-mgmt')).toEqual({ LOG_LEVEL: 'debug' });
  });

  it('come of the command line before the file, and of the file before the environment', async () => {
    const config = file('# mine\n\nLOG_LEVEL = warn\nSTOP_WITHIN="9s"\r\n');
    const environment = { WINDLASS_SET_LOG_LEVEL: 'error', WINDLASS_SET_STOP_WITHIN: '8s', WINDLASS_SET_DATABASE_POOL: '7' };
    const settings = await read({ set: ['LOG_LEVEL=trace'], config, environment });
    expect(settings.environment('lcm-api')).toEqual({ LOG_LEVEL: 'trace', STOP_WITHIN: '9s', DATABASE_POOL: '7' });
    expect(settings.shown.map(({ from }) => from)).toEqual([
      '--set',
      'lab.conf, line 4',
      'WINDLASS_SET_DATABASE_POOL of the environment',
    ]);
  });

  it.each([
    ['OUTBOUND_ALOW=127.0.0.1', 'no service knows OUTBOUND_ALOW; did you mean OUTBOUND_ALLOW?'],
    ['LCM_TOKENS_FIL=x', 'did you mean LCM_TOKENS_FILE?'],
    ['WHOLLY_UNLIKE_ANY=1', 'no service knows WHOLLY_UNLIKE_ANY (docs'],
    ['CALICO_MANIFEST_FILE=x', 'no service knows CALICO_MANIFEST_FILE; did you mean CALICO_MANIFEST?'],
    ['LOG_LEVEL', 'expected NAME=value, the name in capital letters, not LOG_LEVEL alone'],
    ['log_level=debug', 'expected NAME=value, the name in capital letters'],
    ['LOG_LEVEL=', 'LOG_LEVEL has no value; leave it out to keep its default'],
    ['LOG_LEVEL=de\nbug', 'the value of LOG_LEVEL has control characters'],
    ['LCM_PORT=8080', 'LCM_PORT is set by "up": give --port instead'],
    ['WINDLASS_PUBLIC_URL=http://a', 'give --public-url instead'],
    ['NATS_URL=nats://a:1', '"up" starts a NATS of its own'],
    ['DATABASE_URL_FILE=x', '"up" starts a PostgreSQL of its own'],
    ['MASTER_KEY_FILE=x', 'it lies in the data folder'],
    ['HEALTH_PORT=1', 'seven services would want the one port'],
    ['NFVO_PASSWORD=geheim', 'every user of this machine can read a command line: give NFVO_PASSWORD_FILE='],
  ])('refuse %s, and say why', async (text, why) => {
    const said = await refusal({ set: [text] });
    expect(said).toContain(why);
    expect(said).not.toContain('geheim');
  });

  it('refuse what a service would refuse at its start, in its words, all of it at once', async () => {
    const said = await refusal({ set: ['LCM_MAX_PACKAGE_BYTES=3', 'VIM_ALLOW=a host', 'ENGINE_LEASE=5'] });
    expect(said.split('\n')).toHaveLength(4);
    expect(said).toContain('  LCM_MAX_PACKAGE_BYTES is "3"; expected a number of bytes (lcm-api)');
    expect(said).toContain(
      'ENGINE_LEASE is "5"; expected a length of time such as 10s, at least 1s (saga-coordinator, vim-registry, lcm-api)',
    );
    expect(said).toMatch(/VIM_ALLOW is "a host"; expected .*\(vim-registry, infra-driver, k8s-mgmt/);
  });

  it('refuse what belongs together and is given alone', async () => {
    expect(await refusal({ set: ['NFVO_URL=http://a', 'NFVO_USER=u'] })).toContain('one of NFVO_USER and NFVO_PASSWORD is given');
    expect(await refusal({ set: ['LCM_PACKAGE_SIGNATURES=required'] })).toContain('LCM_PACKAGE_SIGNERS');
  });

  it('refuse a name that is given twice in one place: neither is the one that was meant', async () => {
    expect(await refusal({ set: ['LOG_LEVEL=debug', 'LOG_LEVEL=warn'] })).toContain('LOG_LEVEL is given twice (--set); keep one');
  });

  it.each([
    ['LOG_LEVEL=debug # loud', 'lab.conf, line 1: a comment stands on a line of its own'],
    ['\nexport LOG_LEVEL=debug', 'lab.conf, line 2: expected NAME=value'],
    ['LOG_LEVEL: debug', 'lab.conf, line 1: expected NAME=value'],
    [Buffer.from([0x4c, 0x3d, 0xff]), 'it is no text in UTF-8'],
    ['LOG_LEVEL=debug\nLOG_LEVEL=warn', 'lab.conf, line 2: LOG_LEVEL is given twice (lab.conf, line 1)'],
  ])('refuse the file %j, and say where', async (text, why) => {
    expect(await refusal({ config: file(text) })).toContain(why);
  });

  it('refuse a file that is not there, or a folder, in one sentence', async () => {
    mkdirSync(join(folder.path, 'folder'));
    expect(await refusal({ config: 'none.conf' })).toBe(
      '--config none.conf: there is no such file; expected a file with lines NAME=value',
    );
    expect(await refusal({ config: 'folder' })).toContain('--config folder: it is a folder');
  });

  it('find paths where they were written: of the command line where it was called, of a file beside it', async () => {
    mkdirSync(join(folder.path, 'etc'));
    writeFileSync(join(folder.path, 'etc/password'), 'x\n');
    const { environment } = await read({
      set: ['LCM_TOKENS_FILE=etc/tokens', 'NFVO_URL=https://nfvo.example', 'NFVO_USER=u'],
      config: file('NFVO_PASSWORD_FILE=password\n', 'etc/lab.conf'),
    });
    expect(environment('saga-coordinator')).toMatchObject({ NFVO_PASSWORD_FILE: join(folder.path, 'etc/password') });
    expect(environment('lcm-api').LCM_TOKENS_FILE).toBe(join(folder.path, 'etc/tokens'));
  });

  it('are shown where they differ from the defaults, and no secret with them', async () => {
    const { shown } = await read({
      set: ['LOG_LEVEL=info', 'STOP_WITHIN=9s', 'NFVO_URL=https://nfvo.example', 'NFVO_USER=u'],
      environment: { WINDLASS_SET_NFVO_PASSWORD: 'geheim' },
    });
    expect(shown.map(({ name, value }) => [name, value])).toEqual([
      ['STOP_WITHIN', '9s'],
      ['NFVO_URL', 'https://nfvo.example'],
      ['NFVO_USER', 'u'],
      ['NFVO_PASSWORD', '***'],
    ]);
    expect(shown.map(settingLine)[0]).toBe('STOP_WITHIN=9s instead of 30s (--set; all services)');
    expect(JSON.stringify(shown)).not.toContain('geheim');
  });

  it('are missed by a line where the environment has a variable that services know and nobody is told', async () => {
    const { untaken } = await read({
      environment: {
        LCM_MAX_PACKAGE_BYTES: '4096',
        NFVO_PASSWORD: 'geheim',
        DATABASE_URL: 'postgres://x',
        HOME: '/root',
        OUTBOUND_ALLOW: '127.0.0.1',
      },
      inherited: { OUTBOUND_ALLOW: '127.0.0.1', HOME: '/root' },
    });
    expect(untaken).toEqual([
      'LCM_MAX_PACKAGE_BYTES of the environment is not taken; give it by --set LCM_MAX_PACKAGE_BYTES=…, in a file by --config, or as WINDLASS_SET_LCM_MAX_PACKAGE_BYTES',
      'NFVO_PASSWORD of the environment is not taken; give NFVO_PASSWORD_FILE by --set, or WINDLASS_SET_NFVO_PASSWORD',
      'DATABASE_URL of the environment is not taken; "up" sets it itself: "up" starts a PostgreSQL of its own, in the data folder',
    ]);
  });

  it('of the environment that services are always told are read as the services read them, and shown', async () => {
    const inherited = { OUTBOUND_ALLOW: '127.0.0.1' };
    expect((await read({ inherited })).shown).toMatchObject([{ name: 'OUTBOUND_ALLOW', value: '127.0.0.1', default: '' }]);
    expect(await refusal({ inherited: { OUTBOUND_ALLOW: 'localhost' } })).toContain('OUTBOUND_ALLOW is "localhost"; expected');
  });

  it('that a lab decides are the lab’s', async () => {
    expect(await refusal({ set: ['LCM_KEYSTONE_URL=http://a'], lab: 'stand-in' })).toContain('with --lab it is the lab’s');
    expect(await refusal({ set: ['KUBERNETES_VERSION=1.33.1'], lab: 'real' })).toContain('--kubernetes real');
    expect(await refusal({ set: ['KUBERNETES_VERSION=1.33.1'], lab: 'stand-in' })).toBe('nothing was refused');
  });

  it('are known for every service that `up` starts', () => {
    expect([...CONFIGURED_SERVICES].sort()).toEqual(SERVICES.map(({ name }) => name).sort());
  });
});

describe('docs/configuration.md', () => {
  it('says for each variable which services read it', () => {
    const page = readFileSync(new URL('../../../../docs/configuration.md', import.meta.url), 'utf8');
    const rows = [...knownVariables().values()].map(
      ({ name, services }) => `| \`${name}\` | ${services.length === SERVICES.length ? 'all' : services.join(', ')} |`,
    );
    expect(rows.filter((row) => !page.includes(row))).toEqual([]);
  });
});
