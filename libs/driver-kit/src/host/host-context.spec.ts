import { seconds, Secret } from '@windlass/foundation';
import { cmd } from '@windlass/mgmt-driver';
import { FakeHosts } from '@windlass/mgmt-driver/testing';
import type { StepRun } from '@windlass/saga';
import { describe, expect, it } from 'vitest';
import { vnfc } from '../testing/requests.js';
import { MachineContext, type MachineStepInput } from './host-context.js';
import { targetOf, type MachineInput } from './machine-input.js';

const machine = (id: string): MachineInput => ({
  name: id,
  vnfc: vnfc(id, 'CP1', '10.0.0.1'),
  sshCp: 'CP1',
  username: 'ubuntu',
  password: 'of-the-machine',
});

interface Input extends MachineStepInput {
  token: string;
  other: MachineInput;
}

class Context extends MachineContext<Input> {
  protected override get otherMachines(): readonly MachineInput[] {
    return [this.input.other];
  }

  protected override get secrets(): readonly Secret[] {
    return [new Secret(this.input.token)];
  }
}

function stage(input: object = { instance: 'vnf', machine: machine('a'), other: machine('b'), token: 'of-the-input' }) {
  const hosts = new FakeHosts();
  const lines: string[] = [];
  const run: StepRun<Input> = {
    operationId: 'operation',
    stepId: 'step',
    epoch: 3,
    attempt: 1,
    attemptEpoch: 3,
    resumed: false,
    phase: 'do',
    target: null,
    tenant: 'demo',
    input: input as Input,
    signal: new AbortController().signal,
    assertLease: () => undefined,
    leaseLeft: () => seconds(30),
    onlyWaits: () => undefined,
    progress: (line) => void lines.push(line),
  };
  return { hosts, lines, run, context: () => new Context(run, hosts) };
}

const script = { text: 'do it', within: seconds(10), arguments: () => ['with "this"', 'and $that'] };

describe('a script for a machine', () => {
  it('gets its arguments as they are, and shows the last line that it printed', async () => {
    const { hosts, lines, context } = stage();
    hosts.on(/script\.sh/, { stdout: 'one\ntwo\n' });
    await context().script('work', script);
    expect(hosts.processes.map(({ resourceId, job }) => `${resourceId} ${job}`)).toEqual(['server-a work']);
    expect(hosts.processes[0]?.command).toContain(`'with "this"' 'and $that'`);
    expect(lines.at(-1)).toBe('two');
  });

  it('is to be tried again where it ends with status 75, with what it said last', async () => {
    const { hosts, context } = stage();
    hosts.on(/script\.sh/, { status: 75, stderr: 'apt is busy\n' });
    await expect(context().script('work', script)).rejects.toMatchObject({
      name: 'TransientError',
      code: 'node.try-again',
      message: 'work on a may work later: apt is busy',
    });
  });

  it('shows neither the password of a machine nor what the driver calls secret', async () => {
    const { hosts, lines, context } = stage();
    hosts.on(/script\.sh/, { stdout: 'of-the-machine and of-the-input\n', status: 1 });
    const failure = await context()
      .script('work', script)
      .catch((error: unknown) => String(error));
    expect(`${String(failure)} ${lines.join(' ')}`).not.toMatch(/of-the-(machine|input)/);
    expect(lines).toHaveLength(1);
  });
});

describe('a login', () => {
  it.each([
    ['by password', { password: 12345 }, { password: '12345' }],
    ['by key', { private_key: 'the key' }, { privateKey: 'the key' }],
    [
      'by key, and by password where sudo asks',
      { private_key: 'k', passphrase: 1, password: 'p' },
      { privateKey: 'k', passphrase: '1', password: 'p' },
    ],
  ])('is told to the machine %s, and nothing that was not given', (_how, given, told) => {
    const { password: _without, ...rest } = machine('a');
    const target = targetOf({ ...rest, ...given });
    const secrets = Object.entries(target).flatMap(([name, value]) => (value instanceof Secret ? [[name, value.reveal()]] : []));
    expect(Object.fromEntries(secrets)).toEqual(told);
  });
});

describe('a look at a machine', () => {
  it('sees what a command succeeds in, and nothing where it fails', async () => {
    const { hosts, context } = stage();
    hosts.on(/^test/, { status: 0 });
    expect(await context().sees(cmd`test -e /etc/motd`)).toBe(true);
    expect(await context().sees(cmd`no-such-command`)).toBe(false);
  });
});

describe('a forceful cancel', () => {
  it('ends the step’s jobs on each of its machines', async () => {
    const { hosts, context } = stage();
    hosts.on(/script\.sh/, { takes: seconds(3_600) });
    const at = context();
    const work = at.script('work', script);
    const other = at.hostOf(at.input.other).job('work-there', { run: cmd`/bin/bash script.sh`, within: seconds(7_200) });
    const ended = Promise.allSettled([work, other]);
    const running = () => ['server-a', 'server-b'].map((id) => hosts.machine(id).running.length);
    await expect.poll(running, { timeout: 15_000 }).toEqual([1, 1]);
    expect(await context().stop()).toBe(true);
    expect(running()).toEqual([0, 0]);
    for (const { status } of await ended) expect(status).toBe('rejected');
  });
});

describe('a step without the input that its context needs', () => {
  it.each(['instance', 'machine'])('is a fault of the plan: %s', (member) => {
    const input = { instance: 'vnf', machine: {}, [member]: undefined };
    expect(() => stage(input).context()).toThrow(`step step has no input "${member}"`);
  });

  it('is one where the machine’s CP has no address', () => {
    const lost = { ...machine('a'), sshCp: 'CP9' };
    const { context } = stage({ instance: 'vnf', machine: lost, other: machine('b'), token: 't' });
    expect(() => context().host).toThrow(expect.objectContaining({ code: 'node.no-address' }));
  });
});
