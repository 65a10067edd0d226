import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError, readConfig } from '@windlass/service-kit';
import { SigningDesk } from '@windlass/vnf-package/testing';
import { afterAll, describe, expect, it } from 'vitest';
import { LcmApiConfig, packagesOf } from '../config.js';
import { readPackageSigners, signersOf } from './package-signers.js';

const home = mkdtempSync(join(tmpdir(), 'windlass-signers-'));
const desk = new SigningDesk();
const [first, second, third] = ['First', 'Second', 'Third'].map((name) => desk.certificate(name).pem) as [string, string, string];

afterAll(() => {
  desk.close();
  rmSync(home, { recursive: true });
});

function folder(name: string, files: Record<string, string>): string {
  const path = join(home, name);
  mkdirSync(join(path, 'below.pem'), { recursive: true });
  for (const [file, text] of Object.entries(files)) writeFileSync(join(path, file), text);
  return path;
}

describe('the signers of packages', () => {
  it('are the certificates of a folder, several in a file or not, and nothing else that lies there', () => {
    const files = { 'a.pem': `Subject: First\n${first}\n${second}`, 'b.CRT': third, '.hidden.pem': 'x', 'README.md': 'x' };
    expect(readPackageSigners(folder('good', files))).toEqual([first, second, third]);
  });

  it.each([
    ['there is no folder', join(home, 'none')],
    ['no certificate is in it', folder('empty', { 'README.md': first })],
    ['a file is none', folder('text', { 'a.pem': first, 'b.pem': 'x' })],
    ['a certificate is broken', folder('broken', { 'a.pem': first, 'b.pem': second.replace('MII', 'AAA') })],
    ['it is a file', join(folder('file', { 'a.pem': first }), 'a.pem')],
  ])('are refused where %s', (_, path) => {
    expect(readPackageSigners(path)).toBeUndefined();
  });

  it('must have signed each package unless that is optional; asked for without anybody who is trusted, the service does not start', () => {
    expect(signersOf([first], undefined)).toEqual({ certificates: [first], required: true });
    expect(signersOf([first], 'required')).toEqual({ certificates: [first], required: true });
    expect(signersOf([first], 'optional')).toEqual({ certificates: [first], required: false });
    expect([signersOf(undefined, undefined), signersOf(undefined, 'optional')]).toEqual([undefined, undefined]);
    expect(() => signersOf(undefined, 'required')).toThrow(ConfigError);
  });

  it('come from the environment', () => {
    const needed = { DATABASE_URL: 'postgres://me:x@db/x', NATS_URL: 'nats://127.0.0.1:4222', MASTER_KEY: 'a'.repeat(64) };
    const read = (more: Record<string, string>) => packagesOf(readConfig(LcmApiConfig, { ...needed, ...more })).signers;
    const problems = (more: Record<string, string>): unknown => {
      try {
        return read(more);
      } catch (error) {
        return error instanceof ConfigError ? error.problems : error;
      }
    };
    const LCM_PACKAGE_SIGNERS = folder('configured', { 'a.pem': first });
    expect(read({})).toBeUndefined();
    expect(read({ LCM_PACKAGE_SIGNERS })).toEqual({ certificates: [first], required: true });
    expect(read({ LCM_PACKAGE_SIGNERS, LCM_PACKAGE_SIGNATURES: 'optional' })).toMatchObject({ required: false });
    expect(problems({ LCM_PACKAGE_SIGNERS, LCM_PACKAGE_SIGNATURES: 'maybe' })).toEqual([
      'LCM_PACKAGE_SIGNATURES is "maybe"; expected required or optional',
    ]);
    const none = join(home, 'none');
    expect(problems({ LCM_PACKAGE_SIGNERS: none })).toEqual([
      `LCM_PACKAGE_SIGNERS is ${JSON.stringify(none)}; expected a folder with certificates in PEM, in files that end in .pem, .crt, .cer or .cert`,
    ]);
  });
});
