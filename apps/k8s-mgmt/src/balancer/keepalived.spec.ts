import { describe, expect, it } from 'vitest';
import { balancer, NODE } from '../testing/balancer.js';
import { haproxyConfiguration } from './haproxy.js';
import { keepalivedConfiguration, readLink, routerId } from './keepalived.js';

const LINK = { name: 'ens3', prefixLength: 24 };
const of = (address: string, more = balancer()) =>
  keepalivedConfiguration({ node: { name: 'a-master', address }, link: LINK, balancer: more });
const value = (text: string, name: string): string | undefined => new RegExp(`^ +${name} (.*)$`, 'm').exec(text)?.[1];
const ADDRESSES = balancer().holders;

describe('the virtual address', () => {
  it('is on the link that has the node’s address, in its network, and asked for by unicast of the others alone', () => {
    const { text } = of('10.10.0.25');
    expect(text).toContain('10.10.0.99/24 dev ens3');
    expect(value(text, 'interface')).toBe('ens3');
    expect(value(text, 'unicast_src_ip')).toBe('10.10.0.25');
    expect(/unicast_peer \{([^}]*)\}/.exec(text)?.[1]?.trim().split(/\s+/)).toEqual(['10.10.0.24', '10.10.0.26']);
  });

  it('moves for nobody who comes back, and no two nodes want it at once', () => {
    const texts = ADDRESSES.map((address) => of(address).text);
    for (const text of texts) expect(text).toMatch(/state BACKUP\n +nopreempt\n/);
    expect(texts.map((text) => value(text, 'priority'))).toEqual(['240', '220', '200']);
  });

  it('has the same configuration whatever order its holders are told in, and with or without the node itself', () => {
    const told = of('10.10.0.25').text;
    expect(of('10.10.0.25', balancer({ holders: [...ADDRESSES].reverse() })).text).toBe(told);
    expect(of('10.10.0.25', balancer({ holders: ['10.10.0.26', '10.10.0.24'] })).text).toBe(told);
  });

  it('is asked for with a router id of its own: two in one /24 never have the same', () => {
    const ids = Array.from({ length: 256 }, (_, last) => routerId(`10.10.0.${last}`));
    expect(new Set(ids.slice(1)).size).toBe(255);
    for (const id of ids) expect(id >= 1 && id <= 255).toBe(true);
  });

  it('depends on the node’s own HAProxy, and on no API server', () => {
    const { text } = of('10.10.0.24');
    expect(/track_script \{\s+(\S+)\s+\}/.exec(text)?.[1]).toBe('haproxy_answers');
    expect(text).not.toMatch(/6443|weight/);
  });

  it.each(['10.10.1.99', '10.11.0.99', 'fd00::9', 'vip_CP'])(
    'is refused where it is not in the network of the node: %s',
    (vip) => {
      expect(() => of('10.10.0.24', balancer({ vip }))).toThrow(
        expect.objectContaining({
          code: 'load-balancer.vip-elsewhere',
          message: expect.stringContaining('cluster_cp_name') as string,
        }),
      );
    },
  );

  it('is in the network of a link whose prefix says so', () => {
    const link = { name: 'ens3', prefixLength: 16 };
    expect(keepalivedConfiguration({ node: NODE, link, balancer: balancer({ vip: '10.10.200.9' }) }).text).toContain(
      '10.10.200.9/16',
    );
  });
});

describe('the link of a node', () => {
  const PRINTED = '2: ens3    inet 10.10.0.24/22 metric 100 brd 10.10.3.255 scope global dynamic ens3\\       valid_lft 8sec\n';

  it('is the one that has its address', () => {
    expect(readLink(PRINTED, NODE)).toEqual({ name: 'ens3', prefixLength: 22 });
  });

  it.each(['', '2: ens3    inet 10.10.0.240/24 brd 10.10.0.255 scope global ens3'])('is missed where none has: %j', (printed) => {
    expect(() => readLink(printed, NODE)).toThrow(expect.objectContaining({ code: 'node.no-link' }));
  });
});

describe('HAProxy', () => {
  it('has a line for each master as the guide shows it, in the same order whatever they are told in', () => {
    const { text } = haproxyConfiguration(balancer());
    expect(text).toContain('    server master24 10.10.0.24:6443 check\n    server master25 10.10.0.25:6443 check\n');
    expect(haproxyConfiguration(balancer({ backends: [...balancer().backends].reverse() })).text).toBe(text);
  });

  it('is known by another digest when its masters are others', () => {
    const all = haproxyConfiguration(balancer());
    const without = haproxyConfiguration(balancer({ backends: balancer().backends.slice(1) }));
    expect(all.digest).not.toBe(without.digest);
    expect(all.text).toContain(`string "${all.digest}"`);
  });

  it('serves nothing of its own on the network, and has no password', () => {
    const { text } = haproxyConfiguration(balancer());
    expect(text.match(/^ +bind .*$/gm)).toEqual([
      '    bind *:16443 tcp-ut 30s',
      '    bind unix@/run/haproxy/windlass.sock mode 600 user root',
    ]);
    expect(text).not.toMatch(/stats (uri|auth|enable)|password/);
    expect(text).toContain('stats socket /run/haproxy/admin.sock mode 600');
  });
});
