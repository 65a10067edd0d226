import { DriverServiceConfig } from '@windlass/driver-kit';
import { required, Variable } from '@windlass/service-kit';
import { Matches } from 'class-validator';

/** What the Kubernetes drivers can be told. */
export class K8sMgmtConfig extends DriverServiceConfig {
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
}
