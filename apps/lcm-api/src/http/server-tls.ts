import { readFileSync, statSync } from 'node:fs';
import type { Server } from 'node:https';
import { setInterval } from 'node:timers';
import { seconds, type Duration } from '@windlass/foundation';
import { ConfigError, tlsFileProblems, type TlsFileNames } from '@windlass/service-kit';
import type { AccessLog } from './access-log.js';
import type { ServerTlsConfig } from './tls-config.js';

const NAMES: TlsFileNames = { caFile: 'LCM_TLS_CLIENT_CA_FILE', certFile: 'LCM_TLS_CERT_FILE', keyFile: 'LCM_TLS_KEY_FILE' };

/** How often the files are looked at. */
const LOOK_EVERY: Duration = seconds(5);

interface Files {
  certFile: string;
  keyFile: string;
  /** The authority that must have signed clients' certificates. */
  caFile?: string;
}

/** Certificate, key and clients' authority of the REST API, which are read again when they change: connections that there are stay. */
export class ServerTls {
  #seen: string;
  #timer: NodeJS.Timeout | undefined;

  /** @throws ConfigError a line for each file that can't be used */
  constructor(
    private readonly files: Files,
    private readonly log: AccessLog,
    private readonly lookEvery: Duration = LOOK_EVERY,
  ) {
    const problems = tlsFileProblems(NAMES, files);
    if (problems.length > 0) throw new ConfigError(problems);
    this.#seen = this.#state();
  }

  /** For the server that is made of them. */
  get options() {
    return { ...this.#context(), requestCert: this.files.caFile !== undefined, rejectUnauthorized: true };
  }

  /** Has a server use the files again whenever they change and match each other, until {@link close}. Open connections stay. */
  keepFresh(server: Server): void {
    this.#timer = setInterval(() => this.#look(server), this.lookEvery).unref();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #look(server: Server): void {
    const state = this.#state();
    if (state === this.#seen) return;
    this.#seen = state;
    // While the files are being renewed one by one they may not match. The next look sees that they have changed since.
    const problems = tlsFileProblems(NAMES, this.files);
    if (problems.length > 0) {
      this.log.error('the certificate of the REST API can’t be renewed: the one before stays', { problems });
      return;
    }
    server.setSecureContext(this.#context());
    this.log.info('the certificate of the REST API was read again', { file: this.files.certFile });
  }

  #context() {
    const { certFile, keyFile, caFile } = this.files;
    const ca = caFile === undefined ? {} : { ca: readFileSync(caFile) };
    return { cert: readFileSync(certFile), key: readFileSync(keyFile), minVersion: 'TLSv1.2', ...ca } as const;
  }

  #state(): string {
    return Object.values<string>({ ...this.files })
      .map((file) => {
        const state = statSync(file, { throwIfNoEntry: false });
        return state === undefined ? 'none' : `${state.mtimeMs} ${state.size} ${state.ino}`;
      })
      .join(', ');
  }
}

/** As configured; undefined where the API is served by http. @throws ConfigError */
export function serverTlsOf(config: ServerTlsConfig, log: AccessLog): ServerTls | undefined {
  const { tlsCertFile: certFile, tlsKeyFile: keyFile, tlsClientCaFile: caFile } = config;
  if (certFile === undefined && keyFile === undefined && caFile === undefined) return undefined;
  if (certFile === undefined || keyFile === undefined)
    throw new ConfigError([
      'LCM_TLS_CERT_FILE and LCM_TLS_KEY_FILE belong together, LCM_TLS_CLIENT_CA_FILE to both; expected both',
    ]);
  return new ServerTls({ certFile, keyFile, ...(caFile === undefined ? {} : { caFile }) }, log);
}
