import { afterAll, beforeAll } from 'vitest';
import type { HostTarget } from '@windlass/mgmt-driver';
import { describeHosts } from '@windlass/mgmt-driver/testing/contract';
import { ContractRig } from './testing/contract-rig.js';
import { TestSshd, TestUser } from './testing/sshd.js';

let sshd: TestSshd;
let sudoer: TestUser;
let plain: TestUser;
const rigs: ContractRig[] = [];

beforeAll(async () => {
  sshd = await TestSshd.start();
  sudoer = new TestUser('password');
  plain = new TestUser('no');
});

afterAll(async () => {
  for (const rig of rigs) rig.close();
  await sshd.stop();
  sudoer.remove();
  plain.remove();
});

const rigFor = (overrides: () => Partial<HostTarget>) => () => {
  const rig = new ContractRig(sshd.target(overrides()));
  rigs.push(rig);
  return Promise.resolve(rig);
};

describeHosts(
  'over SSH as root',
  rigFor(() => ({})),
);
describeHosts(
  'over SSH as a user whose sudo asks for the password',
  rigFor(() => ({ username: sudoer.name, password: sudoer.password })),
);
describeHosts(
  'over SSH as a user without privileges',
  rigFor(() => ({ username: plain.name, password: plain.password, privileges: 'none' })),
);
