import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** A TCP proxy in front of one port, whose connections a test can cut, or keep open without passing anything on. */
export class TcpProxy {
  readonly #pairs = new Set<readonly [Socket, Socket]>();
  readonly #forgotten = new WeakSet<readonly [Socket, Socket]>();
  #swallows = false;
  readonly #held: (() => void)[] = [];

  private constructor(
    private readonly server: Server,
    readonly port: number,
  ) {}

  /** Listens on a free port of loopback, and passes everything on to the target port. */
  static async to(target: number): Promise<TcpProxy> {
    const server = createServer({ allowHalfOpen: true });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(0, '127.0.0.1', resolve);
    });
    const proxy = new TcpProxy(server, (server.address() as AddressInfo).port);
    server.on('connection', (socket) => proxy.#taken(socket, target));
    return proxy;
  }

  /** Ends all connections at once. New connections are passed on as before. */
  cut(): void {
    for (const pair of this.#pairs) for (const socket of pair) socket.resetAndDestroy();
  }

  /**
   * Passes nothing on any more, in either direction, without a reset or an end. New connections are accepted and lead nowhere. What
   * is sent meanwhile arrives once the proxy heals.
   */
  blackHole(): void {
    this.#swallows = true;
    for (const pair of this.#pairs) for (const socket of pair) socket.pause();
  }

  heal(): void {
    this.#swallows = false;
    for (const pair of this.#pairs) if (!this.#forgotten.has(pair)) for (const socket of pair) socket.resume();
    for (const goOn of this.#held.splice(0)) goOn();
  }

  /** Heals for new connections only, like a firewall that has forgotten the old ones: these stay open at both ends, and dead. */
  healForNew(): void {
    this.#swallows = false;
    for (const pair of this.#pairs) this.#forgotten.add(pair);
    for (const goOn of this.#held.splice(0)) goOn();
  }

  async close(): Promise<void> {
    this.heal();
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    this.cut();
    await closed;
  }

  #taken(near: Socket, target: number): void {
    near.on('error', () => near.destroy());
    if (this.#swallows) {
      near.pause();
      this.#held.push(() => this.#join(near, target));
    } else this.#join(near, target);
  }

  #join(near: Socket, target: number): void {
    const far = connect({ port: target, host: '127.0.0.1', allowHalfOpen: true });
    const pair = [near, far] as const;
    this.#pairs.add(pair);
    for (const [from, to] of [pair, [far, near] as const]) {
      from.setNoDelay(true);
      from.on('data', (bytes) => void to.write(bytes));
      from.on('end', () => to.end());
      from.on('error', () => to.destroy());
      from.on('close', () => {
        to.destroy();
        this.#pairs.delete(pair);
      });
    }
    if (this.#swallows) this.blackHole();
    else near.resume();
  }
}
