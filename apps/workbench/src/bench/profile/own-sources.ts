import { readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { CpuProfile } from './cpu-profile.js';

type CallFrame = CpuProfile['nodes'][number]['callFrame'];

/**
 * The profile with each function's source in the place of the file that was loaded. Services are put into few files (ADR 113), of which a profile says no more than
 * which of them; the map beside each (`<file>.map`) tells our sources line by line, and of packages the files. A function whose file has no map stays where it is.
 */
export function withOwnSources(profile: CpuProfile): CpuProfile {
  const maps = new Map<string, SourceMap | undefined>();
  const mapOf = (url: string): SourceMap | undefined => {
    if (!maps.has(url)) maps.set(url, mapBeside(url));
    return maps.get(url);
  };
  const sourceOf = ({ url, lineNumber = 0, columnNumber = 0 }: CallFrame): string => {
    const found = url.startsWith('file:') ? mapOf(url)?.findEntry(lineNumber, columnNumber) : undefined;
    const source: unknown = found !== undefined && 'originalSource' in found ? found.originalSource : '';
    return typeof source === 'string' && source !== '' ? new URL(source, url).href : url;
  };
  return {
    ...profile,
    nodes: profile.nodes.map((node) => ({ ...node, callFrame: { ...node.callFrame, url: sourceOf(node.callFrame) } })),
  };
}

/** Files that are given or made as text have none. */
function mapBeside(url: string): SourceMap | undefined {
  try {
    return new SourceMap(JSON.parse(readFileSync(`${fileURLToPath(url)}.map`, 'utf8')) as SourceMapPayload);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
