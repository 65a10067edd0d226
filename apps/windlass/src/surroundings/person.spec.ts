import { expect, it } from 'vitest';
import { personsName } from './person.js';

it('names who types a command, and by number whom the machine has no name for', () => {
  expect(personsName(() => ({ username: 'ada' }))).toBe('ada');
  const nameless = (): never => {
    throw new Error('A system error occurred: uv_os_get_passwd returned ENOENT');
  };
  expect(personsName(nameless)).toBe(`user ${process.getuid?.()}`);
});
