import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { INTERNET, PAUSE_TAGS } from './settings/internet-defaults.js';
import { KNOWN_MINORS } from './settings/kubernetes-versions.js';

const HERE = import.meta.dirname;

/** Without lines of comments. */
const code = (file: string): string[] =>
  readFileSync(join(HERE, file), 'utf8')
    .split('\n')
    .filter((line) => !/^\s*(\/\/|\/?\*)/.test(line));

/** Images and fingerprints as values, in code that runs: comments and examples of settings are none. */
const VALUE = /['"`](registry\.k8s\.io|ghcr\.io\/|docker\.io\/|https:\/\/pkgs\.k8s\.io)|['"`][0-9A-F]{40}['"`]/;

describe('defaults that only the internet can verify', () => {
  it('stand in one file, each with the day it was last seen, or that nobody has looked', () => {
    for (const { value, lastSeen } of [...Object.values(INTERNET), ...Object.values(PAUSE_TAGS)]) {
      expect(value).not.toBe('');
      expect(lastSeen).toMatch(/^(\d{4}-\d{2}-\d{2}|not seen here)$/);
    }
    expect(Object.keys(PAUSE_TAGS)).toEqual(KNOWN_MINORS);
    const files = readdirSync(HERE, { recursive: true, encoding: 'utf8' }).filter(
      (file) =>
        file.endsWith('.ts') && !file.endsWith('.spec.ts') && !file.startsWith('testing') && !/[\\/]testing[\\/]/.test(file),
    );
    const outside = files.filter(
      (file) => file !== 'settings/internet-defaults.ts' && code(file).some((line) => VALUE.test(line)),
    );
    expect(outside).toEqual([]);
  });
});
