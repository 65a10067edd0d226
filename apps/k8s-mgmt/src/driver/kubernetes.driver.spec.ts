import { millis, TransientError, type JsonObject } from '@windlass/foundation';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { clusterVimId } from '../ids.js';
import { defaultSettings } from '../settings.js';
import { bench } from '../testing/bench.js';
import { guideParams, INSTANCE, PARAMS, plainParams, script, validateRequest } from '../testing/requests.js';
import { chooseScript } from './script-choice.js';
import { KubernetesDriver } from './kubernetes.driver.js';

const vim = (id: string, name: string) => ({
  id,
  name,
  description: '',
  type: 'kubernetes' as const,
  auth_url: 'https://10.10.0.24:6443',
  auth_cred: { bearer_token: 't', ssl_ca_cert: 'c' },
});

describe('the driver', () => {
  it('says which hooks and actions it has, and which parameters are secrets', () => {
    const { driver } = bench();
    const { hooks, actions, parameters } = driver.describe();
    expect(hooks).toEqual(['instantiate_end', 'terminate_start', 'terminate_end']);
    expect(actions.map(({ name, version }) => `${name}@${version}`).sort()).toEqual(
      bench()
        .actions.map(({ key }) => key)
        .sort(),
    );
    expect(JSON.stringify(parameters).match(/"writeOnly":true/g)).toHaveLength(4);
  });

  it('says that its own actions do the work where the script says so, and which script runs where not', async () => {
    const { driver } = bench();
    const builtin = await driver.validate(validateRequest(plainParams()));
    expect(builtin.warnings.join()).toContain('Scripts/install_k8s_cluster.sh is not run');
    const packaged = await driver.validate(validateRequest(plainParams(), { files: [script('#!/bin/bash')] }));
    expect(packaged.warnings.join()).toContain('of the package is run on every node');
  });

  it('shows no password of a proxy in what it says, and leaves proxies as they were sent', async () => {
    const params = guideParams();
    ((params[PARAMS] as JsonObject).proxy as JsonObject).http_proxy = 'gopher://user1:password1@host1:port1';
    const reply = await bench().driver.validate(validateRequest(params));
    expect(JSON.stringify(reply)).not.toContain('password1');
    expect((reply.normalised[PARAMS] as JsonObject).proxy).toBeUndefined();
  });

  it('refuses a VIM name that another VIM of the project has, before anything is installed', async () => {
    const { driver, vims } = bench();
    vims.vims.set('other', vim('other', 'kubernetes_vim'));
    const { invalidParams } = await driver.validate(validateRequest(plainParams()), 'demo');
    expect(invalidParams).toEqual([
      {
        path: `/additionalParams/${PARAMS}/vim_name`,
        reason: expect.stringContaining('a VIM named kubernetes_vim already') as string,
      },
    ]);
  });

  it('lets an instantiation be tried again whose VIM is there from the last time', async () => {
    const { driver, vims } = bench();
    vims.vims.set(clusterVimId(INSTANCE), vim(clusterVimId(INSTANCE), 'kubernetes_vim'));
    expect((await driver.validate(validateRequest(plainParams()), 'demo')).invalidParams).toEqual([]);
  });

  it('refuses to terminate a cluster that something runs on', async () => {
    const { driver, vims } = bench();
    const request = validateRequest({}, { operation: 'TERMINATE' });
    expect((await driver.validate(request, 'demo')).refusal).toBeUndefined();
    vims.usersOf.set(clusterVimId(INSTANCE), ['cnf-1']);
    expect(await driver.validate(request, 'demo')).toMatchObject({
      refusal: { code: 'vim.in-use', detail: expect.stringContaining('cnf-1') as string },
    });
  });

  it.each([
    ['is down', () => Promise.reject(new TransientError('messaging.no-responders', 'nobody serves windlass.vim.list now'))],
    ['says nothing', () => new Promise<never>(() => undefined)],
  ])('takes the request with a warning while the VIM registry %s', async (_how, down) => {
    const driver = new KubernetesDriver({
      settings: defaultSettings,
      actions: [],
      vims: { list: down, users: down },
      askWithin: millis(20),
    });
    const reply = await driver.validate(validateRequest(plainParams()), 'demo');
    expect(reply.invalidParams).toEqual([]);
    expect(reply.warnings.join()).toContain('could not be asked now');
    expect((await driver.validate(validateRequest({}, { operation: 'TERMINATE' }), 'demo')).refusal).toBeUndefined();
  });
});

describe('the sample requests', () => {
  const sample = (flavourId: string): JsonObject => {
    const url = new URL(`../../../../samples/requests/instantiate-kubernetes-${flavourId}.json`, import.meta.url);
    return (JSON.parse(readFileSync(url, 'utf8')) as { additionalParams: JsonObject }).additionalParams;
  };
  const checked = async (flavourId: string) => (await bench().driver.validate(validateRequest(sample(flavourId)))).invalidParams;

  it('are taken for the flavour with one master', async () => {
    expect(await checked('simple')).toEqual([]);
  });

  it.each(['complex', 'podaffinity'])('are refused for %s at the virtual address, with the reason', async (flavourId) => {
    expect(await checked(flavourId)).toEqual([
      {
        path: `/additionalParams/${PARAMS}/master_node/cluster_cp_name`,
        reason: expect.stringContaining('a virtual address for several masters is not done by this release') as string,
      },
    ]);
  });
});

describe('a cluster that goes', () => {
  it('is not deregistered while something uses it', async () => {
    const { runner, vims } = bench({ hook: { hook: 'terminate_start' } });
    await runner.run();
    vims.usersOf.set(clusterVimId(INSTANCE), ['cnf-1']);
    await expect(runner.run()).rejects.toMatchObject({ code: 'vim.in-use', name: 'TerminalError' });
  });

  it('leaves the registry and the instance, also when asked twice', async () => {
    const { runner, vims } = bench({ hook: { hook: 'terminate_end' } });
    vims.vims.set(clusterVimId(INSTANCE), vim(clusterVimId(INSTANCE), 'kubernetes_vim'));
    await runner.run();
    await runner.run();
    expect(vims.vims.size).toBe(0);
    expect(runner.outputs.get('deregister-vim')).toEqual({
      instance: { vimConnectionInfo: { removeVimIds: [clusterVimId(INSTANCE)] } },
    });
  });
});

describe('the choice of a script', () => {
  const choice = (firstLine: string, outdated: string[] = []) =>
    chooseScript('./Scripts/install_k8s_cluster.sh', [script(firstLine)], outdated)?.kind;

  it('is ours where the first line says so', () => {
    expect(choice('# windlass: builtin')).toBe('builtin');
    expect(choice('#!/bin/bash # windlass: builtin')).toBe('builtin');
  });

  it('is the package’s where it does not, whatever it says elsewhere', () => {
    for (const line of ['#!/bin/bash', 'windlass: builtin', '', '# windlass: builtins', 'echo # windlass: builtin'])
      expect(choice(line)).toBe('packaged');
  });

  it('is ours where the script is known to be outdated', () => {
    expect(choice('#!/bin/bash', ['AB'.repeat(32).toLowerCase()])).toBe('builtin');
  });

  it('is nobody’s where the package has no such file', () => {
    expect(chooseScript('Scripts/other.sh', [script()], [])).toBeUndefined();
  });
});
