import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { welcome } from './up.js';

describe('what up prints when everything is ready', () => {
  const info = { url: 'http://127.0.0.1:1', tokenFile: '/data/token', dataDir: '/data', pid: 1, startedAt: '' };

  it('says in one line that its services are not kept apart, and where to read which are', () => {
    const lines = welcome(info).split('\n');
    const said = lines.filter((line) => line.includes('master key'));
    expect(said).toEqual([expect.stringMatching(/as one user.*docs\/security\.md/)]);
    const security = readFileSync(new URL('../../../../docs/security.md', import.meta.url), 'utf8');
    expect(security).toContain('## Which deployments keep services apart');
  });
});
