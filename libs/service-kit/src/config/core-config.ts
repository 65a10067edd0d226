import { Min } from 'class-validator';
import { minutes, seconds, Secret, type Duration } from '@windlass/foundation';
import { defaultPolicy, limitsByPrefix, ONE_PLACE, type EnginePolicy } from '@windlass/saga';
import { DatabaseServiceConfig } from './config.js';
import { asDuration, asFlag, asInteger, asLimits, asSecret } from './readers.js';
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
    meaning: 'steps that work on one VIM at once, over all replicas; those that only wait for it do not count',
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

  @Variable({
    name: 'ENGINE_LIMIT_SERVICE',
    meaning: 'steps that one service runs at once, over all its replicas; without it as many as come',
    expected: 'a whole number above 0 for each service, or names with theirs: infra-driver=50,k8s-mgmt=20',
    read: asLimits,
    optional: true,
  })
  readonly limitService: Readonly<Record<string, number>> | undefined = required();

  @Variable({
    name: 'IMAGE_SHARING',
    meaning:
      'whether instances that are made from now on share the images of their packages: one upload for a project of a VIM, deleted with the last instance; false: each has its own. The same for all these services',
    expected: 'true or false',
    read: asFlag,
  })
  readonly imageSharing: boolean = true;

  @Variable({
    name: 'ENGINE_MAX_LOSSES',
    meaning:
      'how many workers may be lost in a row over one step before it is set aside as poison and its operation fails for now',
    expected: 'a whole number above 0',
    read: asInteger,
  })
  @Min(1)
  readonly maxLosses: number = defaultPolicy.maxLosses;
}

/** `*` stands for each service that is not named. */
const serviceLimits = (limits: Readonly<Record<string, number>>): Record<string, number> =>
  Object.fromEntries(Object.entries(limits).map(([name, limit]) => [name === '*' ? 'service' : `service:${name}`, limit]));

/** The engine's policy as configured. */
export const policyOf = (config: CoreServiceConfig): EnginePolicy => ({
  ...defaultPolicy,
  lease: config.engineLease,
  dispatchWithin: config.engineDispatchWithin,
  maxLosses: config.maxLosses,
  limitOf: limitsByPrefix({
    ...ONE_PLACE,
    vim: config.limitVim,
    host: config.limitHost,
    ...serviceLimits(config.limitService ?? {}),
  }),
});
