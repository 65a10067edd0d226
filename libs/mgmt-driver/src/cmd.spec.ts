import { execFileSync } from 'node:child_process';
import { inspect } from 'node:util';
import { Secret } from '@windlass/foundation';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cmd, Command, quoteWord, type CommandValue } from './cmd.js';

/** The arguments as the program that /bin/sh starts gets them. */
const argumentsOf = (command: Command, shell: string): string[] => {
  const out = execFileSync(shell, ['-s'], { input: command.text, env: { PATH: '/usr/bin:/bin', HOME: '/root' } }).toString(
    'utf8',
  );
  return out.split('\0').slice(0, -1);
};

/** `printf '%s\0'` of everything: a real program, so that options and glob characters count too. */
const print = (...values: CommandValue[]) => cmd`/usr/bin/printf '%s\\0' x${''}x ${values.flat() as string[]}`;

const nasty = [
  "'",
  '"',
  '$(id)',
  '`id`',
  '\n',
  '\r\n',
  '\\',
  '\t',
  '*',
  '~',
  '-rf',
  '--',
  '#x',
  '!',
  'ä€😀',
  ';',
  '&&',
  '|',
  '',
  ' ',
  '=',
  '$',
  '{a,b}',
  '%s',
  '\u0001',
  '\u007f',
];
const text = fc
  .array(fc.oneof(fc.constantFrom(...nasty), fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' })), { maxLength: 4 })
  .map((parts) => parts.join('').replaceAll('\0', ''));

describe('a value in cmd', () => {
  for (const shell of ['/bin/sh', '/bin/bash']) {
    it(`arrives unchanged through ${shell}, whatever it is`, () => {
      fc.assert(
        fc.property(fc.array(text, { maxLength: 30 }), (values) => {
          expect(argumentsOf(print(...values), shell)).toEqual(['xx', ...values]);
        }),
        { numRuns: 60 },
      );
    });
  }

  it('arrives unchanged beside other text and inside a command substitution', () => {
    fc.assert(
      fc.property(text, (value) => {
        // A command substitution drops the newlines at its end.
        const [glued, inner] = argumentsOf(
          cmd`/usr/bin/printf '%s\\0' --value=${value} "$(/usr/bin/printf %s ${value}; echo .)"`,
          '/bin/sh',
        );
        expect([glued, inner]).toEqual([`--value=${value}`, `${value}.`]);
      }),
      { numRuns: 40 },
    );
  });

  it('arrives as a word even where a bare one would be syntax', () => {
    for (const word of ['if', 'done', '2', 'a=b', '{', '!', 'time', '~', '~root', '[', ':']) {
      expect(argumentsOf(cmd`/usr/bin/printf '%s\\0' ${word}>&1`, '/bin/sh'), word).toEqual([word]);
    }
    expect(() => execFileSync('/bin/sh', ['-c', cmd`${'if'} true`.text], { stdio: 'pipe' })).toThrow(/not found/);
  });

  it('may be a number, an array, which is several words, or a Command, which is put in as it is', () => {
    expect(cmd`head -n ${3} ${['a b', 'c']}`.text).toBe("head -n '3' 'a b' c");
    expect(cmd`run ${[]}; true`.text).toBe('run ; true');
    expect(cmd`${cmd`echo ${'x y'}`} && true`.text).toBe("echo 'x y' && true");
  });

  it('is refused when no argument can hold it', () => {
    expect(() => quoteWord('a\0b')).toThrow(/NUL/);
    expect(() => quoteWord('\ud800')).toThrow(/Unicode/);
    expect(() => quoteWord(Number.NaN)).toThrow(/finite/);
    expect(() => cmd`echo ${undefined as unknown as string}`).toThrow(/undefined/);
    expect(() => cmd`echo ${{ toString: () => 'x' } as unknown as string}`).toThrow(/object/);
    expect(() => cmd`echo ${[['a']] as unknown as string[]}`).toThrow(/strings, numbers/);
  });

  it('is refused where quoting does not hold', () => {
    const value = '$(touch /tmp/owned)';
    const holes: (() => Command)[] = [
      () => cmd`echo "${value}"`,
      () => cmd`echo '${value}'`,
      () => cmd`echo \`echo ${value}\``,
      () => cmd`echo "$(echo "${value}")"`,
      () => cmd`echo \${x:-${value}}`,
      () => cmd`echo "\${x:-${value}}"`,
      () => cmd`echo $((${value}))`,
      () => cmd`echo \\${value}`,
      () => cmd`echo $${value}`,
      () => cmd`true # ${value}`,
      () => cmd`cat <<END\n${value}\nEND\n`,
      () => cmd`cat ${value} <<END\n$(id)\nEND\n`,
      () => cmd`echo --x=${['a', 'b']}`,
      () => cmd`echo ${['a', 'b']}c`,
    ];
    for (const [index, hole] of holes.entries()) expect(hole, `hole ${index}`).toThrow(/cmd can't/);
  });

  it('is taken where quoting holds again', () => {
    expect(cmd`echo "it's" ${'a b'}`.text).toBe(`echo "it's" 'a b'`);
    expect(cmd`echo 'say "' ${'a b'}`.text).toBe(`echo 'say "' 'a b'`);
    expect(cmd`echo a#b ${'a b'} # it's a comment\n`.text).toBe("echo a#b 'a b' # it's a comment\n");
    expect(cmd`echo \\" ${'a b'}`.text).toBe(String.raw`echo \" 'a b'`);
    expect(cmd`case x in a) echo ${'a b'} ;; esac`.text).toContain("'a b'");
    expect(cmd`(cd / && echo "$(ls $(pwd))" ${'a b'})`.text).toContain("'a b'");
  });
});

describe('a Command', () => {
  it('can not be made of a string', () => {
    expect(() => new Command('rm -rf /', false, Symbol('cmd'))).toThrow(/cmd template/);
  });

  it('with an open quote is refused, and one with a here-document of its own is not', () => {
    expect(() => cmd`echo "oops`).toThrow(/double/);
    expect(() => cmd`echo 'oops`).toThrow(/single/);
    expect(() => cmd`echo $(oops`).toThrow(/sub/);
    expect(cmd`cat <<END\nit's\nEND\n`.text).toContain("it's");
    expect(() => cmd`sudo ${cmd`cat <<END\nit's\nEND\n`}`).toThrow(/here-document/);
  });

  it('never holds a Secret', () => {
    const secret = new Secret('hunter2');
    expect(() => cmd`login -p ${secret as unknown as string}`).toThrow(/input, env or file/);
    expect(() => cmd`login ${[secret as unknown as string]}`).toThrow(/input, env or file/);
    expect(cmd`login ${`--password=${secret as unknown as string}`}`.text).not.toContain('hunter2');
  });

  it('shows no user part of a URL', () => {
    const command = cmd`curl -x ${'http://me:hunter2@proxy:3128'} https://example.org`;
    expect(command.text).toContain('hunter2');
    for (const shown of [command.display, String(command), JSON.stringify({ command }), inspect({ command })]) {
      expect(shown).not.toContain('hunter2');
    }
  });
});
