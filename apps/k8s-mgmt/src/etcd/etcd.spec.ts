import { minutes, seconds } from '@windlass/foundation';
import { FakeHosts } from '@windlass/mgmt-driver/testing';
import type { StepRun } from '@windlass/saga';
import { describe, expect, it } from 'vitest';
import type { NodeInput } from '../cluster/node-input.js';
import { FakeEtcd } from '../testing/fake-etcd.js';
import { vnfc } from '../testing/requests.js';
import { checkQuorum, type CheckQuorumInput } from './check-quorum.action.js';
import type { EtcdStepInput } from './etcd-context.js';
import { EtcdContext } from './etcd-context.js';
import { Etcd } from './etcd.js';
import { leaveEtcd, type LeaveEtcdInput } from './leave-etcd.action.js';

const address = (n: number): string => `10.10.0.${n}`;
const master = (n: number): NodeInput => ({
  name: `master${n}`,
  vnfc: vnfc('master', n, address(n)),
  sshCp: 'masterNode_CP1',
  role: 'master',
  address: address(n),
  username: 'ubuntu',
  password: 'p',
});
const leaving = (n: number) => ({ name: `master${n}`, address: address(n) });
const idOf = (n: number): string => master(n).vnfc.resourceId;

/** Masters of these numbers, each with a member of etcd; the first leads. */
function world(...numbers: number[]) {
  const hosts = new FakeHosts();
  const etcd = new FakeEtcd(hosts);
  for (const n of numbers) etcd.add(idOf(n), address(n));
  const contextOf = <Input extends EtcdStepInput>(input: Omit<Input, 'instance' | 'cluster' | 'masters'>, masters: number[]) =>
    new EtcdContext(
      {
        operationId: 'operation',
        stepId: 'step',
        epoch: 1,
        attempt: 1,
        attemptEpoch: 1,
        resumed: false,
        phase: 'do',
        target: null,
        tenant: 'demo',
        input: { instance: 'vnf', cluster: {}, masters: masters.map(master), ...input } as unknown as Input,
        signal: new AbortController().signal,
        assertLease: () => undefined,
        leaseLeft: () => seconds(30),
        onlyWaits: () => undefined,
        progress: () => undefined,
      } satisfies StepRun<Input>,
      hosts,
    );
  const leave = (n: number, masters: number[]) => leaveEtcd.apply(contextOf<LeaveEtcdInput>({ leaving: leaving(n) }, masters));
  const check = (numbers: number[], masters: number[]) =>
    checkQuorum.apply(contextOf<CheckQuorumInput>({ leaving: numbers.map(leaving), replaced: true }, masters));
  const ask = (masters: number[], patience = seconds(0.1)) => {
    const context = contextOf({}, masters);
    const seats = masters.map((n) => ({ host: context.hostOf(master(n)), address: address(n) }));
    return new Etcd(seats, { patience });
  };
  const jobs = () => hosts.processes.map(({ resourceId, job }) => `${resourceId} ${job.replace(/[0-9a-f]{16}/, 'ID')}`);
  return { hosts, etcd, leave, check, ask, jobs };
}

