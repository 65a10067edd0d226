import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { aptNode, containerd, runtimeArguments } from '../testing/apt-node.js';
import type { ScriptBench } from '@windlass/driver-kit/testing';
import { INSTALL_RUNTIME, REMOVE_KUBERNETES, UNPREPARE_NODE } from './scripts.js';

const LOCKS = ['var/lib/dpkg/lock-frontend', 'var/lib/dpkg/lock', 'var/lib/apt/lists/lock', 'var/cache/apt/archives/lock'];

/** Takes the lock as apt and dpkg do, and has it until its standard input ends. */
const HOLDER = `use Fcntl; open(my $lock, ">", $ARGV[0]) or die $!;
my $whole = pack("s s x4 q q i x4", F_WRLCK, 0, 0, 0, 0);
fcntl($lock, F_SETLK, $whole) or die $!;
$| = 1; print "held\\n"; <STDIN>;`;

describe('a node whose first boot still installs', () => {
  let node: ScriptBench;
  const holders: ChildProcess[] = [];
  beforeEach(() => {
    node = containerd(aptNode(), '1.6.20~ds1');
  });
  afterEach(() => {
    for (const holder of holders.splice(0)) holder.kill();
    node.remove();
  });

  const held = async (lock: string): Promise<ChildProcess> => {
    const holder = spawn('perl', ['-e', HOLDER, node.at(lock)], { stdio: ['pipe', 'pipe', 'inherit'] });
    holders.push(holder);
    const [said] = (await Promise.race([once(holder.stdout, 'data'), once(holder, 'exit')])) as unknown[];
    expect(String(said)).toBe('held\n');
    return holder;
  };
  const apt = () => node.calls.filter((line) => /^(apt-get|dpkg)/.test(line));

  it.each(LOCKS)('is waited for while somebody has %s, and who it is is told', async (lock) => {
    const holder = await held(lock);
    let ran: string[] | undefined;
    const end = await node.run(INSTALL_RUNTIME, runtimeArguments(node), (said) => {
      if (ran !== undefined || !said.includes('waiting')) return;
      ran = apt();
      holder.stdin?.end();
    });
    expect(end.stdout).toContain(`waiting for apt's locks: process ${String(holder.pid)} (perl) has ${node.at(lock)}`);
    expect(ran).toEqual([]);
    expect(end).toMatchObject({ status: 0, stderr: '' });
    expect(apt()[0]).toBe('dpkg --configure -a');
  });

  it('is not waited for without end: the same may work later, and the error names who has the lock', async () => {
    await held(LOCKS[2]!);
    const impatient = INSTALL_RUNTIME.replace('locks_within=900', 'locks_within=0');
    const end = await node.run(impatient, runtimeArguments(node));
    expect(end.status).toBe(75);
    expect(end.stderr).toMatch(/were not free within 0 s: process \d+ \(perl\) has .*lists\/lock/);
  });

  it.each([
    ['apt-get', 'E: Could not get lock lists/lock. It is held by process 812 (apt-get)'],
    ['dpkg', 'dpkg: error: dpkg frontend lock was locked by another process with pid 812'],
  ])('may take a lock between our look and %s, which is then run again', async (program, says) => {
    const seen = node.at('seen');
    node.program(program, `if [ ! -e ${seen} ]; then touch ${seen}; echo '${says}' >&2; exit 100; fi`);
    const end = await node.run(INSTALL_RUNTIME, runtimeArguments(node));
    expect(end.status).toBe(0);
    expect(end.stdout).toContain(`waiting for apt's locks: ${says}`);
  });

  it('has a dpkg that can’t be mended for another reason: that is an error at once', async () => {
    node.program('dpkg', 'echo "dpkg: error: parsing file /var/lib/dpkg/status" >&2; exit 2');
    const end = await node.run(INSTALL_RUNTIME, runtimeArguments(node));
    expect(end.status).toBe(2);
    expect(end.stderr).toContain('parsing file');
  });

  describe('by itself', () => {
    /** Active are those that stand in a file. */
    const active = (...units: string[]) =>
      node.file('active', units.map((unit) => `${unit}\n`).join('')).program(
        'systemctl',
        `unit="\${*: -1}"
         case $1 in
           is-active) grep -qx "$unit" ${node.at('active')} ;;
           stop) for unit in "\${@:3}"; do sed -i "/^$unit$/d" ${node.at('active')}; done ;;
           start) echo "$unit" >> ${node.at('active')} ;;
         esac`,
      );
    const units = () => node.read('active').trim().split('\n').sort();

    it('installs nothing in between: its timers rest, and those that were active go on afterwards', async () => {
      active('apt-daily.timer', 'unattended-upgrades.service');
      node.program('apt-get', `if [ -s ${node.at('active')} ]; then echo 'something is awake' >&2; exit 1; fi`);
      expect(await node.run(INSTALL_RUNTIME, runtimeArguments(node))).toMatchObject({ status: 0 });
      expect(units()).toEqual(['apt-daily.timer', 'unattended-upgrades.service']);
    });

    it('goes on too when the step fails, and the failure is still the script’s', async () => {
      active('apt-daily.timer', 'apt-daily-upgrade.timer');
      node.program('apt-get', 'exit 100');
      expect((await node.run(INSTALL_RUNTIME, runtimeArguments(node))).status).toBe(75);
      expect(units()).toEqual(['apt-daily-upgrade.timer', 'apt-daily.timer']);
    });

    it.each([
      ['the next attempt', INSTALL_RUNTIME],
      ['undoing the installation', REMOVE_KUBERNETES],
      ['undoing the preparation', UNPREPARE_NODE],
    ])('goes on after %s where a script was killed in the middle', async (_what, script) => {
      active('apt-daily.timer');
      node.program('apt-get', 'kill -9 $PPID').file('etc/hosts', '').program('hostname', 'echo fresh');
      await node.run(INSTALL_RUNTIME, runtimeArguments(node));
      expect(units()).toEqual(['']);
      node.program('apt-get');
      await node.run(script, runtimeArguments(node));
      expect(units()).toEqual(['apt-daily.timer']);
    });
  });
});
