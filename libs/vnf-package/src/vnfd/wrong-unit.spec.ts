import { wholeGibibytes, wholeMebibytes } from '@windlass/foundation';
import { describe, expect, test } from 'vitest';
import { sizeBytes } from './size.js';
import { flavorSize } from '../model/flavor-size.js';
import { readVnfPackage } from '../read-vnf-package.js';
import { csarOf, singleFileVnfd, smallestPackage } from '../testing/package-factory.js';
import { YamlNode } from '../yaml/yaml-node.js';

const sized = (text: string) => sizeBytes(new YamlNode(text, 'vnfd.yaml', ['min_disk']));

const vdu = (sizes: { minDisk?: string; minRam?: string; size?: string; memory?: string; disk?: string }) => `      properties:
        sw_image_data:
          name: cirros
          version: 0.5.2
          checksum: { algorithm: sha-256, hash: 00 }
          container_format: bare
          disk_format: qcow2
          min_disk: ${sizes.minDisk ?? '0 B'}
          min_ram: ${sizes.minRam ?? '0 B'}
          size: ${sizes.size ?? '1 B'}
      capabilities:
        virtual_compute:
          properties:
            virtual_cpu: { num_virtual_cpu: 1 }
            virtual_memory: { virtual_mem_size: ${sizes.memory ?? '1 GiB'} }
            virtual_local_storage: [ { size_of_storage: ${sizes.disk ?? '1 GiB'} } ]`;
const read = async (sizes: Parameters<typeof vdu>[0]) =>
  readVnfPackage(await csarOf(smallestPackage({ 'Definitions/top.yaml': singleFileVnfd({ vdu: vdu(sizes) }) })));

describe('a size of the VNFD', () => {
  // The same rows hold for user data scripts: apps/infra-driver/src/user-data/what-scripts-import.int.spec.ts.
  test.each([
    ['1.5 GiB', 1536, 2],
    ['2 GB', 1908, 2],
    ['1000 MB', 954, 1],
    ['1 B', 1, 1],
    ['0.1 tb', 95368, 94],
    ['0', 0, 0],
  ])('of %s is rounded up to %d MiB and to %d GiB', (text, ram, disk) => {
    expect([wholeMebibytes(sized(text)!), wholeGibibytes(sized(text)!)]).toEqual([ram, disk]);
  });

  test.each([
    ['2 GB', 2_000_000_000],
    ['2GB', 2_000_000_000],
    ['2 gb', 2_000_000_000],
    ['1.5 GiB', 1_610_612_736],
    ['64 KiB', 65_536],
    ['1 kB', 1_000],
    ['489.5 MB', 489_500_000],
    ['512 MiB', 536_870_912],
    ['1 TB', 1e12],
    ['1 TiB', 2 ** 40],
    ['26 B', 26],
    ['0.3 B', 1],
    ['0', 0],
    ['  7   MB ', 7e6],
  ])('%s is so many bytes', (text, expected) => {
    expect(sized(text)).toBe(expected);
  });

  test.each([
    ['512', 'has no unit'],
    ['0.5', 'has no unit'],
    ['-2 GB', 'can neither be negative'],
    ['+2 GB', 'can neither be negative'],
    ['1_000 MB', 'written in another way'],
    ['1e3 MB', 'written in another way'],
    ['2 GiBB', 'the unit "GiBB"'],
    ['2 G', 'the unit "G"'],
    ['4Gi', 'the unit "Gi"'],
    ['10 Gb/s', 'should be a size'],
    ['2 PB', 'the unit "PB"'],
    ['much', 'should be a size'],
    ['3000 TiB', 'no VIM has more'],
    ['999999999999999 TiB', 'no VIM has more'],
  ])('%s is refused by its place, with what to write', (text, words) => {
    expect(() => sized(text)).toThrow(words);
    expect(() => sized(text)).toThrow(/^vnfd\.yaml: min_disk .*such as "2 GB"/);
  });

  test.each([
    ['minDisk', 'sw_image_data.min_disk'],
    ['minRam', 'sw_image_data.min_ram'],
    ['size', 'sw_image_data.size'],
    ['memory', 'virtual_memory.virtual_mem_size'],
    ['disk', 'virtual_local_storage.0.size_of_storage'],
  ])('that has no unit is refused at onboarding: %s', async (name, place) => {
    await expect(read({ [name]: '512' })).rejects.toMatchObject({
      code: 'vnfd.invalid',
      message: expect.stringMatching(`^Definitions/top.yaml: topology_template\\.node_templates\\.VDU1\\..*${place} `) as string,
    });
  });

  test('is rounded up where the VIM counts in larger units', () => {
    expect([wholeGibibytes(sized('2 GB')!), wholeGibibytes(sized('5 GB')!), wholeGibibytes(sized('1 B')!)]).toEqual([2, 5, 1]);
    expect([wholeMebibytes(sized('512 MB')!), wholeMebibytes(sized('512 MiB')!)]).toEqual([489, 512]);
  });
});

describe('the flavor that is looked for', () => {
  test('has what the image asks for where that is more than the VDU', async () => {
    const { model } = await read({ minDisk: '2 GB', minRam: '3 GB' });
    const [flavour] = model.flavours;
    expect(flavorSize(flavour!, flavour!.vdus[0]!)).toEqual({ vcpus: 1, ramMiB: 2862, diskGiB: 2 });
  });
});
