import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import ssh2, { type Connection, type ServerChannel, type SFTPWrapper } from 'ssh2';

/** The signals that ssh2 knows. */
const { SIGNALS: signals } = createRequire(import.meta.url)('ssh2/lib/protocol/constants.js') as {
  SIGNALS: Record<string, number>;
};

/** The behaviour of a machine that an attacker has taken over. */
export interface Behaviour {
  readonly exec?: (channel: ServerChannel, machine: { ready: string; wire: Wire }) => void;
  readonly sftp?: (sftp: SFTPWrapper) => void;
}

/** Packets that a well-behaved ssh2 would not send. */
export interface Wire {
  readonly socket: Socket;
  /** Sends data, whether the other side has room for it or not. */
  data(channel: ServerChannel, bytes: Buffer): void;
  /** Announces room for so many bytes more. */
  adjust(channel: ServerChannel, bytes: number): void;
  /** Ignores the other side's disconnect. */
  stay(): void;
  /** Ends a command by a signal of any name. */
  exit(channel: ServerChannel, signal: string): void;
}

interface Inner {
  readonly _sock: Socket;
  readonly _protocol: {
    channelData(id: number, data: Buffer): void;
    channelWindowAdjust(id: number, bytes: number): void;
  };
}

/** An SSH server that accepts every login, and then behaves as a test defines. */
export class CapturedMachine {
  private constructor(
    private readonly server: ssh2.Server,
    private readonly sockets: readonly Socket[],
  ) {}

  /** @param hostKey the path of the server's private key */
  static async start(hostKey: string, { exec, sftp }: Behaviour): Promise<CapturedMachine> {
    const sockets: Socket[] = [];
    const server = new ssh2.Server({ hostKeys: [readFileSync(hostKey)] }, (connection) => {
      const wire = wireOf(connection);
      sockets.push(wire.socket);
      connection.on('error', () => undefined);
      connection.on('authentication', (context) => context.accept());
      connection.on('session', (accept) => {
        const session = accept();
        session.on('exec', (acceptExec, _reject, { command }) => {
          const channel = acceptExec();
          channel.on('error', () => undefined);
          exec?.(channel, { ready: `${/echo (\S+);/.exec(command)?.[1] ?? ''}\n`, wire });
        });
        session.on('sftp', (acceptSftp) => sftp?.(acceptSftp()));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new CapturedMachine(server, sockets);
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** The number of bytes that the server has sent. */
  get said(): number {
    return this.sockets.reduce((sum, socket) => sum + socket.bytesWritten - socket.writableLength, 0);
  }

  /** Whether a client still listens. */
  get isHeard(): boolean {
    return this.sockets.some((socket) => !socket.destroyed);
  }

  stop(): void {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
  }
}

function wireOf(connection: Connection): Wire {
  const { _sock: socket, _protocol: protocol } = connection as unknown as Inner;
  const idOf = (channel: ServerChannel): number => (channel as unknown as { outgoing: { id: number } }).outgoing.id;
  return {
    socket,
    data: (channel, bytes) => protocol.channelData(idOf(channel), bytes),
    stay: () => {
      socket.allowHalfOpen = true;
      socket.end = () => socket;
    },
    exit: (channel, signal) => {
      signals[signal] = 1;
      channel.exit(signal);
    },
    adjust: (channel, bytes) => protocol.channelWindowAdjust(idOf(channel), bytes),
  };
}

/** Runs work through a proxy that counts a server's bytes. */
export async function listeningIn<T>(to: number, work: (port: number, heard: () => number) => Promise<T>): Promise<T> {
  let bytes = 0;
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    const behind = connect(to, '127.0.0.1');
    sockets.push(socket, behind);
    for (const [each, other] of [
      [socket, behind],
      [behind, socket],
    ] as const) {
      each.on('error', () => undefined);
      each.on('close', () => other.destroy());
      each.pipe(other);
    }
    behind.on('data', (chunk) => (bytes += chunk.length));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    return await work((server.address() as AddressInfo).port, () => bytes);
  } finally {
    for (const socket of sockets) socket.destroy();
    server.close();
  }
}
