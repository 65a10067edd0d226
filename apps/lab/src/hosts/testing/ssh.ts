import { Client } from 'ssh2';

export interface SshAnswer {
  status: number | undefined;
  stdout: string;
  stderr: string;
}

export interface SshSession {
  run(command: string): Promise<SshAnswer>;
  close(): void;
}

/** Opens a session by password, as drivers do. */
export function sshTo(host: string, password = 'ubuntu', username = 'ubuntu'): Promise<SshSession> {
  const client = new Client();
  return new Promise((resolve, reject) => {
    client.once('ready', () => resolve({ run: (command) => runOver(client, command), close: () => client.end() }));
    client.on('error', reject);
    client.connect({ host, username, password, readyTimeout: 10_000 });
  });
}

function runOver(client: Client, command: string): Promise<SshAnswer> {
  return new Promise((resolve, reject) => {
    client.exec(command, (error, channel) => {
      if (error !== undefined) {
        reject(error);
        return;
      }
      let stdout = '';
      let stderr = '';
      let status: number | undefined;
      channel.on('data', (chunk: Buffer) => (stdout += chunk.toString('utf8')));
      channel.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString('utf8')));
      channel.on('exit', (code: number | null) => (status = code ?? undefined));
      channel.on('close', () => resolve({ status, stdout, stderr }));
    });
  });
}
