import { Secret } from '@windlass/foundation';
import { expect, test } from 'vitest';
import { firstBootScript, guestHostname } from './guest-seed.js';

test.each([
  ['Master_Node 1', 'master-node-1'],
  ['vm.example.org', 'vm-example-org'],
  ['--ä--', 'host'],
  ['a'.repeat(62) + '-bc', 'a'.repeat(62)],
])("a server named '%s' is the host %s", (server, hostname) => {
  expect(guestHostname(server)).toBe(hostname);
});

test.each([
  ['root; reboot', 'x'],
  ['ubuntu', 'two\nlines'],
  ['ubuntu', ''],
])("the account '%s' with the password '%s' is refused", (user, password) => {
  expect(() => firstBootScript({ user, password: new Secret(password) })).toThrow(/VM's/);
});
