import { ScriptBench } from '@windlass/driver-kit/testing';
import { describe, expect, it, afterEach } from 'vitest';
import { INSTALL_NFS_CLIENT, REMOVE_NFS_CLIENT } from './scripts.js';

describe('a node that is to mount NFS', () => {
  let node: ScriptBench;
  afterEach(() => node.remove());

  /** dpkg knows what lies in /var/lib/installed, and apt-get changes it. */
  const apt = (...installed: string[]): ScriptBench => {
    node = new ScriptBench();
    node
      .programs('systemctl')
      .program('dpkg', `[ "$1" != -s ] || { grep -qx "$2" /var/lib/installed && echo 'Status: install ok installed'; }`);
    node.program(
      'apt-get',
      `for word; do last=$word; done; case " $* " in *' install '*) echo "$last" >> /var/lib/installed;; *' purge '*) sed -i "/^$last\$/d" /var/lib/installed;; esac`,
    );
    node.file('var/lib/installed', installed.map((name) => `${name}\n`).join(''));
    return node.file('apt.conf', '');
  };
  const install = () => node.run(INSTALL_NFS_CLIENT, [node.at('apt.conf')]);

  it('gets nfs-common through the proxies of a file, and loses it when that is undone', async () => {
    apt();
    expect(await install()).toMatchObject({ status: 0, stderr: '' });
    expect(node.calls.filter((call) => call.startsWith('apt-get'))).toEqual([
      expect.stringMatching(new RegExp(`-c ${node.at('apt.conf')} update$`)),
      expect.stringMatching(new RegExp(`-c ${node.at('apt.conf')} install --no-install-recommends nfs-common$`)),
    ]);
    expect(node.read('var/lib/installed')).toBe('nfs-common\n');
    expect(await node.run(REMOVE_NFS_CLIENT)).toMatchObject({ status: 0, stderr: '' });
    expect(node.read('var/lib/installed')).toBe('');
    expect(node.has('var/lib/windlass-storage')).toBe(false);
  });

  it('keeps an nfs-common that it had before', async () => {
    apt('nfs-common');
    await install();
    await node.run(REMOVE_NFS_CLIENT);
    expect(node.calls.filter((call) => call.startsWith('apt-get'))).toEqual([]);
    expect(node.read('var/lib/installed')).toBe('nfs-common\n');
  });

  it('loses what an installation that was cut off had brought', async () => {
    apt();
    node.program(
      'apt-get',
      `case " $* " in *' install '*) echo nfs-common >> /var/lib/installed; exit 100;; *' purge '*) : > /var/lib/installed;; esac`,
    );
    expect(await install()).toMatchObject({ status: 75 });
    expect(await install()).toMatchObject({ status: 0 });
    await node.run(REMOVE_NFS_CLIENT);
    expect(node.read('var/lib/installed')).toBe('');
  });
});
