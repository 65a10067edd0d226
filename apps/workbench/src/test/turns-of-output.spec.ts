import { describe, expect, it } from 'vitest';
import { TurnsOfOutput } from './turns-of-output.js';

describe('what programs print that run side by side', () => {
  it('is told one after the other, the first one’s at once', () => {
    const heard: string[] = [];
    const turns = new TurnsOfOutput((text) => heard.push(text));
    const [first, second, third] = [turns.speaker(), turns.speaker(), turns.speaker()];
    second.say('b1');
    first.say('a1');
    third.say('c1');
    expect(heard).toEqual(['a1']);
    second.say('b2');
    second.end();
    expect(heard).toEqual(['a1']);
    first.end();
    expect(heard).toEqual(['a1', 'b1', 'b2', 'c1']);
    third.say('c2');
    third.end();
    const later = turns.speaker();
    later.say('d');
    expect(heard).toEqual(['a1', 'b1', 'b2', 'c1', 'c2', 'd']);
  });
});
