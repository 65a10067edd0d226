import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { vnfCommand } from './vnf.js';

const SAMPLE = join(import.meta.dirname, '../../../../samples/simple-vm');
const META = 'TOSCA-Metadata/TOSCA.meta';
const BLOCK = '\nName: Definitions/simple_vm_types.yaml\nAlgorithm: SHA-256\nHash: 00\n';

let folder = '';
let printed = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'windlass-pack-spec-'));
  await cp(SAMPLE, join(folder, 'vm'), { recursive: true });
  printed = '';
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    printed += String(text);
    return true;
  });
});
afterEach(async () => {
  vi.restoreAllMocks();
  await rm(folder, { recursive: true });
});

const pack = (...args: string[]) =>
  vnfCommand({ home: folder, calledFrom: folder, cache: folder }).parseAsync(['pack', ...args], { from: 'user' });

const metaOf = () => readFile(join(folder, 'vm', META), 'utf8');

describe('a package that its author packs', () => {
  it('becomes a zip beside the caller, with its hashes renewed in the folder too, and is told of', async () => {
    await writeFile(join(folder, 'vm', META), `${await metaOf()}${BLOCK}`);
    await pack('vm');
    expect(await readdir(folder)).toEqual(['vm', 'vm.zip']);
    expect(await metaOf()).toMatch(/Hash: [0-9a-f]{64}\n$/);
    expect(printed).toMatch(/^renewed: TOSCA-Metadata\/TOSCA\.meta, line \d+: the hash of Definitions\/simple_vm_types\.yaml\n/);
    expect(printed).toMatch(/Simple VM 1\.0, VNFD c3d1a1f4-\S+, flavours default\n/);
    expect(printed).toMatch(/vm\.zip: \d+ files, SHA-256 [0-9a-f]{64}\n$/);
    printed = '';
    await pack('vm.zip', '--check');
    expect(printed).toMatch(/nothing would be refused\n$/);
  });

  it('is only looked at with --check: stale hashes are what onboarding would refuse, and nothing is written', async () => {
    await writeFile(join(folder, 'vm', META), `${await metaOf()}${BLOCK}`);
    const before = await metaOf();
    await expect(pack('vm', '--check')).rejects.toThrow(
      /^onboarding would refuse it: Definitions\/simple_vm_types\.yaml: .* \(meta\.hash-mismatch\); without --check the hashes are renewed$/,
    );
    expect([await readdir(folder), await metaOf()]).toEqual([['vm'], before]);
  });

  it('is not written where onboarding would refuse it, and no folder of ours is left', async () => {
    await rm(join(folder, 'vm/Definitions/simple_vm_types.yaml'));
    await expect(pack('vm', '--output', 'out.zip')).rejects.toThrow('onboarding would refuse it: ');
    expect(await readdir(folder)).toEqual(['vm']);
  });

  it('is warned of with the words of onboarding', async () => {
    await rm(join(folder, 'vm/Files'), { recursive: true });
    await pack('vm', '--output', 'out.zip');
    expect(printed).toContain(
      "warning: Files/images/ubuntu-22.04-server-cloudimg-amd64.img, VDU1: the package does not carry the image's bytes",
    );
    expect(await readdir(folder)).toEqual(['out.zip', 'vm']);
  });

  it('is not there, or would be written over itself: said before anything is made', async () => {
    await expect(pack('nothing')).rejects.toThrow('name a folder or a zip');
    await pack('vm');
    await expect(pack('vm.zip', '--output', 'vm.zip')).rejects.toThrow('name another file by --output');
  });
});
