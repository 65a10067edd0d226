/**
 * What Node.js is told for each process of services. The image says the same (`deploy/images/Dockerfile`), and compose and the chart take it from there.
 * V8's young generation takes up to three times 4 MiB instead of three times 16: what is alive of it after a start or a burst would stay in memory (ADR 118).
 */
export const NODE_ARGUMENTS = ['--max-semi-space-size=4'];

/**
 * The same of all services in one process: three times 16 MiB, which is V8's own size. They share one young generation, and with a small one V8 collects so often that
 * an eighth of their processor time goes into it (ADR 118).
 */
export const ONE_PROCESS_ARGUMENTS = ['--max-semi-space-size=16'];
