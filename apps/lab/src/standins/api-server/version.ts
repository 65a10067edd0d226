import type { JsonObject } from '@windlass/foundation';

/** `/version`: what kubectl prints as the server's version. The commit says whose answer it is. */
export function versionInfo(version: string): JsonObject {
  const [major = '1', minor = '0'] = version.replace(/^v/, '').split('.');
  return {
    major,
    minor,
    gitVersion: version,
    gitCommit: 'windlass-lab-stand-in',
    gitTreeState: 'clean',
    buildDate: '2025-09-09T00:00:00Z',
    goVersion: 'none',
    compiler: 'none',
    platform: `linux/${process.arch === 'x64' ? 'amd64' : process.arch}`,
  };
}
