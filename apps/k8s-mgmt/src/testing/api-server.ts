import https from 'node:https';
import { once } from 'node:events';
import { millis, type Duration } from '@windlass/foundation';

/** What stands for one master's API server: it says who it is, and on `/readyz` what a test has it say. */
export class FakeApiServer {
  /** Status of `/readyz`. */
  ready = 200;
  /** Statuses of its next answers, before {@link ready} is what it says. */
  first: number[] = [];
  /** Before it answers `/readyz`. */
  slow: Duration = millis(0);
  /** How often it has answered `/readyz`. */
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

  /** Ends it with every connection. */
  async end(): Promise<void> {
    if (!this.#server.listening) return;
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
