import { IsIn, Max, Min } from 'class-validator';
import { seconds, type Duration, type Secret } from '@windlass/foundation';
import { isListeningHost } from '../health/listening-address.js';
import { LOG_LEVELS, type LogLevel } from '../log/log-level.js';
import { asOtlpEndpoint, asOtlpHeaders } from './otlp-headers.js';
import { asDuration, asInteger, asSecret, asSecretUrl } from './readers.js';
import { required, Variable } from './variable.js';
import { withVimRules } from './vim-rules.js';

/** What every service can be told. */
export class ServiceConfig {
  @Variable({ name: 'LOG_LEVEL', meaning: 'the least severe lines that are logged', expected: `one of ${LOG_LEVELS.join(', ')}` })
  @IsIn(LOG_LEVELS)
  readonly logLevel: LogLevel = 'info';

  @Variable({
    name: 'HEALTH_HOST',
    meaning:
      'the address that health checks and metrics are served on; they need no password. Of a network it is this machine’s own address in it, and no other network reaches them',
    expected: 'an IP address, a host name or a network such as 10.1.0.0/24',
    read: (text) => (isListeningHost(text) ? text : undefined),
  })
  readonly healthHost: string = '127.0.0.1';

  @Variable({
    name: 'HEALTH_PORT',
    meaning: 'the port of /health/live, /health/ready and /metrics',
    expected: 'a port between 0 and 65535 (0: a free one, which is logged)',
    read: asInteger,
  })
  @Min(0)
  @Max(65_535)
  readonly healthPort: number = 0;

  @Variable({
    name: 'STOP_WITHIN',
    meaning: 'how long a stopping service may take to end what it is doing',
    expected: 'a length of time such as 30s or 2m, at least 1s',
    read: asDuration,
  })
  @Min(seconds(1))
  readonly stopWithin: Duration = seconds(30);

  @Variable({
    name: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    meaning:
      'where traces are sent by OTLP over HTTP, in JSON; /v1/traces is put behind it. Without it none are made and nothing is sent',
    expected: 'http://host:port or https://host:port, with a path perhaps, without credentials',
    read: asOtlpEndpoint,
    optional: true,
  })
  readonly otlpEndpoint: string | undefined = required();

  @Variable({
    name: 'OTEL_EXPORTER_OTLP_HEADERS',
    meaning: 'headers that are sent with traces, such as the token of whoever takes them',
    expected: 'name=value, several separated by commas, values percent-encoded',
    read: asOtlpHeaders,
    secret: true,
    optional: true,
  })
  readonly otlpHeaders: Secret | undefined = required();
}

/** What a service on NATS can be told. */
export class NatsServiceConfig extends ServiceConfig {
  @Variable({
    name: 'NATS_URL',
    meaning: 'where NATS is',
    expected: 'nats://host:port or tls://host:port without credentials, several separated by commas',
    read: asNatsUrl,
  })
  readonly natsUrl: string = required();

  @Variable({ name: 'NATS_USER', meaning: 'this service’s NATS user', expected: 'a user name', optional: true })
  readonly natsUser: string | undefined = required();

  @Variable({
    name: 'NATS_PASSWORD',
    meaning: 'the password of NATS_USER',
    expected: 'a password',
    read: asSecret,
    secret: true,
    optional: true,
  })
  readonly natsPassword: Secret | undefined = required();

  @Variable({
    name: 'NATS_CA_FILE',
    meaning:
      'whom NATS’ certificate must be from, with tls:// in NATS_URL; read at each connect. By default the authorities that Node knows',
    expected: 'the path of a file with certificates in PEM',
    optional: true,
  })
  readonly natsCaFile: string | undefined = required();

  @Variable({
    name: 'NATS_CERT_FILE',
    meaning: 'this service’s certificate, where NATS asks for one; read at each connect, so a renewed one counts',
    expected: 'the path of a file with a certificate in PEM',
    optional: true,
  })
  readonly natsCertFile: string | undefined = required();

  @Variable({
    name: 'NATS_KEY_FILE',
    meaning: 'the private key of NATS_CERT_FILE; nobody else may read it',
    expected: 'the path of a file with a private key in PEM without a passphrase, mode 0600, or 0640 of root’s',
    optional: true,
  })
  readonly natsKeyFile: string | undefined = required();
}

/** What a service with a key of its own, which an operator enrols, can be told. */
class EnrolledServiceConfig extends NatsServiceConfig {
  @Variable({
    name: 'WORKER_KEY_FILE',
    meaning:
      'this service’s private key (X25519), which steps are sealed to: made at the first start, mode 0600, and kept; replicas may share it or have one each. By default ~/.local/state/windlass/<service>.key',
    expected: 'a path in a folder that outlives the service',
    optional: true,
  })
  readonly workerKeyFile: string | undefined = required();

  @Variable({
    name: 'ENROLMENT_TOKEN_FILE',
    meaning: 'the operator’s token that the key is enrolled with; it is read when it is needed and may come later',
    expected: 'the path of a file that holds what "windlass enrolment-token create" wrote',
    optional: true,
  })
  readonly enrolmentTokenFile: string | undefined = required();
}

/**
 * How many steps run at once, where a service has no number of its own. A step mostly waits for its host, so many cost little. A cluster of a hundred nodes has a
 * step for each node at a time, none of which should wait for a place.
 */
export const STEPS_AT_ONCE = 256;

/** What a service that runs steps can be told. */
export class WorkerServiceConfig extends withVimRules(EnrolledServiceConfig) {
  @Variable({
    name: 'STEPS_AT_ONCE',
    meaning:
      'steps that one process of the service works on at once; others wait for a place, here or in another replica. Those of infra-driver that only wait for a VIM do not count',
    expected: 'a whole number from 1 to 1000',
    read: asInteger,
  })
  @Min(1)
  @Max(1_000)
  readonly stepsAtOnce: number = STEPS_AT_ONCE;
}

/** What a service on NATS and PostgreSQL can be told. */
export class DatabaseServiceConfig extends NatsServiceConfig {
  @Variable({
    name: 'DATABASE_URL',
    meaning: 'where PostgreSQL is, with user and password',
    expected: 'postgres://user:password@host:port/database',
    read: asSecretUrl('postgres:', 'postgresql:'),
    secret: true,
  })
  readonly databaseUrl: Secret = required();
}

function asNatsUrl(text: string): string | undefined {
  const fine = text.split(',').every((server) => {
    if (!URL.canParse(server.trim())) return false;
    const { protocol, username, hostname } = new URL(server.trim());
    return ['nats:', 'tls:'].includes(protocol) && username === '' && hostname !== '';
  });
  return fine ? text : undefined;
}
