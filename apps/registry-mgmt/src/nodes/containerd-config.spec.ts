import { spawnSync } from 'node:child_process';
import { processorTime } from '@windlass/foundation/testing';
import { describe, expect, it } from 'vitest';
import { servesNoKubelet, withConfigPath } from './containerd-config.js';
import { CONNECT_REGISTRIES } from './scripts.js';

const TABLE = '[plugins."io.containerd.grpc.v1.cri".registry]';

describe('containerd’s configuration', () => {
  it.each([
    ['2, with the member', `version = 2\n  ${TABLE}\n    config_path = ""\n[grpc]\n`],
    ['2, with the table alone', `version = 2\n${TABLE}\n[other]\nconfig_path = ""\n`],
    ['2, without the table', 'version = 2\n[grpc]\n  address = "/run/x"\n'],
    ['3', `version = 3\n[plugins.'io.containerd.cri.v1.images'.registry]\n  config_path = ''\n`],
    ['1', '[plugins.cri.registry]\n'],
    ['of none: there was no file', ''],
  ])('of format %s is told of the folder in the table of registries, and a second time of nothing', (_, before) => {
    const { config: after } = withConfigPath(before);
    expect(after).toMatch(/\[plugins\.[^\n]*registry\]\n\s*config_path = "\/etc\/containerd\/certs\.d"/);
    expect(withConfigPath(after)).toEqual({ config: after, others: [] });
    for (const line of before.split('\n').filter((each) => !each.includes('config_path'))) expect(after).toContain(line);
  });

  // The lines of `containerd config default`: Debian 12's 1.6, 2.1.4, and 2.2.1 as Ubuntu 22.04 and 24.04 have it.
  it.each([
    ['1.6', `version = 2\n\n    [plugins."io.containerd.grpc.v1.cri".registry]\n      config_path = ""\n`, []],
    [
      '2.1',
      `version = 3\n\n    [plugins.'io.containerd.cri.v1.images'.registry]\n      config_path = ''\n\n  [plugins.'io.containerd.transfer.v1.local']\n    max_concurrent_downloads = 3\n    config_path = ''\n`,
      [],
    ],
    [
      '2.2',
      `version = 3\n\n    [plugins.'io.containerd.cri.v1.images'.registry]\n      config_path = '/etc/containerd/certs.d:/etc/docker/certs.d'\n\n  [plugins.'io.containerd.transfer.v1.local']\n    config_path = ''\n    max_concurrent_unpacks = 1\n`,
      ['/etc/docker/certs.d'],
    ],
  ])(
    'that containerd %s prints names one folder in each table, for its transfer service takes a list for one',
    (_, before, others) => {
      const told = withConfigPath(before);
      expect(told.others).toEqual(others);
      const paths = (text: string) => text.match(/config_path = .*/g);
      expect(paths(told.config)).toEqual(paths(before)?.map(() => 'config_path = "/etc/containerd/certs.d"'));
      expect(told.config.replaceAll(/config_path = .*/g, '')).toBe(before.replaceAll(/config_path = .*/g, ''));
      expect(withConfigPath(told.config)).toEqual({ config: told.config, others: [] });
    },
  );

  it('that has folders of somebody’s says which, for what lies there is linked into ours', () => {
    const { config, others } = withConfigPath(
      `version = 2\n${TABLE}\n config_path = "/etc/theirs:/etc/containerd/certs.d:/srv/b"\n`,
    );
    expect(config).toContain('config_path = "/etc/containerd/certs.d"\n');
    expect(others).toEqual(['/etc/theirs', '/srv/b']);
  });

  it('of format 3 that names no folder has looked into Docker’s too, and is told of ours for the transfer service as well', () => {
    const { config, others } = withConfigPath('version = 3\n');
    expect(others).toEqual(['/etc/docker/certs.d']);
    expect(config.match(/config_path = "\/etc\/containerd\/certs.d"/g)).toHaveLength(2);
    expect(config).toContain("[plugins.'io.containerd.transfer.v1.local']");
  });

  it.each([`${TABLE.slice(0, -1)}.mirrors."docker.io"]`, `${TABLE.slice(0, -1)}.configs."a:5000".tls]`])(
    'with registries in the older way is refused with the line, for containerd would not start: %s',
    (line) => {
      expect(() => withConfigPath(`version = 2\n${line}\n`)).toThrow(line);
    },
  );

  it('that Docker’s package brings serves no kubelet', () => {
    expect(servesNoKubelet('#comment\ndisabled_plugins = ["cri"]\n')).toBe(true);
    expect(servesNoKubelet('version = 2\ndisabled_plugins = []\n')).toBe(false);
    expect(servesNoKubelet('disabled_plugins = [\n  "aufs",\n  "io.containerd.grpc.v1.cri",\n]\n')).toBe(true);
  });

  it.each([
    ['of empty lines', '\n'.repeat(1_000_000)],
    ['of lists that never end', 'disabled_plugins = [\n'.repeat(50_000)],
    ['of quotes', `disabled_plugins = [${"'".repeat(500_000)}`],
  ])('%s is read in no long time', (_, text) => {
    const begun = processorTime();
    expect(servesNoKubelet(text)).toBe(false);
    expect(processorTime() - begun).toBeLessThan(2_000);
  });
});

it('shellcheck has nothing to say about the script that connects nodes', () => {
  const { status, stdout } = spawnSync('shellcheck', ['--shell=bash', '--severity=style', '-'], {
    input: CONNECT_REGISTRIES,
    encoding: 'utf8',
  });
  expect(stdout).toBe('');
  expect(status).toBe(0);
});
