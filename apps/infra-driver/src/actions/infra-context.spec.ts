import type { VimAccess } from '@windlass/lifecycle';
import { describe, expect, it } from 'vitest';
import { connectionOf } from './infra-context.js';

const access: VimAccess = {
  connectionId: 'c',
  authUrl: 'https://vim/identity/v3',
  username: 'u',
  password: 'p',
  userDomainName: 'Default',
  projectName: 'p',
  projectDomainName: 'Default',
  verifyTls: true,
};

describe('the connection of a step to its VIM', () => {
  it('looks at chain and name of the certificate, unless the access says otherwise, each by itself', () => {
    expect(connectionOf(access).tls).toEqual({ verify: true, verifyHostname: true });
    const another = connectionOf({ ...access, verifyHostname: false, ca: 'PEM' }).tls;
    expect(another).toEqual({ verify: true, verifyHostname: false, ca: 'PEM' });
    expect(connectionOf({ ...access, verifyTls: false }).tls).toEqual({ verify: false, verifyHostname: true });
  });
});
