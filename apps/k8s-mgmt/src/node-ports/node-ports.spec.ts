import { crashSuite, INSTANCE, undoSuite } from '@windlass/driver-kit/testing';
import { describe, expect, it } from 'vitest';
import type { HookContext } from '@windlass/mgmt-driver';
import {
  BEFORE,
  FRONTENDS,
  lbParams,
  LB_ADDRESS,
  LB_SERVER,
  nodePortBench,
  OTHER_VNF,
  SCRIPT_PATH,
} from '../testing/node-ports.js';
import { exposed, isOpenIn } from './frontends.js';
import { LB_PARAM } from './parameters.js';

type Bench = ReturnType<typeof nodePortBench>;

const OPEN = exposed(BEFORE, FRONTENDS, { vnf: INSTANCE, balancer: LB_ADDRESS });
const TAKEN = exposed(BEFORE, [{ name: 'other_web', ports: [30_080] }], { vnf: OTHER_VNF, balancer: LB_ADDRESS });
const scripted = lbParams({ script_path: SCRIPT_PATH });
const ids = { check: 'check-node-ports', expose: 'expose-node-ports', close: 'close-node-ports' };

crashSuite('the opening of ports of a VNF of containers', {
  bench: (points) => nodePortBench(points),
  stands: ({ shown }) => expect(shown()).toBe(OPEN),
});

crashSuite('the opening of ports by a script of the package', {
  bench: (points) => nodePortBench({ ...points, params: scripted }),
  stands: ({ shown }) => expect(isOpenIn(shown() ?? '', FRONTENDS)).toBe(true),
});

crashSuite('the closing of ports of a VNF of containers', {
  bench: (points) => nodePortBench({ ...points, hook: { hook: 'terminate_start' }, file: OPEN }),
  stands: ({ shown }) => expect(shown()).toBe(BEFORE),
});

undoSuite('the opening of ports of a VNF of containers', {
  bench: (points) => nodePortBench(points),
  left: { [ids.expose]: ({ shown }) => (shown() === BEFORE ? undefined : 'open') },
});

undoSuite('the opening of ports by a script of the package', {
  bench: (points) => nodePortBench({ ...points, params: scripted }),
  left: { [ids.expose]: ({ shown }) => (shown() === BEFORE ? undefined : 'open') },
});

undoSuite('the closing of ports of a VNF of containers', {
  bench: (points) => nodePortBench({ ...points, hook: { hook: 'terminate_start' }, file: OPEN }),
  left: { [ids.close]: ({ shown }) => (shown() === OPEN ? undefined : 'closed') },
});

const failing = (made: Bench, id: string): Promise<unknown> =>
  made.runner.performOnce(id).then(
    () => undefined,
    (error: unknown) => error,
  );

