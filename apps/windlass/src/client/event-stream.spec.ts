import { describe, expect, it } from 'vitest';
import { EventParser, type ReceivedEvent } from './event-stream.js';

const read = (...pieces: string[]): ReceivedEvent[] => {
  const parser = new EventParser();
  return pieces.flatMap((piece) => [...parser.push(piece)]);
};

describe('an event stream', () => {
  const text = 'retry: 1000\n\nevent: step\ndata: {"a":1}\nid: 7\n\n: still here\n\nevent: end\ndata: {}\n\n';
  const events = [
    { event: 'step', data: '{"a":1}', lastEventId: '7' },
    { event: 'end', data: '{}', lastEventId: '7' },
  ];

  it('gives its events wherever it is cut', () => {
    for (let at = 0; at <= text.length; at++) expect(read(text.slice(0, at), text.slice(at))).toEqual(events);
    expect(read(...Array.from(text))).toEqual(events);
  });

  it('may end its lines in any of three ways, and split data over several', () => {
    for (const end of ['\n', '\r\n', '\r'])
      expect(read(['data: a', 'data: b', '', 'x'].join(end))).toEqual([
        { event: 'message', data: 'a\nb', lastEventId: undefined },
      ]);
  });

  it('keeps an event that is not whole to itself, and refuses a line without end', () => {
    expect(read('data: a\n')).toEqual([]);
    expect(() => read('x'.repeat(5 * 1024 * 1024))).toThrow(RangeError);
  });
});
