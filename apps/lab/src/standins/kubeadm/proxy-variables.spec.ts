import { describe, expect, it } from 'vitest';
import { proxyVariables } from './proxy-variables.js';

describe('what kubeadm copies from its environment', () => {
  it('is every variable whose name ends with _proxy in whatever letters, where it has a value', () => {
    const environment = {
      https_proxy: 'http://u:p@h',
      NO_PROXY: 'a,b',
      Ftp_Proxy: 'x',
      http_proxy: '',
      PATH: '/bin',
      proxy: 'y',
    };
    expect(proxyVariables(environment)).toEqual([
      { name: 'https_proxy', value: 'http://u:p@h' },
      { name: 'NO_PROXY', value: 'a,b' },
      { name: 'Ftp_Proxy', value: 'x' },
    ]);
  });
});
