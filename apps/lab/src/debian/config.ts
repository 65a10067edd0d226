import os from 'node:os';
import path from 'node:path';

/** The environment this process was started with, for programs that need more than it; never printed. */
export const inheritedEnvironment = (further: Record<string, string> = {}): NodeJS.ProcessEnv => ({ ...process.env, ...further });

/** Names a mirror of Debian for machines whose apt names none. */
export const MIRROR_VARIABLE = 'WINDLASS_DEBIAN_MIRROR';

/** The mirror that {@link MIRROR_VARIABLE} names. */
export const givenMirror = (env: NodeJS.ProcessEnv = process.env): string | undefined => env[MIRROR_VARIABLE];

/** What labs build once and share, unless they are told another place: `$WINDLASS_CACHE/lab`, or `~/.cache/windlass/lab`. */
export const sharedCache = (env: NodeJS.ProcessEnv = process.env): string =>
  path.join(env.WINDLASS_CACHE ?? path.join(os.homedir(), '.cache/windlass'), 'lab');
