import { createInterface } from 'node:readline/promises';

/** Tells a person what would be done, and asks whether it shall be. */
export type Question = (told: string) => Promise<boolean>;

interface Terminal {
  stdin: NodeJS.ReadableStream & { isTTY?: boolean };
  stderr: NodeJS.WritableStream & { isTTY?: boolean };
}

/** Asks on a terminal, and takes nothing but `yes` for one; undefined where there is no terminal, and nobody to ask. */
export function questionOn({ stdin, stderr }: Terminal): Question | undefined {
  if (stdin.isTTY !== true || stderr.isTTY !== true) return undefined;
  return async (told) => {
    const terminal = createInterface({ input: stdin, output: stderr });
    const closed = new Promise<string>((resolve) => terminal.once('close', () => resolve('')));
    try {
      const answer = await Promise.race([terminal.question(`${told}\nType yes to go on: `), closed]);
      if (answer.trim() === 'yes') return true;
      stderr.write('nothing was asked for\n');
      return false;
    } finally {
      terminal.close();
    }
  };
}
