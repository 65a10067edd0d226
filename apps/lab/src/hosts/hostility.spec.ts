import { expect, test } from 'vitest';
import { Hostility } from './hostility.js';

test('the proxy answers with its page to the first two indexes and the first two packages, and then lets all through', () => {
  const around = new Hostility();
  const asked = ['/InRelease', '/Release', '/InRelease', '/pool/a.deb', '/pool/b.deb', '/pool/a.deb', '/Packages.gz'];
  expect(asked.map((path) => around.interceptsDownload(path))).toEqual([true, true, false, true, true, false, false]);
});

test("the third image is refused five times, kubeadm's number of tries, and had at the sixth; the others at once", () => {
  const around = new Hostility();
  const asked = ['a', 'b', 'c', 'c', 'c', 'c', 'c', 'a', 'c', 'd', 'e', 'f', 'c'];
  const refused = asked.map((image) => around.refusesImage(image));
  expect(refused).toEqual([false, false, true, true, true, true, true, false, false, false, false, true, false]);
});

test('an image that a kubelet asks for, which is slow to ask again, is refused for twenty seconds and then had', () => {
  let now = 0;
  const around = new Hostility(() => now);
  const at = (second: number): boolean => {
    now = second * 1_000;
    return around.refusesImage('c');
  };
  expect([around.refusesImage('a'), around.refusesImage('b')]).toEqual([false, false]);
  expect([0, 10, 30, 70].map(at)).toEqual([true, true, false, false]);
});
