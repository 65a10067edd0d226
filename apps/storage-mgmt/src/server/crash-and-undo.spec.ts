import { crashSuite, undoSuite } from '@windlass/driver-kit/testing';
import { describe, expect, it } from 'vitest';
import { NODE, SERVER, storageBench } from '../testing/storage-bench.js';

const TABLES = 'vol-1\t/dev/vdb\t/volume\n/volume/nfs/pv1\t10.10.0.0/24\t/volume\n';

crashSuite('a storage server and a node', {
  bench: storageBench,
  stands: ({ world }) => {
    expect(world.set.get(SERVER)).toBe(TABLES);
    expect(world.set.get(NODE)).toMatch(/^Acquire::http::Proxy "http:/);
  },
});

undoSuite('a storage server and a node', {
  bench: storageBench,
  left: { storage: ({ world }) => world.set.get(SERVER), client: ({ world }) => world.set.get(NODE) },
});

describe('proxies of a storage server', () => {
  it('stand in a file of the job: no command line and no line of progress has them', async () => {
    const { runner, hosts, lines } = storageBench();
    await runner.run();
    const commands = hosts.processes.map(({ command }) => command);
    expect(commands).toHaveLength(2);
    expect([...commands, ...lines].join('\n')).not.toContain('secret-of-proxy');
  });

  it('that apt would read as more than a URL are refused', async () => {
    const { runner } = storageBench();
    const run = runner.runOf('client');
    const input = { ...run.input, proxy: { http_proxy: 'http://x";APT::Update::Pre-Invoke {"id"}' } };
    await expect(runner.action('client').apply({ ...run, input })).rejects.toMatchObject({ code: 'node.proxy-malformed' });
  });
});
