import { connect } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { InvariantError } from '@windlass/foundation';
import { PROFILE_VARIABLE } from '../../environment/config.js';
import type { Watched } from '../processes.js';
import type { CpuProfile } from './cpu-profile.js';

/** What the processes of services are told, so that they can be profiled. @param folder where their sockets are, which only we may enter */
export const profiledEnvironment = (home: string, folder: string): { NODE_OPTIONS?: string; [PROFILE_VARIABLE]?: string } => ({
  NODE_OPTIONS: `--import ${pathToFileURL(join(home, 'apps/workbench/dist/bench/profile/preload.js')).href}`,
  [PROFILE_VARIABLE]: folder,
});

/** Profiles processes while something is done. @returns a profile each, by their names */
export async function profilesOf(
  folder: string,
  processes: readonly Watched[],
  work: () => Promise<unknown>,
): Promise<Record<string, CpuProfile>> {
  const told = (word: string): Promise<unknown[]> =>
    Promise.all(processes.map(({ pid }) => tell(join(folder, `${pid}.sock`), word)));
  await told('start');
  await work();
  const profiles = (await told('stop')) as CpuProfile[];
  return Object.fromEntries(processes.map(({ name }, n) => [name, profiles[n] ?? { nodes: [], samples: [] }]));
}

function tell(path: string, word: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(path, () => socket.write(word));
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.on('error', reject);
    socket.on('end', () => {
      const answer = JSON.parse(Buffer.concat(chunks).toString('utf8')) as { error?: string };
      if (answer.error === undefined) resolve(answer);
      else reject(new InvariantError(`a service could not be profiled: ${answer.error}`));
    });
  });
}
