import { InvariantError, TransientError } from '@windlass/foundation';
import { describe, expect, it } from 'vitest';
import { ScriptRunners } from './script-runners.js';

const answering = (answer: () => Promise<unknown>) => new ScriptRunners({ request: answer as never });

describe('a request that names a script', () => {
  it('is refused with 400 and the reason where no such script can be run', async () => {
    const runners = answering(() => Promise.resolve({ runnable: false, reason: 'there is no /usr/bin/python3' }));
    await expect(runners.require('python')).rejects.toMatchObject({
      status: 400,
      code: 'user-data.not-runnable',
      invalidParams: [{ path: '/additionalParams/lcm-operation-user-data', reason: 'there is no /usr/bin/python3' }],
    });
  });

  it('is accepted where it can, and where nobody answers', async () => {
    await answering(() => Promise.resolve({ runnable: true })).require('python');
    await answering(() => Promise.reject(new TransientError('messaging.no-responders', 'nobody'))).require('python');
  });

  it('passes on any other error', async () => {
    const broken = answering(() => Promise.reject(new InvariantError('broken')));
    await expect(broken.require('python')).rejects.toThrow('broken');
  });
});
