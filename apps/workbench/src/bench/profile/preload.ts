import { Session } from 'node:inspector/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { isMainThread } from 'node:worker_threads';
import { profileFolder } from '../../environment/config.js';

/**
 * Loaded by Node into each service that `bench engine --profile` starts, before any of the service's own code. Listens on a socket of the file system in
 * the bench's own folder, for "start" and "stop"; answers the profile as JSON, and hangs up. Threads of a service are not profiled.
 */
const folder = profileFolder();
if (folder !== undefined && isMainThread) {
  const session = new Session();
  session.connect();
  const server = createServer((socket) => {
    socket.on('error', () => undefined); // the bench has gone
    socket.once('data', (word) => {
      void answer(String(word))
        .catch((error: unknown) => JSON.stringify({ error: String(error) }))
        .then((text) => socket.end(text));
    });
  });
  const answer = async (word: string): Promise<string> => {
    if (word === 'start') {
      await session.post('Profiler.enable');
      await session.post('Profiler.start');
      return '{}';
    }
    const { profile } = await session.post('Profiler.stop');
    return JSON.stringify(profile);
  };
  server.listen(join(folder, `${process.pid}.sock`)).unref();
}
