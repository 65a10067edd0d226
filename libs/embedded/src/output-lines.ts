import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';

/** The longest line that is told whole, in UTF-16 code units; a longer line is told in pieces of that length. */
export const LONGEST_LINE = 16_384;

/** Tells each line of a process's output. A process that never ends its line fills no memory: what is held back is shorter than the longest line. */
export function tellLines(output: Readable, tell: (line: string) => void): void {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  const tellWhole = (line: string): void => {
    for (let at = 0; at === 0 || at < line.length; at += LONGEST_LINE) tell(line.slice(at, at + LONGEST_LINE));
  };
  const hear = (text: string): void => {
    const lines = (rest + text).split(/\r?\n/);
    rest = lines.pop() ?? '';
    lines.forEach(tellWhole);
    const whole = rest.length - (rest.length % LONGEST_LINE);
    if (whole > 0) tellWhole(rest.slice(0, whole));
    rest = rest.slice(whole);
  };
  output.on('data', (chunk: Buffer) => hear(decoder.write(chunk)));
  output.on('end', () => {
    hear(decoder.end());
    if (rest !== '') tell(rest);
  });
}
