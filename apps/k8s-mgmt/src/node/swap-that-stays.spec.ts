import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ScriptBench } from '@windlass/driver-kit/testing';
import { PREPARE_NODE } from './scripts.js';

const HEADING = 'Filename Type Size Used Priority\n';
const ON = `${HEADING}/dev/zram0 partition 2097148 0 100\n/swap.img file 2097148 0 -2\n`;

describe('swap', () => {
  let node: ScriptBench;
  beforeEach(() => {
    node = new ScriptBench().programs('hostname', 'modprobe', 'sysctl', 'swapoff', 'systemctl');
    for (const folder of ['etc/modules-load.d', 'etc/sysctl.d', 'etc/apt/apt.conf.d']) node.file(`${folder}/README`, '');
    node
      .file('etc/fstab', '/swap.img none swap sw 0 0\n')
      .file('etc/hosts', '')
      .file('proc/swaps', ON)
      .file('cluster', '')
      .file('proxy', '');
  });
  afterEach(() => node.remove());
  const prepare = () => node.run(PREPARE_NODE, ['worker31', node.at('cluster'), node.at('proxy')]);

  it('that stays on is refused before kubeadm: the node, each area and what to do are named', async () => {
    node.program('swapoff', 'exit 255');
    const end = await prepare();
    expect(end.status).toBe(1);
    expect(end.stderr).toContain('worker31: swap stays on (/dev/zram0, /swap.img)');
    expect(end.stderr).toContain('Take it out of the image');
    expect(node.calls).not.toContain('modprobe overlay');
  });

  it('that goes off, stays off after a restart', async () => {
    node.program('swapoff', `printf '${HEADING.trim()}\\n' > ${node.at('proc/swaps')}`);
    expect(await prepare()).toMatchObject({ status: 0, stderr: '' });
    expect(node.read('etc/fstab')).toBe('# windlass: /swap.img none swap sw 0 0\n');
  });

  describe('that the image turns on at boot by itself', () => {
    const systemd = (units: string[], files: string[] = []) =>
      node
        .file('units', units.map((unit) => `${unit}\n`).join(''))
        .file('unit-files', files.map((file) => `${file}\n`).join(''))
        .program(
          'systemctl',
          `case "$*" in
          'list-units '*--type=swap) grep '\.swap ' ${node.at('units')} ;;
          'list-units '*zram-setup*) grep 'zram-setup' ${node.at('units')} ;;
          'list-unit-files '*--type=swap) grep '\.swap ' ${node.at('unit-files')} ;;
          'list-unit-files '*) grep '\.service ' ${node.at('unit-files')} ;;
          'stop '*) exit 1 ;;
          esac`,
        );
    const masked = () => node.calls.flatMap((line) => /^systemctl mask --quiet (.*)$/.exec(line)?.[1] ?? []);
    const off = () => node.program('swapoff', `printf '${HEADING.trim()}\\n' > ${node.at('proc/swaps')}`);

    it('stays off after a restart: its units are masked, whoever made them, and so is the target that wants those of partitions', async () => {
      off();
      systemd(
        [
          'dev-disk-by\\x2duuid-0f3a.swap loaded active active /dev/sda3',
          '● dev-zram0.swap loaded failed failed Compressed Swap on /dev/zram0',
          'systemd-zram-setup@zram0.service loaded active exited Create swap on /dev/zram0',
        ],
        ['dev-zram0.swap generated -', 'zram-config.service enabled enabled', 'zramswap.service enabled enabled'],
      );
      expect(await prepare()).toMatchObject({ status: 0, stderr: '' });
      expect(masked()).toEqual([
        'swap.target',
        'dev-disk-by\\x2duuid-0f3a.swap',
        'dev-zram0.swap',
        'systemd-zram-setup@zram0.service',
        'zram-config.service',
        'zramswap.service',
      ]);
    });

    it('by a unit file of the administrator’s, which systemd would not mask, is put aside first', async () => {
      off();
      systemd([], ['var-swapfile.swap enabled enabled']);
      node.file('etc/systemd/system/var-swapfile.swap', '[Swap]\nWhat=/var/swapfile\n');
      expect(await prepare()).toMatchObject({ status: 0, stderr: '' });
      expect(node.has('etc/systemd/system/var-swapfile.swap')).toBe(false);
      expect(node.read('etc/systemd/system/var-swapfile.swap.windlass')).toContain('What=/var/swapfile');
      expect(masked()).toEqual(['swap.target', 'var-swapfile.swap']);
    });

    it('needs nothing on a node without any', async () => {
      off();
      systemd([]);
      expect(await prepare()).toMatchObject({ status: 0, stderr: '' });
      expect(masked()).toEqual(['swap.target']);
    });
  });
});
