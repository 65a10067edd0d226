/** The environment this process was started with, for programs that need more than it; never printed. */
export const inheritedEnvironment = (further: Record<string, string> = {}): NodeJS.ProcessEnv => ({ ...process.env, ...further });
