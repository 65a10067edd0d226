import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { surroundings } from '../surroundings/config.js';
import { detachedArguments, welcome } from './run-up.js';
import { upCommand } from './up.js';
import type { UpProgram } from './up-program.js';

describe('what up prints when everything is ready', () => {
  const info = {
    url: 'http://127.0.0.1:1',
    natsUrl: 'nats://127.0.0.1:2',
    tokenFile: '/data/token',
    dataDir: '/data',
    pid: 1,
    startedAt: '',
  };

  it('names the address of the dashboard', () => {
    expect(welcome(info)).toContain(': http://127.0.0.1:1/ui\n');
  });

  it('says in one line that its services are not kept apart, and where to read which are', () => {
    const lines = welcome(info).split('\n');
    const said = lines.filter((line) => line.includes('master key'));
    expect(said).toEqual([expect.stringMatching(/as one user.*docs\/security\.md/)]);
    const security = readFileSync(new URL('../../../../docs/security.md', import.meta.url), 'utf8');
    expect(security).toContain('## Which deployments keep services apart');
  });
});

describe('what up prints of settings', () => {
  it('is each that differs from the default, with where it was given', () => {
    const shown = { name: 'LOG_LEVEL', value: 'debug', default: 'info', from: '--set', services: ['lcm-api'] };
    const said = welcome({ url: '', natsUrl: '', tokenFile: '', dataDir: '', pid: 1, startedAt: '', settings: [shown] });
    expect(said).toContain(
      'The services are told other than their defaults:\n  LOG_LEVEL=debug instead of info (--set; lcm-api)\n',
    );
  });
});

describe('the options of up', () => {
  const flags = (own?: UpProgram): (string | undefined)[] => upCommand(surroundings({}), own).options.map(({ long }) => long);

  it('offer a lab where the program brings one, and not in the product’s own', () => {
    const bringLab = (): Promise<never> => Promise.reject(new Error('not started here'));
    expect(flags({ program: 'main.js', bringLab })).toContain('--lab');
    expect(flags()).not.toContain('--lab');
    expect(flags()).toContain('--detach');
  });

  it('name the kinds of Kubernetes that the lab has, and none where there is no lab', () => {
    const bringLab = (): Promise<never> => Promise.reject(new Error('not started here'));
    const own: UpProgram = { program: 'main.js', bringLab, labKubernetes: ['stand-in', 'real'] };
    const option = upCommand(surroundings({}), own).options.find(({ long }) => long === '--kubernetes');
    expect([option?.argChoices, option?.defaultValue]).toEqual([['stand-in', 'real'], 'stand-in']);
    expect(flags({ ...own, labKubernetes: [] })).not.toContain('--kubernetes');
    expect(flags()).not.toContain('--kubernetes');
  });

  it('go to the background with the lab that they are about: its default says nothing where there is none', () => {
    const options = { port: 8080, kubernetes: 'stand-in' };
    expect(detachedArguments(options, '/data')).toEqual(['up', '--data', '/data', '--port', '8080']);
    expect(detachedArguments({ ...options, lab: true }, '/data')).toEqual(
      expect.arrayContaining(['--lab', '--kubernetes', 'stand-in']),
    );
  });

  it('go to the background with how many processes services have, which one process for all refuses', async () => {
    const replicas = ['infra-driver=3', 'saga-coordinator=2'];
    expect(detachedArguments({ port: 0, replicas }, '/data').slice(-4)).toEqual([
      '--replicas',
      'infra-driver=3',
      '--replicas',
      'saga-coordinator=2',
    ]);
    const asked = (...words: string[]) =>
      upCommand({ ...surroundings({}), home: '/nowhere', cache: '/nowhere' }).parseAsync(['node', 'up', '--detach', ...words]);
    await expect(asked('--replicas', 'infra-driver=0')).rejects.toThrow(/a number from 1 to 20/);
    await expect(asked('--replicas', 'infra-driver=2', '--one-process')).rejects.toThrow(/leave one of both out/);
  });

  it('go to the background with the settings of the services', () => {
    const options = { port: 0, set: ['LOG_LEVEL=debug', 'STOP_WITHIN=9s'], config: 'lab.conf' };
    expect(detachedArguments(options, '/data').join(' ')).toContain(
      '--set LOG_LEVEL=debug --set STOP_WITHIN=9s --config lab.conf',
    );
  });

  it('refuse a setting that no service takes before anything is started, in the background too', async () => {
    const up = upCommand({ ...surroundings({}), home: '/nowhere', cache: '/nowhere' });
    const asked = up.parseAsync(['node', 'up', '--detach', '--set', 'LOG_LEVL=debug']);
    await expect(asked).rejects.toThrow('did you mean LOG_LEVEL?');
  });

  it('are refused where they say what a lab installs, and none is started', async () => {
    const bringLab = (): Promise<never> => Promise.reject(new Error('not started here'));
    const own: UpProgram = { program: 'main.js', bringLab, labKubernetes: ['stand-in', 'real'] };
    const asked = upCommand(surroundings({}), own).parseAsync(['node', 'up', '--kubernetes', 'real']);
    await expect(asked).rejects.toMatchObject({ code: 'up.kubernetes-without-lab' });
  });
});
