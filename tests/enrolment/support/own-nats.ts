import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ensureNatsServer } from '@windlass/embedded';
import { millis, seconds, waitUntil } from '@windlass/foundation';
import { endedWith, freePort, onFreePort } from '@windlass/foundation/testing';
import { natsAcl, passwordVariable, SERVICES, type ThirdParty } from '@windlass/windlass';

/** The password of every user here, so that one hash (bcrypt, cost 4, by htpasswd) is enough. */
export const PASSWORD = 'pw-of-a-service';
export const hash = readFileSync(join(import.meta.dirname, 'password.bcrypt'), 'utf8').trim();

export interface OwnNats {
  child: ChildProcess;
  /** Everything that the server has printed. */
  said: () => string;
  port: number;
  url: string;
}

export interface OwnNatsOptions {
  folder: string;
  thirdParties?: readonly ThirdParty[];
  /** More of the server's configuration, such as its TLS. */
  more?: string;
  /** Changes the printed users. */
  users?: (printed: string) => string;
  /** The server's environment with the password hashes; by default one for every user. */
  environment?: NodeJS.ProcessEnv;
}

/** Starts a nats-server as an operator does: with a configuration that includes the users printed by `windlass nats-acl`. */
export async function launchNats(
  { folder, thirdParties = [], more = '', users, environment }: OwnNatsOptions,
  given?: number,
): Promise<OwnNats> {
  const port = given ?? (await freePort());
  const printed = natsAcl('nats-server', { thirdParties });
  writeFileSync(join(folder, 'windlass-users.conf'), users === undefined ? printed : users(printed));
  const streams = `jetstream { store_dir: "${folder}/js-${port}" }`;
  const text = `listen: "127.0.0.1:${port}"\nmax_payload: 2MB\nmax_control_line: 8KB\n${streams}\n${more}\ninclude "windlass-users.conf"\n`;
  writeFileSync(join(folder, 'nats-server.conf'), text);
  const names = [...SERVICES, ...thirdParties].map(({ name }) => name);
  const hashes = Object.fromEntries(names.map((name) => [passwordVariable(name), hash]));
  const child = spawn(await ensureNatsServer(() => undefined), ['-c', join(folder, 'nats-server.conf')], {
    env: environment ?? hashes,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (said += chunk.toString('utf8')));
  return { child, said: () => said, port, url: `nats://127.0.0.1:${port}` };
}

/** Starts such a server, and waits until it is ready. */
export function ownNats(options: OwnNatsOptions): Promise<OwnNats> {
  return onFreePort(freePort, (port) => readyNats(options, port));
}

async function readyNats(options: OwnNatsOptions, port: number): Promise<OwnNats> {
  const server = await launchNats(options, port);
  const ready = (): true | undefined => {
    if (server.child.exitCode !== null) throw endedWith('nats-server', server.said());
    return server.said().includes('Server is ready') ? true : undefined;
  };
  await waitUntil((seen) => (seen(server.said()), Promise.resolve(ready())), {
    for: 'nats-server to be ready',
    within: seconds(30),
    every: millis(20),
  });
  return server;
}
