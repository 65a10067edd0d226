import { Min } from 'class-validator';
import { minutes, seconds, Secret, type Duration } from '@windlass/foundation';
import { defaultPolicy, limitsByPrefix, type EnginePolicy } from '@windlass/saga';
import { DatabaseServiceConfig } from './config.js';
import { asDuration, asInteger, asSecret } from './readers.js';
import { required, Variable } from './variable.js';

/** What the core services can be told: those that hold the master key and move operations (lcm-api, saga-coordinator, vim-registry). */
export class CoreServiceConfig extends DatabaseServiceConfig {
  @Variable({
    name: 'MASTER_KEY',
    meaning: 'what everything secret in PostgreSQL is encrypted with; older keys behind the new one still open what they sealed',
    expected: '64 hexadecimal digits a line, the newest key first',
    read: asSecret,
    secret: true,
  })
  readonly masterKey: Secret = required();

  @Variable({
    name: 'DATABASE_POOL',
    meaning: 'connections to PostgreSQL at most',
    expected: 'a whole number, 2 at least',
    read: asInteger,
  })
  @Min(2)
  readonly databasePool: number = 10;

  @Variable({
    name: 'ENGINE_LEASE',
    meaning: 'how long a claimed step is a worker’s without renewal: a dead worker’s step is taken over after it',
    expected: 'a length of time such as 10s, at least 1s',
    read: asDuration,
  })
  @Min(seconds(1))
  readonly engineLease: Duration = defaultPolicy.lease;

  @Variable({
    name: 'ENGINE_DISPATCH_WITHIN',
    meaning: 'how long a step may wait for a worker before it fails with "no worker"',
    expected: 'a length of time such as 10m, at least 10s',
    read: asDuration,
  })
  @Min(seconds(10))
  readonly engineDispatchWithin: Duration = minutes(10);

  @Variable({
    name: 'ENGINE_LIMIT_VIM',
    meaning: 'steps that work on one VIM at once, over all replicas',
    expected: 'a whole number above 0',
    read: asInteger,
  })
  @Min(1)
  readonly limitVim: number = 50;

  @Variable({
    name: 'ENGINE_LIMIT_HOST',
    meaning: 'steps that work on one host at once, over all replicas',
    expected: 'a whole number above 0',
    read: asInteger,
  })
  @Min(1)
  readonly limitHost: number = 1;
}

/** The engine's policy as configured. */
export const policyOf = (config: CoreServiceConfig): EnginePolicy => ({
  ...defaultPolicy,
  lease: config.engineLease,
  dispatchWithin: config.engineDispatchWithin,
  limitOf: limitsByPrefix({ vim: config.limitVim, host: config.limitHost }),
});
