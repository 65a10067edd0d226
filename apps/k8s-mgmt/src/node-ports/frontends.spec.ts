import { INSTANCE } from '@windlass/driver-kit/testing';
import { describe, expect, it } from 'vitest';
import { exposedIn } from '../external-lb/exposed-ports.js';
import { opened } from '../external-lb/haproxy.js';
import { restorable } from '../external-lb/restore-node-ports.action.js';
import { BEFORE, FRONTENDS, LB_ADDRESS, OTHER_VNF } from '../testing/node-ports.js';
import { closed, exposed } from './frontends.js';

const of = { vnf: INSTANCE, balancer: LB_ADDRESS };
const ofOther = { vnf: OTHER_VNF, balancer: LB_ADDRESS };
const OTHERS = [{ name: 'other_api', ports: [30_443] }];
const byHand = (name: string, bind: string): string =>
  `${BEFORE}\nfrontend ${name}\n    mode tcp\n    bind ${bind}\n    default_backend kubernetes-nodeport\n`;
const refusal = (text: string, frontends = FRONTENDS): unknown => {
  try {
    return exposed(text, frontends, of);
  } catch (error) {
    return error;
  }
};

describe('ports of VNFs of containers on a load balancer', () => {
  it('are a frontend for each Service, which says whose it is, and lead to all nodes', () => {
    expect(exposed(BEFORE, FRONTENDS, of)).toBe(
      `${BEFORE}
frontend default_web
    mode tcp
    description windlass-vnf ${INSTANCE}
    bind *:30080
    bind *:31234
    default_backend kubernetes-nodeport
`,
    );
  });

  it('are the same file where they are open already, also beside others and with lines that a person has added', () => {
    const both = exposed(exposed(BEFORE, FRONTENDS, of), OTHERS, ofOther);
    expect(exposed(both, FRONTENDS, of)).toBe(both);
    const patched = both.replace('    bind *:31234\n', '    bind *:31234\n    timeout client 1h\n');
    expect(exposed(patched, FRONTENDS, of)).toBe(patched);
  });

  it('leave nothing when they are closed, and close nobody else’s', () => {
    const both = exposed(exposed(BEFORE, FRONTENDS, of), OTHERS, ofOther);
    expect(closed(both, INSTANCE)).toBe(exposed(BEFORE, OTHERS, ofOther));
    expect(closed(closed(both, INSTANCE), OTHER_VNF)).toBe(BEFORE);
    expect(closed(byHand('default_web', '*:30080'), INSTANCE)).toBe(byHand('default_web', '*:30080'));
  });

  it('keep what somebody has written behind them', () => {
    const text = `${exposed(BEFORE, FRONTENDS, of)}\n# of a person\nfrontend mine\n    bind *:8080\n`;
    expect(closed(text, INSTANCE)).toBe(`${BEFORE}\n# of a person\nfrontend mine\n    bind *:8080\n`);
  });

  it('follow a Service that has got another port', () => {
    const text = exposed(BEFORE, [{ name: 'default_web', ports: [30_080, 31_999] }], of);
    expect(exposed(text, FRONTENDS, of)).toBe(exposed(BEFORE, FRONTENDS, of));
  });

  it.each([
    [
      'of another VNF',
      exposed(BEFORE, [{ name: 'other_web', ports: [30_080] }], ofOther),
      `other_web, of VNF instance ${OTHER_VNF}`,
    ],
    ['in a range of somebody’s', byHand('games', ':30000-31000'), 'games, which Windlass has not written'],
    [
      'among several addresses',
      byHand('games', '192.0.2.1:80,[::]:31234'),
      'port 31234 of default/web is taken by the frontend games',
    ],
    ['of a listen section', `${BEFORE}\nlisten stats\n    bind *:30080 ssl\n`, 'the listen stats'],
    [
      'under the same name',
      byHand('default_web', '*:30999'),
      'there is a frontend default_web already, which Windlass has not written',
    ],
  ])('that are taken are refused with who has them: %s', (_, text, says) => {
    expect(refusal(text)).toMatchObject({
      name: 'TerminalError',
      code: 'external-lb.port-taken',
      message: expect.stringContaining(says) as string,
    });
  });

  it('are never the port of the cluster’s API', () => {
    expect(refusal(BEFORE, [{ name: 'default_web', ports: [8383] }])).toMatchObject({
      message: expect.stringContaining('kubernetes-api-external, by which the API of the cluster is reached') as string,
    });
  });

  it.each(['a b', 'x\n    bind *:22', ''])('of a name that is none are written nowhere: %j', (name) => {
    expect(refusal(BEFORE, [{ name, ports: [30_080] }])).toMatchObject({ code: 'balancer.bad-name' });
  });

  it('are that VNF’s again on a balancer that was made anew', () => {
    const noted = exposedIn(exposed(BEFORE, FRONTENDS, of));
    expect(noted).toEqual({ frontends: [{ ...FRONTENDS[0], vnf: INSTANCE }], others: [] });
    const { open } = restorable(noted, FRONTENDS);
    expect(opened(BEFORE, open)).toBe(exposed(BEFORE, FRONTENDS, of));
  });
});
