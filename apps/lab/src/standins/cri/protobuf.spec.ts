import { describe, expect, it } from 'vitest';
import { boolField, bytesField, isTrue, messagesOf, readFields, stringsOf } from './protobuf.js';

describe("protobuf's wire format", () => {
  it('reads what it writes, long strings and repeated messages too', () => {
    const long = 'x'.repeat(300);
    const message = Buffer.concat([
      bytesField(1, long),
      bytesField(2, bytesField(1, 'a')),
      bytesField(2, bytesField(1, 'b')),
      boolField(3, true),
      boolField(4, false),
    ]);
    const fields = readFields(message);
    expect(stringsOf(fields, 1)).toEqual([long]);
    expect(messagesOf(fields, 2).map((inner) => stringsOf(readFields(inner), 1)[0])).toEqual(['a', 'b']);
    expect([isTrue(fields, 3), isTrue(fields, 4)]).toEqual([true, false]);
  });

  it('refuses a message that is cut off', () => {
    expect(() => readFields(Buffer.from([0x80]))).toThrow('cut off');
  });
});
