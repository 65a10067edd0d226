import { describe, expect, it } from 'vitest';
import { derivedUuid } from './uuid.js';

describe('a derived UUID', () => {
  it('is the one of RFC 9562, appendix A.4', () => {
    expect(derivedUuid('6ba7b810-9dad-11d1-80b4-00c04fd430c8', 'www.example.com')).toBe('2ed6657d-e927-568b-95e1-2665a8aea6a2');
  });
});
