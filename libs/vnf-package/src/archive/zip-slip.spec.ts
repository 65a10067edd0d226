import { posix, win32 } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { openCsar } from './csar.js';
import { bufferCsarSource } from '../source/csar-source.js';
import { resolveInPackage, safeMemberName } from './member-name.js';
import { PackageError } from '../refusals/package-error.js';
import { rawZip } from '../testing/raw-zip.js';

const open = (name: string | Buffer) =>
  openCsar(
    bufferCsarSource(
      rawZip([
        { name: 'a.txt', content: 'x' },
        { name, content: 'evil' },
      ]),
    ),
  );

describe('names of members', () => {
  test.each([
    ['../etc/cron.d/x', '".."'],
    ['Scripts/../../x', '".."'],
    ['a/..', '".."'],
    ['/etc/passwd', 'absolute'],
    ['..\\windows\\x', 'backslash'],
    ['C:/windows/x', 'drive letter'],
    ['c:x', 'drive letter'],
    ['./C:/x', 'drive letter'],
    ['Scripts/a\0.sh', 'NUL'],
    ['Scripts/a\n.sh', 'control character'],
    ['Scripts/\u202etxt.hs', 'control character'],
    ['', 'empty'],
    ['./', 'empty'],
    ['a/'.repeat(300), 'longer than 512 bytes'],
  ])('refuses %j, naming it', async (name, reason) => {
    const refusal = await open(name).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(PackageError);
    expect(refusal).toMatchObject({ code: 'csar.member-name', status: 422 });
    expect((refusal as PackageError).reason).toContain(reason);
    expect((refusal as PackageError).message.startsWith((refusal as PackageError).member!)).toBe(true);
    expect((refusal as PackageError).message).not.toMatch(/[\n\0\u202e]/u);
  });

  test('refuses bytes that are no UTF-8', async () => {
    await expect(open(Buffer.from([0x61, 0xff, 0xfe]))).rejects.toMatchObject({ code: 'csar.member-name' });
  });

  test('takes the names that zip tools write, "./" and folders included', async () => {
    const csar = await openCsar(
      bufferCsarSource(
        rawZip([
          { name: './TOSCA-Metadata/', stored: true, unixMode: 0o040755 },
          { name: './TOSCA-Metadata/TOSCA.meta' },
          { name: 'a//b c/ü.txt' },
        ]),
      ),
    );
    expect(csar.members.map(({ name }) => name)).toEqual(['TOSCA-Metadata/TOSCA.meta', 'a/b c/ü.txt']);
  });

  /** Pieces that attacks are made of, mixed with anything. */
  const hostilePath = fc
    .array(
      fc.oneof(
        fc.constantFrom('..', '.', '', '/', '\\', 'C:', 'a', '...', '\0', '~', '%2e%2e', '．．', '..%2f'),
        fc.string({ maxLength: 5, unit: 'grapheme' }),
      ),
      {
        maxLength: 8,
      },
    )
    .chain((pieces) => fc.constantFrom('/', '\\', '').map((separator) => pieces.join(separator)));

  const inside = (root: string, path: string) => path.startsWith(root);

  test('no accepted name leads out of a folder, on Unix or on Windows', () => {
    let accepted = 0;
    fc.assert(
      fc.property(hostilePath, (path) => {
        let name: string;
        try {
          name = safeMemberName(path, 512);
        } catch (error) {
          return error instanceof PackageError && error.code === 'csar.member-name';
        }
        accepted += 1;
        return (
          inside('/package/', posix.resolve('/package', name)) && inside('D:\\package\\', win32.resolve('D:\\package', name))
        );
      }),
      { numRuns: 5_000 },
    );
    expect(accepted).toBeGreaterThan(100);
  });

  test('an accepted name is accepted again, unchanged', () => {
    fc.assert(
      fc.property(hostilePath, (path) => {
        try {
          const once = safeMemberName(path, 512);
          return safeMemberName(once, 512) === once;
        } catch {
          return true;
        }
      }),
    );
  });

  test('no path written in a file of the package resolves to outside', () => {
    let resolved = 0;
    fc.assert(
      fc.property(hostilePath, fc.constantFrom('', 'Definitions/a.yaml', 'x/y/z.yaml'), (path, from) => {
        const name = resolveInPackage(path, from);
        if (name === undefined) return true;
        resolved += 1;
        return (
          name !== '' &&
          inside('/package/', posix.resolve('/package', name)) &&
          inside('D:\\package\\', win32.resolve('D:\\package', name))
        );
      }),
      { numRuns: 5_000 },
    );
    expect(resolved).toBeGreaterThan(100);
  });

  test('a path resolves as a file system would, as long as it stays inside', () => {
    expect(resolveInPackage('../Files/images/a.img', 'Definitions/df.yaml')).toBe('Files/images/a.img');
    expect(resolveInPackage('./a.yaml', 'Definitions/df.yaml')).toBe('Definitions/a.yaml');
    expect(resolveInPackage('../../a.yaml', 'Definitions/df.yaml')).toBeUndefined();
    expect(resolveInPackage('a/../../b', '')).toBeUndefined();
    expect(resolveInPackage('/etc/passwd', 'Definitions/df.yaml')).toBeUndefined();
    expect(resolveInPackage('file:///etc/passwd')).toBeUndefined();
  });
});
