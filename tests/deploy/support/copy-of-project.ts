import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Copies what git knows or would add: what somebody who clones has, and what is being worked on. */
export async function copyOfProject(home: string, to: string): Promise<void> {
  const copy = 'git ls-files -z --cached --others --exclude-standard | tar --null -cf - -T - | tar -xf - -C "$1"';
  await run('sh', ['-c', copy, 'sh', to], { cwd: home });
}
