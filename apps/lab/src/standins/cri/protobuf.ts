/** Just enough of protobuf's wire format for the few CRI messages in use: strings, booleans, messages. */
export type ProtoField = { number: number; bytes: Buffer } | { number: number; varint: number };

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  do {
    const low = rest % 128;
    rest = Math.floor(rest / 128);
    bytes.push(rest > 0 ? low | 0x80 : low);
  } while (rest > 0);
  return Buffer.from(bytes);
}

/** A field of type string, bytes or message. */
export function bytesField(number: number, content: string | Buffer): Buffer {
  const bytes = typeof content === 'string' ? Buffer.from(content, 'utf8') : content;
  return Buffer.concat([varint(number * 8 + 2), varint(bytes.length), bytes]);
}

export const boolField = (number: number, value: boolean): Buffer =>
  value ? Buffer.concat([varint(number * 8), varint(1)]) : Buffer.alloc(0);

/** The fields of a message in their order. @throws Error for a message that is cut off or uses groups */
export function readFields(message: Buffer): ProtoField[] {
  const fields: ProtoField[] = [];
  let at = 0;
  const next = (): number => {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = message[at++];
      if (byte === undefined) throw new Error('the protobuf message is cut off');
      value += (byte & 0x7f) * scale;
      if ((byte & 0x80) === 0) return value;
    }
  };
  while (at < message.length) {
    const tag = next();
    const number = Math.floor(tag / 8);
    const wire = tag % 8;
    if (wire === 0) fields.push({ number, varint: next() });
    else if (wire === 2) {
      const length = next();
      fields.push({ number, bytes: message.subarray(at, at + length) });
      at += length;
    } else if (wire === 5) at += 4;
    else if (wire === 1) at += 8;
    else throw new Error(`protobuf wire type ${wire} is not expected`);
  }
  return fields;
}

export const stringsOf = (fields: readonly ProtoField[], number: number): string[] =>
  messagesOf(fields, number).map((bytes) => bytes.toString('utf8'));

export const messagesOf = (fields: readonly ProtoField[], number: number): Buffer[] =>
  fields.flatMap((field) => (field.number === number && 'bytes' in field ? [field.bytes] : []));

export const isTrue = (fields: readonly ProtoField[], number: number): boolean =>
  fields.some((field) => field.number === number && 'varint' in field && field.varint !== 0);
