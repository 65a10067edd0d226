import { expect, test } from 'vitest';
import { DEFAULT_IMAGES, DEFAULT_ROOT, rootOf } from './root-images.js';

test.each([
  ['ubuntu-22.04-server-cloudimg-amd64', 'ubuntu-22.04'],
  ['ubuntu-20.04-server-cloudimg-amd64.img', 'ubuntu-20.04'],
  ['debian-12-genericcloud-amd64.qcow2', 'debian-12'],
  ['masterNode-ubuntu-24.04', 'ubuntu-24.04'],
  ['VDU_1.debian-12.raw', 'debian-12'],
])('the image %s stands for %s', (image, root) => {
  expect(rootOf(image, DEFAULT_IMAGES)).toEqual({ root });
});

test.each(['cirros-0.5.2-x86_64-disk', 'notdebian-12', 'ubuntu', ''])(
  "the image '%s' stands for the default root, with a remark that names it and what is known",
  (image) => {
    const { root, remark } = rootOf(image, DEFAULT_IMAGES);
    expect(root).toBe(DEFAULT_ROOT);
    expect(remark).toContain(`image '${image}'`);
    expect(remark).toContain('ubuntu-22.04');
  },
);

test.each([
  ['ubuntu-22.04-first-boot', 'ubuntu-22.04', 'first-boot'],
  ['masterNode-ubuntu-24.04-server-cloudimg-amd64-newer.qcow2', 'ubuntu-24.04', 'newer'],
  ['debian-12-hostile.img', 'debian-12', 'hostile'],
  ['vendor-image-first-boot', DEFAULT_ROOT, 'first-boot'],
])('the image %s is %s, of the variant %s', (image, root, variant) => {
  expect(rootOf(image, DEFAULT_IMAGES)).toMatchObject({ root, variant });
});

test('a word that only ends like a variant is none', () => {
  expect(rootOf('ubuntu-22.04-unhostile', DEFAULT_IMAGES).variant).toBeUndefined();
  expect(rootOf('anewer', DEFAULT_IMAGES).variant).toBeUndefined();
});

test("a lab's own image names count too, the longest match first", () => {
  const images = { ...DEFAULT_IMAGES, node: 'debian-12', 'k8s-node': 'ubuntu-22.04' } as const;
  expect(rootOf('k8s-node', images).root).toBe('ubuntu-22.04');
  expect(rootOf('my-k8s-node', images).root).toBe('ubuntu-22.04');
  expect(rootOf('my-node', images).root).toBe('debian-12');
});
