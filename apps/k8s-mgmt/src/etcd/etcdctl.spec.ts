import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { etcdctl, OWN_ETCD } from './etcdctl.js';

/** Programs that say how they were called; `ps` prints these containers. */
const program = (name: string, containers: string, psStatus = 0): string => `#!/bin/sh
case "$*" in
  *" ps "* | ps*) printf '${containers}'; [ ${psStatus} = 0 ] || echo '${name} can not tell' >&2; exit ${psStatus} ;;
esac
echo "${name} $*"
`;

describe('etcdctl on a master', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(path.join(os.tmpdir(), 'windlass-etcdctl-'))));
  afterEach(() => rmSync(folder, { recursive: true }));

  const has = (name: string, text: string) => writeFileSync(path.join(folder, name), text, { mode: 0o755 });
  const run = () =>
    spawnSync('/bin/sh', ['-c', etcdctl(OWN_ETCD, ['member', 'list']).text], { encoding: 'utf8', env: { PATH: folder } });

  it('runs in the container of containerd, of which only the first line counts', () => {
    has('crictl', program('crictl', '3f00\\n4a11\\n'));
    has('docker', program('docker', '9b\\n'));
    const { status, stdout } = run();
    expect(status).toBe(0);
    expect(stdout).toMatch(/^crictl --runtime-endpoint \S+ exec 3f00 etcdctl .* member list\n$/);
  });

  it.each([
    ['there is no crictl', undefined],
    ['containerd has none', program('crictl', '')],
    ['containerd does not answer', program('crictl', '', 1)],
  ])('runs in that of Docker where %s', (_, crictl) => {
    if (crictl !== undefined) has('crictl', crictl);
    has('docker', program('docker', '9b\\n'));
    const { status, stdout } = run();
    expect(status).toBe(0);
    expect(stdout).toMatch(/^docker exec 9b etcdctl .* member list\n$/);
  });

  it('fails where neither has one, and says what containerd said', () => {
    has('crictl', program('crictl', '', 1));
    has('docker', program('docker', ''));
    const silent = run();
    expect(silent.status).not.toBe(0);
    expect(silent.stderr).toBe('crictl can not tell\n');
    has('crictl', program('crictl', ''));
    const none = run();
    expect(none.status).not.toBe(0);
    expect(none.stderr).toBe('no etcd runs here\n');
  });
});
