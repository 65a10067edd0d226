import { expect, it } from 'vitest';
import { hostInUrl } from './host-in-url.js';

it.each([
  ['fd00::1', '[fd00::1]'],
  ['::1', '[::1]'],
  ['10.0.0.1', '10.0.0.1'],
  ['vim.example', 'vim.example'],
  ['[fd00::1]', '[fd00::1]'],
])('%s stands in a URL as %s', (address, expected) => {
  expect(hostInUrl(address)).toBe(expected);
  expect(new URL(`https://${hostInUrl(address)}:6443`).port).toBe('6443');
});
