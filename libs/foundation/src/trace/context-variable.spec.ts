import { EventEmitter } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { boundToContext, ContextVariable } from './context-variable.js';

describe('a context variable', () => {
  const colour = new ContextVariable<string>('one');
  const number = new ContextVariable<number>('one');

  it('is not hidden by another one that is set within, also of the same name', async () => {
    await colour.run('red', async () => {
      await number.run(1, async () => {
        await turn();
        expect([colour.value, number.value]).toEqual(['red', 1]);
      });
      expect([colour.value, number.value]).toEqual(['red', undefined]);
    });
    expect([colour.value, number.value]).toEqual([undefined, undefined]);
  });

  it('is not seen by what runs beside', async () => {
    const seen = await Promise.all(
      ['red', 'blue'].map((one) =>
        colour.run(one, async () => {
          await turn();
          return colour.value;
        }),
      ),
    );
    expect(seen).toEqual(['red', 'blue']);
  });

  it('has the inner value within, and the outer one again behind what was thrown there', () => {
    colour.run('red', () => {
      expect(() =>
        colour.run('blue', () => {
          throw new Error(colour.value);
        }),
      ).toThrow('blue');
      expect(colour.value).toBe('red');
    });
  });

  it('is that of whoever bound the function, and not that of the emitter that calls it', () => {
    const emitter = new EventEmitter();
    const seen: unknown[] = [];
    colour.run('red', () =>
      emitter.once(
        'end',
        boundToContext(() => seen.push(colour.value)),
      ),
    );
    colour.run('blue', () => emitter.emit('end'));
    expect(seen).toEqual(['red']);
  });
});