describe('a master that leaves etcd', () => {
  it('hands the lead over at its own end point, and is taken out by one that stays', async () => {
    const { etcd, leave, jobs, hosts } = world(1, 2, 3);
    const output = await leave(1, [2, 3]);
    expect(output).toEqual({
      did: [
        "etcd's leader was moved from 10.10.0.1 to 10.10.0.2",
        'the member at 10.10.0.1 was taken out of etcd: without 10.10.0.1, 2 of 2 voting members would answer, and 2 must',
      ],
    });
    expect(etcd.voters).toEqual([address(2), address(3)]);
    expect(etcd.leader).toBe(address(2));
    expect(jobs()).toEqual([`${idOf(2)} move-etcd-leader-to-ID`, `${idOf(2)} remove-etcd-member-ID`]);
    expect(hosts.looks.map(({ resourceId }) => resourceId)).not.toContain(idOf(1));
  });

  it('does not take the lead from one that stays', async () => {
    const { etcd, leave, jobs } = world(1, 2, 3);
    await leave(3, [1, 2]);
    expect(etcd.leader).toBe(address(1));
    expect(jobs()).toEqual([`${idOf(1)} remove-etcd-member-ID`]);
  });

  it('is known by its whole address: 10.10.0.2 leaves, and 10.10.0.21 stays', async () => {
    const { etcd, leave } = world(21, 2, 3);
    await leave(2, [21, 3]);
    expect(etcd.voters).toEqual([address(21), address(3)]);
  });

  it('may be dead, and nobody asks it anything', async () => {
    const { etcd, leave, hosts } = world(1, 2, 3);
    etcd.kill(address(1));
    hosts.machine(idOf(1)).unreachable = true;
    expect(await leave(1, [2, 3])).toMatchObject({ did: [expect.stringContaining('was taken out') as string] });
    expect(etcd.voters).toEqual([address(2), address(3)]);
  });

  it('leads on with a dead container runtime, and leaves all the same, as does one that does not hand over: that is told', async () => {
    const { etcd, leave } = world(1, 2, 3);
    etcd.withoutRuntime.add(address(1));
    etcd.stubborn = true;
    expect(await leave(1, [2, 3])).toMatchObject({
      notes: [
        "etcd's leader at 10.10.0.1 did not hand over to 10.10.0.2: Error: etcdserver: request timed out, leader transfer took too long",
      ],
    });
    expect(etcd.leader).toBe(address(2));
  });

  it('is taken out through whoever of the others lives', async () => {
    const { etcd, leave, hosts, jobs } = world(1, 2, 3, 4, 5);
    etcd.withoutRuntime.add(address(2));
    hosts.machine(idOf(3)).unreachable = true;
    await leave(1, [2, 3, 4, 5]);
    expect(etcd.voters).toEqual([2, 3, 4, 5].map(address));
    expect(new Set(jobs().map((line) => line.split(' ')[0]))).toEqual(new Set([idOf(4)]));
  });

  it('that has left already, or was announced and never started, is right to leave', async () => {
    const { etcd, leave } = world(1, 2, 3);
    etcd.add(idOf(4), address(4), { voting: false, runs: false, announcedOnly: true });
    expect(await leave(4, [1, 2, 3])).toMatchObject({
      did: ['the learner at 10.10.0.4 was taken out of etcd: 10.10.0.4 is a learner, which decides nothing'],
    });
    expect(await leave(9, [1, 2, 3])).toEqual({ did: ['etcd had no member at 10.10.0.9'] });
    expect(etcd.members).toHaveLength(3);
  });

  it('is held back where the rest would have no quorum, with the reason and before anything is done', async () => {
    const { etcd, ask, jobs } = world(1, 2, 3);
    etcd.kill(address(3));
    await expect(ask([2, 3]).leave(address(1))).rejects.toMatchObject({
      name: 'TerminalError',
      code: 'etcd.quorum',
      message: expect.stringMatching(/^without 10\.10\.0\.1, 1 of 2 .* bring 10\.10\.0\.3 back first/) as string,
    });
    expect(jobs()).toEqual([]);
    expect(etcd.members).toHaveLength(3);
  });

  it('is held back while etcd can decide nothing, and what each master said is told', async () => {
    const { etcd, ask, hosts } = world(1, 2, 3);
    etcd.kill(address(1));
    etcd.kill(address(3));
    hosts.machine(idOf(3)).unreachable = true;
    await expect(ask([2, 3]).leave(address(1))).rejects.toMatchObject({
      name: 'TransientError',
      code: 'etcd.no-answer',
      message: expect.stringMatching(
        /10\.10\.0\.2: Error: context deadline exceeded; 10\.10\.0\.3: .*can't be reached/,
      ) as string,
    });
  });
});

describe('the look before a master is touched', () => {
  it('lets masters be replaced together, dead or alive, while those that stay are a quorum, and says what remains', async () => {
    const { etcd, check } = world(1, 2, 3, 4, 5);
    etcd.kill(address(1));
    etcd.kill(address(2));
    expect(await check([1, 2], [3, 4, 5])).toEqual({
      why: 'without 10.10.0.1 and 10.10.0.2, 3 of 5 voting members would answer, and 3 must',
    });
  });

  it('holds a living one back whose absence would cost the quorum, and nothing is changed by then', async () => {
    const { etcd, ask, jobs } = world(1, 2, 3, 4, 5);
    etcd.kill(address(1));
    etcd.kill(address(2));
    expect(await ask([2, 4, 5]).mayLeave([address(1), address(3)], { replaced: true })).toEqual({
      may: false,
      why: 'without 10.10.0.1 and 10.10.0.3, 2 of 5 voting members would answer, and 3 must until others have joined: heal 10.10.0.2 first, or bring it back',
    });
    expect(jobs()).toEqual([]);
  });

  it('stands against it with the arithmetic’s sentence, when who is silent has had the time of an election', async () => {
    const { etcd, ask } = world(1, 2, 3);
    etcd.kill(address(3));
    expect(await ask([2]).mayLeave([address(1)], { replaced: true })).toMatchObject({ may: false });
    expect(await ask([2]).mayLeave([address(3), address(1)], { replaced: false })).toMatchObject({ may: true });
  });

  it('waits for an election to be over', async () => {
    const { etcd, ask, hosts } = world(1, 2, 3);
    const silent = etcd.members[2]!;
    silent.runs = false;
    const verdict = ask([2], minutes(1)).mayLeave([address(1)], { replaced: true });
    await expect.poll(() => hosts.looks.length).toBeGreaterThanOrEqual(2);
    silent.runs = true;
    expect(await verdict).toMatchObject({ may: true });
  });
});
