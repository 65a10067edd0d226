import { minutes, seconds, type Duration } from '@windlass/foundation';
import { asDuration, asInteger, Variable, WorkerServiceConfig } from '@windlass/service-kit';
import { Max, Min } from 'class-validator';

/**
 * How many steps run at once. A step mostly waits for its host, so many cost little. A cluster of a hundred nodes has a step for each node at a time,
 * none of which should wait for a place.
 */
export const STEPS_AT_ONCE = 256;

/** What the service of every management driver can be told. */
export class DriverServiceConfig extends WorkerServiceConfig {
  @Variable({
    name: 'SSH_PATIENCE',
    meaning: 'how long a host that does not answer is tried again',
    expected: 'a length of time such as 1m',
    read: asDuration,
  })
  @Min(seconds(1))
  readonly sshPatience: Duration = minutes(1);

  @Variable({
    name: 'SSH_LOGIN_PATIENCE',
    meaning:
      'how long after a server was made a refused login is tried again, more and more seldom: cloud-init sets passwords after sshd answers',
    expected: 'a length of time such as 5m',
    read: asDuration,
  })
  @Min(seconds(1))
  readonly sshLoginPatience: Duration = minutes(5);

  @Variable({
    name: 'FIRST_BOOT_WITHIN',
    meaning: 'how long the first work on a fresh server waits for its cloud-init to end',
    expected: 'a length of time such as 10m',
    read: asDuration,
  })
  @Min(seconds(1))
  readonly firstBootWithin: Duration = minutes(10);

  @Variable({
    name: 'STEPS_AT_ONCE',
    meaning: 'steps that one process of the service runs at once; others wait for a place, here or in another replica',
    expected: 'a whole number from 1 to 1000',
    read: asInteger,
  })
  @Min(1)
  @Max(1_000)
  readonly stepsAtOnce: number = STEPS_AT_ONCE;
}
