import { describe, expect, it } from 'vitest';
import { MORE, ROUTES } from '../testing/external-lb.js';
import { installed, opened, routed } from './haproxy.js';

/** As the script of the reference's package writes it, with a Service that its other script has opened. */
const OF_OTHERS = `global
    log /dev/log local0
frontend kubernetes-apiserver
    mode                 tcp
    bind                 *:8383
    default_backend      kubernetes-apiserver
backend kubernetes-apiserver
    mode        tcp
    balance     roundrobin
    server  master24 10.10.0.24:6443 check
backend kubernetes-nodeport
    mode        tcp
    balance     roundrobin
    # by hand
    server  master24 10.10.0.24 check inter 5s
    server  worker31 10.10.0.31 check inter 5s
    server  worker32 10.10.0.32 check inter 5s
frontend default_web
    mode                 tcp
    bind                 *:30080
    default_backend      kubernetes-nodeport
`;

const nodes = [...ROUTES.masters, ...ROUTES.workers];
const lines = (text: string | undefined, word: string) => (text ?? '').split('\n').filter((line) => line.includes(word));

describe('routes of an external load balancer', () => {
  it('that are added leave every other line as it was, and are like those that were there', () => {
    const text = routed(OF_OTHERS, MORE);
    expect(text).toBe(
      OF_OTHERS.replace(
        '    server  worker32 10.10.0.32 check inter 5s\n',
        '    server  worker32 10.10.0.32 check inter 5s\n    server worker33 10.10.0.33 check inter 5s\n',
      ),
    );
  });

  it('that are taken out are the lines of those nodes alone', () => {
    expect(routed(OF_OTHERS, nodes.slice(0, 2))).toBe(OF_OTHERS.replace('    server  worker32 10.10.0.32 check inter 5s\n', ''));
  });

  it('are the same file where they are there already, whatever their order', () => {
    expect(routed(OF_OTHERS, nodes)).toBe(OF_OTHERS);
    expect(routed(OF_OTHERS, nodes.toReversed())).toBe(OF_OTHERS);
  });

  it('of a node whose name another line has get one that nobody has: HAProxy takes no name twice', () => {
    const text = routed(OF_OTHERS, [...nodes, { name: 'worker31', address: '10.10.1.31' }]);
    expect(lines(text, '10.10.1.31')).toEqual(['    server node-10.10.1.31 10.10.1.31 check inter 5s']);
  });

  it('of a node that came back at its address with another name stay as they are', () => {
    expect(routed(OF_OTHERS, [...nodes.slice(0, 2), { name: 'other', address: '10.10.0.32' }])).toBe(OF_OTHERS);
  });

  it('can be gone altogether, and come back', () => {
    const none = routed(OF_OTHERS, []);
    expect(lines(none, 'server ')).toEqual(['    server  master24 10.10.0.24:6443 check']);
    expect(lines(routed(none!, nodes), 'worker31')).toEqual(['    server worker31 10.10.0.31 check']);
  });

  it('have nowhere to be in a file without the back end', () => {
    expect(routed('backend kubernetes-nodeports\n', nodes)).toBeUndefined();
  });
});

describe('a balancer that we install', () => {
  it('has masters for the API and all nodes for ports of Services', () => {
    const text = installed(undefined, ROUTES);
    expect(lines(text, ':6443')).toEqual(['    server master24 10.10.0.24:6443 check']);
    expect(lines(text, '    server ').slice(1)).toEqual(nodes.map(({ name, address }) => `    server ${name} ${address} check`));
  });

  it('keeps what stands in its file already, and takes the place of a file that is not ours', () => {
    const before = opened(installed(undefined, ROUTES), [{ name: 'default_web', ports: [30_080] }]);
    expect(installed(before, ROUTES)).toBe(before);
    expect(installed('global\n    daemon\n', ROUTES)).toBe(installed(undefined, ROUTES));
  });
});

describe('ports of Services', () => {
  it('are opened once, whoever has opened them', () => {
    const web = { name: 'default_web', ports: [30_080] };
    expect(opened(OF_OTHERS, [web])).toBe(OF_OTHERS);
    const text = opened(OF_OTHERS, [web, { name: 'voice_sip', ports: [30_060, 30_061] }]);
    expect(text).toBe(
      `${OF_OTHERS}\nfrontend voice_sip\n    mode tcp\n    bind *:30060\n    bind *:30061\n    default_backend kubernetes-nodeport\n`,
    );
    expect(opened(text, [{ name: 'voice_sip', ports: [30_060, 30_061] }])).toBe(text);
  });

  it('that somebody else has bound are left to them', () => {
    expect(opened(OF_OTHERS, [{ name: 'other_name', ports: [30_080] }])).toBe(OF_OTHERS);
  });
});
