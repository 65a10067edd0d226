import { describe, expect, it } from 'vitest';
import { step } from '../testing/steps.js';
import {
  brokenOf,
  causeOf,
  causeText,
  failedAtOf,
  failedOnText,
  failureText,
  inOrder,
  nextOf,
  numberedOf,
  sentencesOf,
} from './failing.js';

const worker11 = { vnfcId: 'a', name: 'worker11', address: '10.0.0.11' };
const says = '1. On its console: ssh-keygen -l\n2. The same as "got": roll back. Then ask again\n3. Another one: do not go on';
const [A, B] = ['a', 'b'].map((letter) => `SHA256:${letter.repeat(43)} (ssh-ed25519)`);
const hostKey = {
  kind: 'terminal',
  code: 'remote.host-key-changed',
  status: 422,
  detail: `10.0.0.11's SSH host key is not the one given beforehand: expected ${A}, got ${B}. Nothing was sent to it (resource 77).\n${says}`,
  remedy: { says, leadsOn: 'rollback' as const, when: 'When the fingerprint is the same as "got"' },
};

describe('where an operation failed', () => {
  it('is told by the machine’s name and address, and by how many of how many', () => {
    const one = { target: '3 nodes', machineCount: 3, machines: [worker11] };
    expect(failedOnText(one)).toBe('worker11 (10.0.0.11): 1 of 3 nodes');
    expect(failedOnText({ ...one, machineCount: 1 })).toBe('worker11 (10.0.0.11)');
    expect(failureText({ action: 'inspect-nodes', stepId: 'i', ...one })).toBe(
      'inspect-nodes failed on worker11 (10.0.0.11): 1 of 3 nodes',
    );
  });

  it('is the target where no machine is told, and nothing where there is none', () => {
    const stack = step('s', { action: 'create-stack', target: 'vnf-1' });
    expect(failedOnText(failedAtOf(stack))).toBe('vnf-1');
    expect(failureText({ action: 'grant', stepId: 'g', target: null, machines: [], machineCount: 0 })).toBe('grant failed');
  });

  it('names some of many machines', () => {
    const machines = Array.from({ length: 8 }, (_, n) => ({ vnfcId: String(n), name: `w${n}`, address: null }));
    expect(failedOnText({ target: null, machineCount: 200, machines })).toBe('w0, w1, w2 and others: 8 of 200 nodes');
  });

  it('is the step of a plan, not the step that asked for the plan', () => {
    const steps = [step('h', { action: 'ask-driver', state: 'failed' }), step('a', { state: 'failed' })];
    expect(brokenOf(steps)?.id).toBe('a');
    expect(brokenOf(steps.slice(0, 1))?.id).toBe('h');
  });
});

describe('the cause', () => {
  it('stands apart from what to do, and from what should have been alike', () => {
    expect(causeOf(hostKey)).toEqual({
      says: "10.0.0.11's SSH host key is not the one given beforehand",
      differs: { expected: A, got: B },
      more: 'Nothing was sent to it (resource 77).',
    });
  });

  it('in a line has no hashes, and has two things that are read', () => {
    expect(causeText({ error: hostKey })).toBe("10.0.0.11's SSH host key is not the one given beforehand");
    const image = 'image cirros: expected at most 1 GiB, got 2 GiB';
    expect(causeText({ error: { detail: image } })).toBe(image);
  });

  it.each([
    [
      'a script',
      'install.sh on worker11 failed with exit status 1:\nReading lists\nE: no space left on device\n',
      'E: no space left on device',
    ],
    [
      'no route',
      'ubuntu@10.0.0.11:22 can’t be reached: connect EHOSTUNREACH',
      'ubuntu@10.0.0.11:22 can’t be reached: connect EHOSTUNREACH',
    ],
    ['a time-out', 'worker11 was not Ready within 5 min: NotReady', 'worker11 was not Ready within 5 min: NotReady'],
    ['a stack', 'vnf-1 CREATE_FAILED: VDU1: no valid host was found', 'vnf-1 CREATE_FAILED: VDU1: no valid host was found'],
    ['an image', 'image cirros: expected at most 1 GiB, got 2 GiB', 'image cirros'],
  ])('of %s is the line that tells it', (_of, detail, line) => {
    expect(causeOf({ detail }).says).toBe(line);
  });

  it('of a line without end is cut', () => {
    expect(causeOf({ detail: `${'expected '.repeat(50_000)}x` }).says.length).toBe(600);
    expect(causeText({ error: {} })).toBe('');
  });
});

describe('what to do first', () => {
  it('is what the error says, else what its kind means', () => {
    expect(nextOf(hostKey)).toEqual({ says, leadsOn: 'rollback', when: 'When the fingerprint is the same as "got"' });
    expect(nextOf({ kind: 'transient' })?.leadsOn).toBe('retry');
    expect(nextOf({ kind: 'of a later release' })).toBeUndefined();
  });

  it('is read step by step where its lines are numbered', () => {
    expect(numberedOf(says)).toEqual([
      'On its console: ssh-keygen -l',
      'The same as "got": roll back. Then ask again',
      'Another one: do not go on',
    ]);
    for (const other of ['Retry.', '1. One step alone', '1. a\n3. b', '1. a\nb', '']) expect(numberedOf(other)).toBeUndefined();
  });

  it('is read sentence by sentence', () => {
    expect(sentencesOf('Compare it (ssh-keygen -l -f /etc/x.pub). If it is the same: go on')).toEqual([
      'Compare it (ssh-keygen -l -f /etc/x.pub).',
      'If it is the same: go on.',
    ]);
  });

  it('is not a retry where the fault does not pass by itself', () => {
    for (const kind of ['terminal', 'invariant', 'request', 'cancelled']) expect(nextOf({ kind })?.leadsOn).not.toBe('retry');
  });

  it('comes first of what is offered, and is nothing that is not', () => {
    expect(inOrder(['retry', 'rollback', 'fail'], 'rollback')).toEqual(['rollback', 'retry', 'fail']);
    expect(inOrder(['retry', 'fail'], 'rollback')).toEqual(['retry', 'fail']);
  });
});
