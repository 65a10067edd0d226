import { afterAll, beforeAll, expect, test } from 'vitest';
import { compiledCheck } from './testing/compiled-fleet.js';

let check: Awaited<ReturnType<typeof compiledCheck>>;
beforeAll(async () => {
  check = await compiledCheck();
});
afterAll(() => check.remove());

test('a machine that can carry VMs is told so', async () => {
  expect(await check.below([])).toBe('capable');
});

test.each([
  [
    'without root',
    ['setpriv', '--reuid', '65534', '--regid', '65534', '--clear-groups', '--'],
    /^lab\.machine: .*needs root; run it again with sudo$/,
  ],
  [
    'in a container without the ids',
    ['unshare', '--user', '--map-root-user', '--'],
    /^lab\.machine: .*does not have; run the lab on the machine itself/,
  ],
  [
    'without cgroup2',
    ['unshare', '--mount', 'sh', '-c', 'umount -a -t cgroup2; exec "$0" "$@"'],
    /^lab\.machine: no writable cgroup2 .* mount -t cgroup2/,
  ],
])('a lab %s is refused in one sentence that says what to do', async (_, wrapper, sentence) => {
  const said = await check.below(wrapper);
  expect(said).toMatch(sentence);
  expect(said.split('\n')).toHaveLength(1);
});
