/** The environment this process was started with, for programs that need more than it; never printed. */
export const inheritedEnvironment = (further: Record<string, string> = {}): NodeJS.ProcessEnv => ({ ...process.env, ...further });

/** Names a mirror of Debian for machines whose apt names none. */
export const MIRROR_VARIABLE = 'WINDLASS_DEBIAN_MIRROR';

/** The mirror that {@link MIRROR_VARIABLE} names. */
export const givenMirror = (env: NodeJS.ProcessEnv = process.env): string | undefined => env[MIRROR_VARIABLE];
