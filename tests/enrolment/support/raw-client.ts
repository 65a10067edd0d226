import { connect, type Socket } from 'node:net';

/** The server's verdict on a try. */
export type Verdict = 'refused' | 'taken';

/** A client that writes NATS' protocol itself: it sends what no library would send, many tries at once, and reads every refusal. */
export class RawClient {
  readonly #refused: string[] = [];
  readonly #pongs: (() => void)[] = [];
  #rest = Buffer.alloc(0);
  #sid = 0;

  private constructor(private readonly socket: Socket) {
    socket.on('data', (chunk: Buffer) => this.#read(chunk));
  }

  static async connect(port: number, user: string, pass: string): Promise<RawClient> {
    const socket = connect(port, '127.0.0.1');
    await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject));
    const client = new RawClient(socket);
    client.#write(`CONNECT ${JSON.stringify({ verbose: false, pedantic: false, headers: true, protocol: 1, user, pass })}\r\n`);
    await client.settled();
    return client;
  }

  /** The text by which the server would refuse it. */
  publish(subject: string, payload: string, reply = ''): string {
    const size = Buffer.byteLength(payload);
    this.#write(`PUB ${subject} ${reply === '' ? '' : `${reply} `}${size}\r\n${payload}\r\n`);
    return `Permissions Violation for Publish to "${subject}"`;
  }

  /** The text by which the server would refuse it. */
  subscribe(subject: string, queue = ''): string {
    this.#sid += 1;
    this.#write(`SUB ${subject} ${queue === '' ? '' : `${queue} `}${this.#sid}\r\n`);
    return `Permissions Violation for Subscription to "${subject}"${queue === '' ? '' : ` using queue "${queue}"`}`;
  }

  /** Waits until the server has handled everything sent. Returns the refusals since the last call. */
  async settled(): Promise<string[]> {
    await new Promise<void>((resolve) => {
      this.#pongs.push(resolve);
      this.#write('PING\r\n');
    });
    return this.#refused.splice(0);
  }

  close(): void {
    this.socket.destroy();
  }

  #write(text: string): void {
    this.socket.write(text);
  }

  #read(chunk: Buffer): void {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    for (;;) {
      const end = this.#rest.indexOf('\r\n');
      if (end === -1) return;
      const line = this.#rest.subarray(0, end).toString('utf8');
      // A message's body follows the line, whose last word is the body's size.
      const body = /^H?MSG /.test(line) ? Number(line.split(' ').at(-1)) + 2 : 0;
      if (this.#rest.length < end + 2 + body) return;
      this.#rest = this.#rest.subarray(end + 2 + body);
      this.#heard(line);
    }
  }

  #heard(line: string): void {
    if (line === 'PING') this.#write('PONG\r\n');
    else if (line === 'PONG') this.#pongs.shift()?.();
    else if (line.startsWith('-ERR')) this.#refused.push(line.slice('-ERR '.length).replace(/^'|'$/g, ''));
  }
}
