import type { JsonObject } from '@windlass/foundation';
import { clusterVimId, type PackageFile } from '@windlass/mgmt-driver';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { bench } from './testing/bench.js';
import { guideParams, INSTANCE, PARAMS, plainParams, script, validateRequest } from './testing/requests.js';
import { chooseScript } from './packaged-script/script-choice.js';

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
    const both = (operation: string) => [`${operation}_start`, `${operation}_end`];
    expect(hooks).toEqual([
      ...['instantiate', 'scale', 'heal', 'change_external_connectivity'].flatMap(both),
      'modify_information_end',
      ...both('terminate'),
    ]);
    expect(JSON.stringify(parameters).match(/"writeOnly":true/g)).toHaveLength(10);
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
    const url = new URL(`../../../samples/requests/instantiate-kubernetes-${flavourId}.json`, import.meta.url);
    return (JSON.parse(readFileSync(url, 'utf8')) as { additionalParams: JsonObject }).additionalParams;
  };
  const checked = (flavourId: string) => bench().driver.validate(validateRequest(sample(flavourId))).invalidParams;

  it('are taken for the flavour with one master', () => {
    expect(checked('simple')).toEqual([]);
  });

  it.each(['complex', 'podaffinity'])('are taken for %s, with three masters', (flavourId) => {
    const request = validateRequest(sample(flavourId), { countsAfter: { masterNode: 3, workerNode: 2 } });
    expect(bench().driver.validate(request).invalidParams).toEqual([]);
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
  const choose = (file: PackageFile) => chooseScript('./Scripts/install_k8s_cluster.sh', [file]);
  const choice = (firstLine: string) => choose(script(firstLine))?.kind;

  it('is ours where the first line says so', () => {
    expect(choice('# windlass: builtin')).toBe('builtin');
    expect(choice('#!/bin/bash # windlass: builtin')).toBe('builtin');
  });

  it('is the package’s where it does not, whatever it says elsewhere', () => {
    for (const line of ['#!/bin/bash', 'windlass: builtin', '', '# windlass: builtins', 'echo # windlass: builtin'])
      expect(choice(line)).toBe('packaged');
  });

  it('is ours where the script is one of those that the reference’s packages carried, as long as they need a repository that is gone', () => {
    const of = (sha256: string) => choose({ ...script('# Copyright'), sha256 })?.kind;
    expect(of('2489f6162817cce794a6f19a88c3c76ce83fa19cfcb75ad1204d76aaba4a9d1c')).toBe('builtin');
    expect(of('78262AC2126191CE7F6420FD7F37C74E2CE849583CC392C1593A8E4E5C263047')).toBe('builtin');
    // The 2024 one takes its packages from pkgs.k8s.io, which is there.
    expect(of('e7422dd6c32e7ac94fd174b810cb85e736d5801a8a0253fb3977ed31daecbd77')).toBe('packaged');
  });

  it('is ours where the script takes Kubernetes from a repository that is gone, whatever its hash, and the request’s warnings name that', () => {
    const named = (...hosts: string[]) => choose({ ...script('# Copyright'), hosts });
    expect(named('download.docker.com', 'apt.kubernetes.io')).toEqual({
      kind: 'builtin',
      why: 'it takes Kubernetes from apt.kubernetes.io, which was shut down',
    });
    expect(named('packages.cloud.google.com')?.kind).toBe('builtin');
    expect(named('pkgs.k8s.io', 'apt.kubernetes.io.example.com')?.kind).toBe('packaged');
  });

  it('is nobody’s where the package has no such file', () => {
    expect(chooseScript('Scripts/other.sh', [script()])).toBeUndefined();
  });
});
