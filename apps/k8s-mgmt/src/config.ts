import { minutes, seconds, type Duration } from '@windlass/foundation';
import { asDuration, required, Variable, WorkerServiceConfig } from '@windlass/service-kit';
import { Matches, Min } from 'class-validator';

/** What the Kubernetes drivers can be told. */
export class K8sMgmtConfig extends WorkerServiceConfig {
  @Variable({ name: 'KUBERNETES_VERSION', meaning: 'the Kubernetes that new clusters get', expected: 'a version such as 1.34.1' })
  @Matches(/^\d+\.\d+\.\d+$/)
  readonly kubernetesVersion: string = '1.34.1';

  @Variable({
    name: 'KUBERNETES_APT_URL',
    meaning: 'the apt repository of Kubernetes packages; "none": what the nodes’ own sources offer',
    expected: 'a URL ending in /deb/, or none',
    optional: true,
  })
  readonly kubernetesAptUrl: string | undefined = required();

  @Variable({
    name: 'SSH_PATIENCE',
    meaning: 'how long a host that does not answer is tried again',
    expected: 'a length of time such as 1m',
    read: asDuration,
  })
  @Min(seconds(1))
  readonly sshPatience: Duration = minutes(1);
}
