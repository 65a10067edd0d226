import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { paramsIn } from './op.js';

let calledFrom: string;
beforeAll(async () => {
  calledFrom = await mkdtemp(join(tmpdir(), 'windlass-retry-'));
  const files = {
    'params.json': '{"drain_force": true}',
    'body.json': '{"additionalParams": {"drain_force": true}}',
    'broken.json': '{"password": "hunter2"',
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(calledFrom, name), text);
});
afterAll(() => rm(calledFrom, { recursive: true }));

describe('a file of parameters for a retry', () => {
  it.each(['params.json', 'body.json'])('is found where the command was called: %s', async (file) => {
    expect(await paramsIn({ calledFrom }, file)).toEqual({ drain_force: true });
  });

  it('that is broken is told with its place, and none of its text', async () => {
    const failure = await paramsIn({ calledFrom }, 'broken.json').catch(String);
    expect(failure).toMatch(/broken\.json is no JSON \(line 1, column 23\)/);
    expect(failure).not.toContain('hunter2');
  });
});