describe('ports of a VNF of containers', () => {
  it('are looked for before anything is made: taken ones, a balancer without its back end, and one that does not run', async () => {
    const hook = { hook: 'instantiate_start' } as const;
    const params = lbParams({
      node_ports: [{ namespace: 'default', name: 'web', ports: [{ nodePort: 30_080, protocol: 'TCP' }] }],
    });
    expect(await failing(nodePortBench({ hook, params }), ids.check)).toBeUndefined();
    expect(await failing(nodePortBench({ hook, params, file: TAKEN }), ids.check)).toMatchObject({
      code: 'external-lb.port-taken',
      message: expect.stringContaining(OTHER_VNF) as string,
    });
    const byHand = `${BEFORE}\nfrontend default_web\n    bind *:30999\n    default_backend kubernetes-nodeport\n`;
    expect(await failing(nodePortBench({ hook, params, file: byHand }), ids.check)).toMatchObject({
      code: 'external-lb.port-taken',
    });
    expect(await failing(nodePortBench({ hook, params, file: 'global\n' }), ids.check)).toMatchObject({
      code: 'external-lb.no-back-end',
      message: expect.stringContaining(`on load balancer ${LB_ADDRESS}`) as string,
    });
  });

  it('that another VNF has taken meanwhile are left to it', async () => {
    const made = nodePortBench({ file: TAKEN });
    expect(await failing(made, ids.expose)).toMatchObject({ code: 'external-lb.port-taken' });
    expect(made.shown()).toBe(TAKEN);
  });

  it('that are open already are read by HAProxy no second time', async () => {
    const made = nodePortBench();
    await made.runner.run();
    await made.runner.performOnce(ids.expose, { epoch: 9, attemptEpoch: 9 });
    expect(made.world.reloads).toBe(1);
  });

  it('are told to the package’s script, and a second attempt closes before it opens', async () => {
    const made = nodePortBench({ params: scripted });
    await made.runner.run();
    expect(made.told).toEqual(['-i default,web,30080,31234 -a True']);
    made.has(BEFORE);
    await made.runner.performOnce(ids.expose, { epoch: 3, attemptEpoch: 3 });
    expect(made.told.slice(1)).toEqual(['-i default,web,30080,31234 -a False', '-i default,web,30080,31234 -a True']);
    expect(made.shown()?.match(/frontend default_web/g)).toHaveLength(1);
  });

  it('that a script leaves open are closed after it', async () => {
    const left = `${BEFORE}\nfrontend default_web\n    bind *:30080\n    bind *:31234\n    default_backend kubernetes-nodeport\n`;
    const made = nodePortBench({ params: scripted, hook: { hook: 'terminate_start' }, file: left });
    await made.runner.run();
    expect(made.shown()).toBe(BEFORE);
  });

  it('on a balancer that is away hold a GRACEFUL termination up, and a FORCEFUL one only until it was tried five times', async () => {
    const terminated = (terminationType: string) =>
      nodePortBench({ hook: { hook: 'terminate_start', request: { terminationType } }, file: OPEN });
    const graceful = terminated('GRACEFUL');
    graceful.hosts.machine(LB_SERVER).unreachable = true;
    await expect(graceful.runner.run()).rejects.toMatchObject({ code: 'remote.unreachable' });
    const forceful = terminated('FORCEFUL');
    forceful.hosts.machine(LB_SERVER).unreachable = true;
    expect(await failing(forceful, ids.close), 'the first attempt').toMatchObject({ code: 'remote.unreachable' });
    await forceful.runner.run();
    expect(JSON.stringify(forceful.runner.outputs.get(ids.close))).toContain('remove the frontends default_web from');
  });

  it('are closed and opened by a heal of the whole, and looked at after any other', () => {
    const heal = (whole: boolean) => ({ vnfcIds: ['one'], whole, recreates: false, cause: null, earlierResourceIds: {} });
    const actionsAt = (hook: HookContext['hook'], whole: boolean) => {
      const { driver, context } = nodePortBench();
      return /(expose|close)-node-ports/.exec(JSON.stringify(driver.plan({ ...context, hook, heal: heal(whole) }).root))?.[0];
    };
    expect([actionsAt('heal_start', true), actionsAt('heal_end', true)]).toEqual(['close-node-ports', 'expose-node-ports']);
    expect([actionsAt('heal_start', false), actionsAt('heal_end', false)]).toEqual([undefined, 'expose-node-ports']);
  });

  it('that nobody has read of the cluster yet are not guessed', () => {
    const open = { namespace: 'default', name: 'web', ports: [{ protocol: 'TCP' }] };
    const { context, driver } = nodePortBench({ params: lbParams({ node_ports: [open] }) });
    const { nodePorts: _unread, ...unread } = context;
    expect(() => driver.plan(unread)).toThrow(/default\/web, and nobody has read it yet/);
  });

  it('are opened with the login that a heal gives anew', async () => {
    const again = { ssh_ip: LB_ADDRESS, ssh_username: 'root', ssh_password: 'another' };
    const made = nodePortBench({ hook: { hook: 'heal_end' }, requestParams: { [LB_PARAM]: { external_lb_param: again } } });
    expect(made.runner.runOf(ids.expose).input).toMatchObject({ server: { username: 'root', password: 'another', root: true } });
    await made.runner.run();
    expect(made.shown()).toBe(OPEN);
  });
});
