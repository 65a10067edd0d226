import { InvariantError, TransientError } from '@windlass/foundation';
import { describe, expect, it } from 'vitest';
import { ScriptRunners } from './script-runners.js';

const SCRIPT = { path: 'UserData/a.py', className: 'Data', language: 'python' } as const;
const SOURCE = { tenant: 'one', modules: ['netaddr'], text: 'class Data: pass' };

const answering = (answer: () => Promise<unknown>) => new ScriptRunners({ request: answer as never });

describe('a request that names a script', () => {
  it('is refused with 400 and the reason where no such script can be run', async () => {
    const runners = answering(() => Promise.resolve({ runnable: false, reason: 'there is no /usr/bin/python3' }));
    await expect(runners.require(SCRIPT, SOURCE)).rejects.toMatchObject({
      status: 400,
      code: 'user-data.not-runnable',
      invalidParams: [{ path: '/additionalParams/lcm-operation-user-data', reason: 'there is no /usr/bin/python3' }],
    });
  });

  it('is refused at the key of the class where the script has no such class', async () => {
    const runners = answering(() => Promise.resolve({ runnable: false, reason: 'there is no class Data', lacksClass: true }));
    await expect(runners.require(SCRIPT, SOURCE)).rejects.toMatchObject({
      invalidParams: [{ path: '/additionalParams/lcm-operation-user-data-class', reason: 'there is no class Data' }],
    });
  });

  it('is sent with what is known of the script, as long as a message may be', async () => {
    const sent: unknown[] = [];
    const runners = new ScriptRunners({
      request: ((_: unknown, request: unknown) => Promise.resolve(sent.push(request)).then(() => ({ runnable: true }))) as never,
    });
    await runners.require(SCRIPT, SOURCE);
    await runners.require(SCRIPT, { ...SOURCE, text: 'x'.repeat(131_073) });
    await runners.require({ ...SCRIPT, language: 'javascript' }, SOURCE);
    const asked = { tenant: 'one', path: 'UserData/a.py', className: 'Data', modules: ['netaddr'] };
    expect(sent).toEqual([
      { language: 'python', asked: { ...asked, text: SOURCE.text } },
      { language: 'python', asked },
      { language: 'javascript' },
    ]);
  });

  it('is accepted where it can, and where nobody answers', async () => {
    await answering(() => Promise.resolve({ runnable: true })).require(SCRIPT, SOURCE);
    await answering(() => Promise.reject(new TransientError('messaging.no-responders', 'nobody'))).require(SCRIPT, SOURCE);
  });

  it('passes on any other error', async () => {
    const broken = answering(() => Promise.reject(new InvariantError('broken')));
    await expect(broken.require(SCRIPT, SOURCE)).rejects.toThrow('broken');
  });
});
