import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { aptNode } from '../testing/apt-node.js';
import type { ScriptBench } from '@windlass/driver-kit/testing';
import { CHANGE_LOAD_BALANCER, CONFIGURE_LOAD_BALANCER, REMOVE_LOAD_BALANCER } from './scripts.js';

const HAPROXY = 'etc/haproxy/haproxy.cfg';
const KEEPALIVED = 'etc/keepalived/keepalived.conf';
const SERVICES = ['haproxy', 'keepalived'];

/** The programs that run are two files: `<service>.runs` holds what it has read, which its configuration file says. */
describe('a node of a load balancer', () => {
  let node: ScriptBench;
  beforeEach(() => {
    node = aptNode()
      .programs('haproxy', 'sleep')
      .program('journalctl', 'echo "the words of $*"')
      .program('dpkg', `if [ "$1" = -s ]; then grep -qx "$2" /var/lib/packages && echo 'Status: install ok installed'; fi`)
      .program('apt-get', 'case " $* " in *" install "*) shift; printf "%s\\n" haproxy keepalived >> /var/lib/packages ;; esac')
      .file('var/lib/packages', '');
    reads('haproxy', 'keepalived');
    answers(true);
  });
  afterEach(() => node.remove());

  /** Those services read their files when they are told to. */
  const reads = (...services: string[]) =>
    node.program(
      'systemctl',
      `case "$1 $2" in
        'is-active '*) exit 3 ;;
        'reload-or-restart haproxy' | 'restart haproxy') ${services.includes('haproxy') ? `tail -n 1 /${HAPROXY} > /run/haproxy-runs` : ':'} ;;
        'reload-or-restart keepalived' | 'restart keepalived') ${services.includes('keepalived') ? `tail -n 1 /${KEEPALIVED} > /run/windlass-keepalived` : ':'} ;;
      esac`,
    );
  /** Whether somebody does at the virtual address. */
  const answers = (does: boolean) =>
    node.program('timeout', `if [ "$2" = bash ]; then exit ${does ? 0 : 1}; fi\nshift\nexec "$@"`);
  const run = (script: string, [haproxy, keepalived] = ['digest-h', 'digest-k']) =>
    node.run(script, [
      node.file('new/haproxy.cfg', `# windlass\n${haproxy}\n`).at('new/haproxy.cfg'),
      node.file('new/keepalived.conf', `# windlass\n${keepalived}\n`).at('new/keepalived.conf'),
      node.file('new/answers', `#!/bin/bash\ncat ${node.at('run/haproxy-runs')}\n`).at('new/answers'),
      node.file('new/restart', '[Service]\n').at('new/restart'),
      haproxy,
      keepalived,
      '10.10.0.99',
    ]);
  const told = () => node.calls.filter((line) => /^systemctl (reload|restart)/.test(line));

  it('has its files before its packages: Debian starts a service as it is installed', async () => {
    node.program('apt-get', `case " $* " in *' install '*) cat /${HAPROXY} /${KEEPALIVED} > /run/at-install ;; esac`);
    expect(await run(CONFIGURE_LOAD_BALANCER)).toMatchObject({ status: 0, stderr: '' });
    expect(node.read('run/at-install')).toContain('digest-h');
    expect(node.read('run/at-install')).toContain('digest-k');
    expect(node.calls).toContain('systemctl enable --quiet haproxy keepalived');
  });

  it('is left alone where both run with what is wanted', async () => {
    await run(CONFIGURE_LOAD_BALANCER);
    const before = told();
    expect(before).toEqual(SERVICES.map((service) => `systemctl reload-or-restart ${service}`));
    expect((await run(CHANGE_LOAD_BALANCER)).status).toBe(0);
    expect(told()).toEqual(before);
  });

  it('reads other back ends without a restart, which would end connections, and leaves keepalived alone', async () => {
    await run(CONFIGURE_LOAD_BALANCER);
    const before = told().length;
    expect((await run(CHANGE_LOAD_BALANCER, ['other-h', 'digest-k'])).status).toBe(0);
    expect(told().slice(before)).toEqual(['systemctl reload-or-restart haproxy']);
    expect(node.calls.filter((line) => line.startsWith('apt-get install'))).toHaveLength(0);
  });

  it('is started anew where a reload changes nothing, and where that does not help either its words are told', async () => {
    reads('haproxy');
    const end = await run(CONFIGURE_LOAD_BALANCER);
    expect(told()).toEqual([
      'systemctl reload-or-restart haproxy',
      'systemctl reload-or-restart keepalived',
      'systemctl restart keepalived',
    ]);
    expect(end.status).toBe(75);
    expect(end.stderr).toContain('the words of --no-pager --quiet -n 10 -u keepalived');
    expect(end.stderr).toContain('keepalived does not run with its new configuration');
  });

  it('is not what it should be where nobody answers at the virtual address: what OpenStack has to allow is named', async () => {
    answers(false);
    const end = await run(CONFIGURE_LOAD_BALANCER);
    expect(end.status).toBe(75);
    expect(end.stderr).toMatch(/10\.10\.0\.99 port 16443.*allowed_address_pairs.*protocol 112/);
  });

  it('keeps nothing when it is undone, twice even, and what its image had before is there again', async () => {
    node.file(HAPROXY, 'of the image\n').file('var/lib/packages', 'haproxy\n');
    await run(CONFIGURE_LOAD_BALANCER);
    await run(CONFIGURE_LOAD_BALANCER, ['other-h', 'digest-k']);
    node.program('apt-get', 'exit 0');
    for (const time of ['once', 'twice'])
      expect(await node.run(REMOVE_LOAD_BALANCER), time).toMatchObject({ status: 0, stderr: '' });
    expect(node.calls.filter((line) => line.includes(' purge ')).map((line) => line.split(' purge ')[1])).toEqual(['keepalived']);
    expect(node.read(HAPROXY)).toBe('of the image\n');
    expect(node.calls).toContain('systemctl enable --now haproxy');
    for (const path of [
      KEEPALIVED,
      'etc/keepalived',
      'usr/local/lib/windlass',
      'run/windlass-keepalived',
      'var/lib/windlass-load-balancer',
    ])
      expect(node.has(path), path).toBe(false);
  });

  it('has nothing to undo where nothing was begun', async () => {
    expect(await node.run(REMOVE_LOAD_BALANCER)).toMatchObject({ status: 0, stderr: '' });
    expect(node.calls.filter((line) => line.includes('purge'))).toEqual([]);
  });
});
