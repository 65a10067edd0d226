import { describe, expect, it } from 'vitest';
import { CoreServiceConfig, policyOf } from './core-config.js';
import { ConfigError, readConfig } from './read-config.js';

const given = { NATS_URL: 'nats://127.0.0.1:4222', DATABASE_URL: 'postgres://u:p@127.0.0.1/w', MASTER_KEY: 'ab'.repeat(32) };
const policy = (environment: Record<string, string>) => policyOf(readConfig(CoreServiceConfig, { ...given, ...environment }));

describe('the limits of the engine', () => {
  it('are those of a VIM and a host unless more are set', () => {
    const { limitOf, maxLosses } = policy({});
    expect([limitOf('vim:a'), limitOf('host:a'), limitOf('service:infra-driver'), maxLosses]).toEqual([50, 1, undefined, 5]);
  });

  it('are set for all services alike, or by name', () => {
    const all = policy({ ENGINE_LIMIT_SERVICE: '7' });
    expect(all.limitOf('service:infra-driver')).toBe(7);
    const named = policy({ ENGINE_LIMIT_SERVICE: 'infra-driver=20, k8s-mgmt=3', ENGINE_LIMIT_VIM: '4', ENGINE_MAX_LOSSES: '2' });
    expect(['infra-driver', 'k8s-mgmt', 'storage-mgmt'].map((name) => named.limitOf(`service:${name}`))).toEqual([
      20,
      3,
      undefined,
    ]);
    expect([named.limitOf('vim:a'), named.maxLosses]).toEqual([4, 2]);
    expect(policy({ ENGINE_LIMIT_SERVICE: '9,k8s-mgmt=3' }).limitOf('service:infra-driver')).toBe(9);
  });

  it.each(['0', 'infra-driver=0', 'infra-driver', 'a=1,a=2', '1,2', 'a=1,,b=2'])('refuse %s', (text) => {
    expect(() => policy({ ENGINE_LIMIT_SERVICE: text })).toThrow(ConfigError);
  });
});
