import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import type { LinkTls } from '@windlass/messaging';
import type { NatsServiceConfig } from './config.js';
import { ConfigError } from './read-config.js';

type NatsTlsConfig = Pick<NatsServiceConfig, 'natsUrl' | 'natsCaFile' | 'natsCertFile' | 'natsKeyFile'>;

/**
 * How the link to NATS is encrypted: the files, which are read at each connect, so that renewed certificates count; undefined where none is named.
 * @throws ConfigError a line for each file that can't be used, and for files that do not belong together
 */
export function natsTlsOf(config: NatsTlsConfig): LinkTls | undefined {
  const { natsCaFile: caFile, natsCertFile: certFile, natsKeyFile: keyFile } = config;
  const files = { NATS_CA_FILE: caFile, NATS_CERT_FILE: certFile, NATS_KEY_FILE: keyFile };
  const given = Object.entries(files).flatMap(([name, file]) => (file === undefined ? [] : [name]));
  const problems = [...ofTheUrl(config.natsUrl, given)];
  if (keyFile === undefined && certFile !== undefined)
    problems.push('NATS_CERT_FILE is given without NATS_KEY_FILE; expected both');
  if (certFile === undefined && keyFile !== undefined)
    problems.push('NATS_KEY_FILE is given without NATS_CERT_FILE; expected both');
  const read = <T>(name: string, file: string | undefined, what: string, as: (pem: string) => T): T | undefined => {
    try {
      return file === undefined ? undefined : as(readFileSync(file, 'utf8'));
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      const why = code === 'ENOENT' || code === 'EACCES' || code === 'EISDIR' ? `which can't be read (${code})` : `which is none`;
      problems.push(`${name} names ${file ?? ''}, ${why}; expected ${what}`);
      return undefined;
    }
  };
  read('NATS_CA_FILE', caFile, 'a certificate in PEM, or several', (pem) => new X509Certificate(pem));
  const certificate = read('NATS_CERT_FILE', certFile, 'a certificate in PEM', (pem) => new X509Certificate(pem));
  const key = read('NATS_KEY_FILE', keyFile, 'a private key in PEM without a passphrase', (pem) => createPrivateKey(pem));
  if (keyFile !== undefined && key !== undefined) {
    const mode = statSync(keyFile).mode & 0o777;
    if ((mode & 0o077) !== 0)
      problems.push(
        `others may read ${keyFile} of NATS_KEY_FILE (mode ${mode.toString(8)}); make it 0600, and the key anew if it was seen`,
      );
    if (certificate?.checkPrivateKey(key) === false)
      problems.push(`NATS_KEY_FILE is not the key of the certificate in NATS_CERT_FILE; expected the two to belong together`);
  }
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
