import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { Enrolment, enrolmentCheck, KeyPair, RequestClient, type NatsLink } from '@windlass/messaging';
import type { WorkerServiceConfig } from '../config/config.js';
import type { ServiceContext } from '../run/service.js';
import { defaultKeyFile } from './key-place.js';

/**
 * The enrolment of a service that runs steps: its key from its file, made at the first start, and the coordinators asked to take it until they
 * do. Readiness says what is missing meanwhile. Whoever calls it stops it.
 * @throws TerminalError `sealing.key-exposed`, `sealing.bad-key`
 */
export function enrol(
  service: string,
  { config, log, replica, health }: Pick<ServiceContext<WorkerServiceConfig>, 'config' | 'log' | 'replica' | 'health'>,
  link: NatsLink,
): Enrolment {
  const keyFile = config.workerKeyFile ?? defaultKeyFile(service);
  mkdirSync(dirname(keyFile), { recursive: true, mode: 0o700 });
  const enrolment = new Enrolment({
    client: new RequestClient(link),
    service,
    worker: replica,
    keys: KeyPair.inFile(keyFile),
    keyFile,
    ...(config.enrolmentTokenFile === undefined ? {} : { tokenFile: config.enrolmentTokenFile }),
    log,
  });
  health.set('enrolment', () => enrolmentCheck(enrolment));
  return enrolment.start();
}
