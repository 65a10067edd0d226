/** Our own environment with these beside it, for programs that we start as ourselves. */
export const withOwn = (more: Readonly<Record<string, string>>, env: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv => ({
  ...env,
  ...more,
});

/** Whether whoever started us has set a variable. */
export const hasOwn = (name: string, env: NodeJS.ProcessEnv = process.env): boolean => env[name] !== undefined;

/** The folders where programs are looked for. */
export const programFolders = (env: NodeJS.ProcessEnv = process.env): string[] =>
  (env.PATH ?? '').split(':').filter((folder) => folder !== '');

/** Where a service that `bench engine --profile` started finds the folder of its socket. */
export const PROFILE_VARIABLE = 'WINDLASS_BENCH_PROFILE';

/** The folder where a profiled service listens; undefined in any other process. */
export const profileFolder = (env: NodeJS.ProcessEnv = process.env): string | undefined => env[PROFILE_VARIABLE];
