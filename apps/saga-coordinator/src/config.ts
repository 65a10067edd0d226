import type { Secret } from '@windlass/foundation';
import { asSecret, CoreServiceConfig, required, Variable } from '@windlass/service-kit';

/** What the coordinator can be told. */
export class CoordinatorConfig extends CoreServiceConfig {
  @Variable({
    name: 'ENROLMENT_TOKENS',
    meaning:
      'enrolment tokens that were made beforehand, for services that are started together with this one; they hold until they are revoked',
    expected: 'a line each: service, token id, SHA-256 of its secret in hexadecimal',
    read: asSecret,
    secret: true,
    optional: true,
  })
  readonly enrolmentTokens: Secret | undefined = required();
}
