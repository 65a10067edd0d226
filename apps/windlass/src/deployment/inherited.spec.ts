import { describe, expect, it } from 'vitest';
import { inherited } from '../surroundings/config.js';

describe('what services inherit of the environment that `up` was called in', () => {
  it('is where they may connect to, and nothing that could hold a secret', () => {
    const reach = {
      VIM_ALLOW: '127.0.0.1',
      VIM_DENY: '10.9.0.0/16',
      VIM_ONLY: '10.0.0.0/8',
      OUTBOUND_ALLOW: '127.0.0.1:8080',
      OUTBOUND_DENY: 'a.example',
      OUTBOUND_ONLY: 'b.example',
      OUTBOUND_PRIVATE: 'false',
    };
    const secrets = { OS_PASSWORD: 'x', MASTER_KEY: 'x', NATS_PASSWORD: 'x', LCM_TOKEN: 'x', AWS_SECRET_ACCESS_KEY: 'x' };
    expect(inherited({ ...reach, ...secrets, PATH: '/bin' })).toEqual({ ...reach, PATH: '/bin' });
  });
});
