import { minutes, seconds, type Duration } from '@windlass/foundation';
import { asDuration, Variable, WorkerServiceConfig } from '@windlass/service-kit';
import { Min } from 'class-validator';

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
}
