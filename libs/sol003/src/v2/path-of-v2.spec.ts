import { describe, expect, it } from 'vitest';
import { pathOfV2 } from './path-of-v2.js';

const shared = {
  vimConnectionInfo: [{ id: 'first' }, { id: 'a/b~c' }],
  extVirtualLinks: [{ extCps: [{ cpConfig: [{ cpConfigId: 'one' }, { cpConfigId: 'two' }] }] }],
};

describe('a fault of a request of v2', () => {
  it.each([
    ['/vimConnectionInfo/0/vimType', '/vimConnectionInfo/first/vimType'],
    ['/vimConnectionInfo/1', '/vimConnectionInfo/a~1b~0c'],
    ['/extVirtualLinks/0/extCps/0/cpConfig/1/linkPortId', '/extVirtualLinks/0/extCps/0/cpConfig/two/linkPortId'],
    ['/extVirtualLinks/0/id', '/extVirtualLinks/0/id'],
    ['/vimConnectionInfo/7/vimType', '/vimConnectionInfo/7/vimType'],
    ['/vimConnectionInfo', '/vimConnectionInfo'],
    ['/additionalParams/vimConnectionInfo/0', '/additionalParams/vimConnectionInfo/0'],
  ])('at %s is told at %s', (path, told) => {
    expect(pathOfV2(path, shared)).toBe(told);
  });
});
