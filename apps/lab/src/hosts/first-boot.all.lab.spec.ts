import { millis, seconds, waitUntil } from '@windlass/foundation';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { MachineSpec } from '../machine-fleet.js';
import { sshTo } from './testing/ssh.js';
import { machineSpec, startTestFleet, type TestFleet } from './testing/test-fleet.js';

let lab: TestFleet;
let vm: MachineSpec;
/** Both last longer than a machine pauses that does much else: they must be seen before they are over. */
const FIRST_BOOT = { locksHeld: seconds(45), passwordAfter: seconds(20) };

beforeAll(async () => {
  lab = await startTestFleet({ firstBoot: FIRST_BOOT });
  vm = machineSpec(lab.fleet, 1, {
    imageName: 'vendor-first-boot',
    userData: '#cloud-config\nwrite_files: [{path: /run/of-user-data, content: written}]\n',
    publicKeys: ['ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAtl6iBPgkwpl+VHhhZth8VBWqei3W35G0PlbjF+8lzf someone'],
  });
  await lab.fleet.boot(vm);
  await lab.fleet.ready(vm.serverId);
});
afterAll(() => lab.end());

const inside = async (text: string): Promise<string> =>
  (await lab.fleet.exec(vm.serverId, ['sh', '-c', `export DEBIAN_FRONTEND=noninteractive; ${text}`])).stdout.trim();

test('sshd answers and refuses the login until cloud-init has set the password', async () => {
  const address = vm.nics[0]?.address ?? '';
  await expect(sshTo(address)).rejects.toThrow(/authentication/i);
  expect(await inside('cloud-init status --wait')).toMatch(/status: done/);
  const ssh = await sshTo(address);
  expect(await ssh.run('sudo -n id -un')).toMatchObject({ stdout: 'root\n' });
  ssh.close();
});

test("cloud-init takes the server's name, user_data and key pair", async () => {
  expect(await inside('hostname; cat /run/of-user-data; cat /home/ubuntu/.ssh/authorized_keys')).toMatch(
    /^vm-1\nwrittenssh-ed25519 AAAA\S+ someone$/,
  );
});

test("apt-daily holds apt's and dpkg's locks for a while, and unattended-upgrades is on", async () => {
  await waitUntil(
    async (seen) => {
      const said = await inside('apt-get update 2>&1; dpkg --configure -a 2>&1');
      seen(said);
      return /lists\/lock.*held by process[^]*dpkg frontend lock was locked/.test(said) ? true : undefined;
    },
    { for: 'both locks to be held', within: seconds(30), every: millis(100) },
  );
  await waitUntil(async () => ((await inside('apt-get update > /dev/null 2>&1 && echo free')) === 'free' ? true : undefined), {
    for: 'the locks to be free',
    within: seconds(180),
    every: millis(300),
  });
  expect(await inside('systemctl is-active unattended-upgrades apt-daily.timer apt-daily-upgrade.timer')).toBe(
    'active\nactive\nactive',
  );
});
