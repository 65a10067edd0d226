/** Our own environment with these beside it, for programs that we start as ourselves. */
export const withOwn = (more: Readonly<Record<string, string>>, env: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv => ({
  ...env,
  ...more,
});

/** Whether whoever started us has set a variable. */
export const hasOwn = (name: string, env: NodeJS.ProcessEnv = process.env): boolean => env[name] !== undefined;
