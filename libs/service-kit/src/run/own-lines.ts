import { readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { minutes } from '@windlass/foundation';

/** How long maps are kept after one was read: errors come in groups, and reading the map of a large file takes a tenth of a second or two, and some 20 MB. */
const KEPT_FOR = minutes(1);

/** A place in a file that Node loaded, as {@link NodeJS.CallSite} has it: lines and columns from one on. */
type Place = Pick<NodeJS.CallSite, 'getFileName' | 'getLineNumber' | 'getColumnNumber'> & { toString(): string };

/**
 * Stack traces with the lines of our sources, from now on in this process. The map beside a file (`<file>.map`) is read when a trace is first asked for,
 * while `node --enable-source-maps` keeps the maps of all files in memory from their loading on.
 */
export function showOwnLines(): void {
  const lines = new OwnLines();
  Error.prepareStackTrace = (error, calls) => lines.trace(error, calls);
}

/** Finds where in the sources a place of a built file comes from. */
export class OwnLines {
  readonly #maps = new Map<string, SourceMap | undefined>();

  /** @returns what `error.stack` shall be: the error in its own words, then a line a call, as V8 writes them */
  trace(error: Error, calls: readonly Place[]): string {
    return [inItsWords(error), ...calls.map((call) => this.#shown(call))].join('\n    at ');
  }

  #shown(call: Place): string {
    const text = call.toString();
    const [file, line, column] = [call.getFileName() ?? '', call.getLineNumber(), call.getColumnNumber()];
    if (line === null || column === null || !/^(?:file:\/\/|\/).*\.[cm]?js$/.test(file)) return text;
    const path = file.startsWith('/') ? file : fileURLToPath(file);
    const found = this.#mapOf(path)?.findEntry(line - 1, column - 1);
    // A package's lines have no source: they are shown as they are.
    if (found === undefined || !('originalSource' in found) || found.originalSource === '') return text;
    const source = resolve(dirname(path), found.originalSource);
    return text.replace(`${file}:${line}:${column}`, () => `${source}:${found.originalLine + 1}:${found.originalColumn + 1}`);
  }

  #mapOf(path: string): SourceMap | undefined {
    if (this.#maps.has(path)) return this.#maps.get(path);
    if (this.#maps.size === 0) setTimeout(() => this.#maps.clear(), KEPT_FOR).unref();
    const map = mapBeside(path);
    this.#maps.set(path, map);
    return map;
  }
}

/** A map that is missing or broken costs a trace its lines, and nothing else: who asks for a trace has an error to tell already. */
function mapBeside(path: string): SourceMap | undefined {
  try {
    return new SourceMap(JSON.parse(readFileSync(`${path}.map`, 'utf8')) as SourceMapPayload);
  } catch {
    return undefined;
  }
}

/** An error's own `toString` may fail, or be none. */
function inItsWords(error: Error): string {
  try {
    return Error.prototype.toString.call(error);
  } catch {
    return 'Error';
  }
}
