import { describe, expect, it } from 'vitest';
import { vimWarning } from './vim-warning.js';

describe('the warning of a VIM by http', () => {
  it.each([
    'http://vim.example:5000/v3',
    'http://10.0.0.1/identity',
    'http://127.0.0.1.example/',
    'http://localhost.example/',
    'HTTP://vim/',
  ])('is given for %s', (url) => {
    expect(vimWarning(url)).toContain(`${new URL(url).origin} is http`);
  });

  it.each(['https://vim.example:5000/v3', 'http://127.0.0.1:5000/v3', 'http://localhost/identity', 'http://[::1]:5000/'])(
    'is not given for %s',
    (url) => {
      expect(vimWarning(url)).toBeUndefined();
    },
  );
});
