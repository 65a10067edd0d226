import type { JsonObject } from '@windlass/foundation';
import { clusterVimId } from '@windlass/mgmt-driver';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { bench } from '../testing/bench.js';
import { guideParams, INSTANCE, PARAMS, plainParams, script, validateRequest } from '../testing/requests.js';
import { chooseScript } from './script-choice.js';

const vim = (id: string, name: string) => ({
  id,
  name,
  description: '',
  type: 'kubernetes' as const,
  auth_url: 'https://10.10.0.24:6443',
  auth_cred: { bearer_token: 't', ssl_ca_cert: 'c' },
});

describe('the driver', () => {
  it('says which hooks it has, and which parameters are secrets', () => {
    const { driver } = bench();
    const { hooks, parameters } = driver.describe();
    expect(hooks).toEqual(['instantiate_start', 'instantiate_end', 'terminate_start', 'terminate_end']);
    expect(JSON.stringify(parameters).match(/"writeOnly":true/g)).toHaveLength(4);
  });

  it('says that its own actions do the work where the script says so, and which script runs where not', () => {
    const { driver } = bench();
    const builtin = driver.validate(validateRequest(plainParams()));
    expect(builtin.warnings.join()).toContain('Scripts/install_k8s_cluster.sh is not run');
    const packaged = driver.validate(validateRequest(plainParams(), { files: [script('#!/bin/bash')] }));
    expect(packaged.warnings.join()).toContain('of the package is run on every node');
  });

  it('shows no password of a proxy in what it says, and leaves proxies as they were sent', () => {
    const params = guideParams();
    ((params[PARAMS] as JsonObject).proxy as JsonObject).http_proxy = 'gopher://user1:password1@host1:port1';
    const reply = bench().driver.validate(validateRequest(params));
    expect(JSON.stringify(reply)).not.toContain('password1');
    expect((reply.normalised[PARAMS] as JsonObject).proxy).toBeUndefined();
  });

  it('says under which name it will register the cluster, and which field chose it', () => {
    const { vimNames } = bench().driver.validate(validateRequest(plainParams()));
    expect(vimNames).toEqual([{ path: `/additionalParams/${PARAMS}/vim_name`, name: 'kubernetes_vim' }]);
  });
});

describe('the sample requests', () => {
  const sample = (flavourId: string): JsonObject => {
    const url = new URL(`../../../../samples/requests/instantiate-kubernetes-${flavourId}.json`, import.meta.url);
    return (JSON.parse(readFileSync(url, 'utf8')) as { additionalParams: JsonObject }).additionalParams;
  };
  const checked = (flavourId: string) => bench().driver.validate(validateRequest(sample(flavourId))).invalidParams;

  it('are taken for the flavour with one master', () => {
    expect(checked('simple')).toEqual([]);
  });

  it.each(['complex', 'podaffinity'])('are refused for %s at the virtual address, with the reason', (flavourId) => {
    expect(checked(flavourId)).toEqual([
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
