import https from 'node:https';
import { once } from 'node:events';
import { millis, type Duration } from '@windlass/foundation';

/** A stand-in for a master's API server, which answers with its name, and on `/readyz` as a test sets. */
export class FakeApiServer {
  /** The status of `/readyz`. */
  ready = 200;
  /** The statuses of its next answers, before {@link ready}. */
  first: number[] = [];
  /** The time before an answer on `/readyz`. */
  slow: Duration = millis(0);
  /** The number of answers on `/readyz`. */
  answered = 0;
  readonly #server: https.Server;

  constructor(
    readonly name: string,
    certificate: { key: string; cert: string },
  ) {
    this.#server = https.createServer(certificate, (request, response) => {
      if (request.url !== '/readyz') {
        response.end(this.name);
        return;
      }
      setTimeout(() => {
        this.answered += 1;
        response.writeHead(this.first.shift() ?? this.ready).end();
      }, this.slow);
    });
  }

  async listen(address: string, port: number): Promise<void> {
    this.#server.listen(port, address);
    await once(this.#server, 'listening');
  }

  /** Ends the server with all connections. */
  async end(): Promise<void> {
    if (!this.#server.listening) return;
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
