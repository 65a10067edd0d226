import type { LinkTls } from '@windlass/messaging';
import type { NatsServiceConfig } from './config.js';
import { ConfigError } from './read-config.js';
import { tlsFileProblems, type TlsFileNames } from './tls-files.js';

type NatsTlsConfig = Pick<NatsServiceConfig, 'natsUrl' | 'natsCaFile' | 'natsCertFile' | 'natsKeyFile'>;

const NAMES: TlsFileNames = { caFile: 'NATS_CA_FILE', certFile: 'NATS_CERT_FILE', keyFile: 'NATS_KEY_FILE' };

/**
 * How the link to NATS is encrypted: the files, which are read at each connect, so that renewed certificates count; undefined where none is named.
 * @throws ConfigError a line for each file that can't be used, and for files that do not belong together
 */
export function natsTlsOf(config: NatsTlsConfig): LinkTls | undefined {
  const { natsCaFile: caFile, natsCertFile: certFile, natsKeyFile: keyFile } = config;
  const given = Object.entries({ caFile, certFile, keyFile }).flatMap(([member, file]) =>
    file === undefined ? [] : [NAMES[member as keyof TlsFileNames]],
  );
  const problems = [...ofTheUrl(config.natsUrl, given), ...tlsFileProblems(NAMES, { caFile, certFile, keyFile })];
  if (problems.length > 0) throw new ConfigError(problems);
  if (given.length === 0) return undefined;
  return {
    ...(caFile === undefined ? {} : { caFile }),
    ...(certFile === undefined ? {} : { certFile }),
    ...(keyFile === undefined ? {} : { keyFile }),
  };
}

function ofTheUrl(url: string, given: readonly string[]): string[] {
  const plain = url
    .split(',')
    .map((server) => server.trim())
    .filter((server) => !server.startsWith('tls://'));
  if (plain.length === 0) return [];
  if (given.length > 0)
    return [`${given.join(', ')} would not be used: NATS_URL has ${plain.join(', ')}; expected tls:// for every server`];
  return plain.length === url.split(',').length
    ? []
    : [`NATS_URL has ${plain.join(', ')} beside servers with tls://; expected the same for all`];
}
