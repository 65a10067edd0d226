import type { Secret } from '@windlass/foundation';
import { asInteger, asSecret, required, Variable, WorkerServiceConfig } from '@windlass/service-kit';

/** The environment of the chaos driver's service. */
export class ChaosMgmtConfig extends WorkerServiceConfig {
  @Variable({
    name: 'CHAOS_HOST_PORT',
    meaning: 'where the host’s sshd listens on loopback',
    expected: 'a port',
    read: asInteger,
  })
  readonly hostPort: number = required();

  @Variable({ name: 'CHAOS_HOST_KEY', meaning: 'logs root in', expected: 'a private key', read: asSecret, secret: true })
  readonly hostKey: Secret = required();

  @Variable({ name: 'CHAOS_HOST_FOLDER', meaning: 'the ledger’s folder on the host', expected: 'a path' })
  readonly hostFolder: string = required();
}
