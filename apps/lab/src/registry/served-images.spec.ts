import { expect, it } from 'vitest';
import { imageAt, isServed, SERVED_IMAGES } from './served-images.js';

it.each(['registry.k8s.io/kube-apiserver', 'registry.k8s.io/coredns/coredns', 'docker.io/calico/node', 'quay.io/coreos/flannel'])(
  'the lab has %s',
  (image) => expect(isServed(image, SERVED_IMAGES)).toBe(true),
);

it.each(['registry.k8s.io.evil/a', 'registryXk8s.io/a', 'docker.io/library/nginx', 'docker.io/calicox/node'])(
  'the lab has no %s, which only begins alike',
  (image) => expect(isServed(image, SERVED_IMAGES)).toBe(false),
);

it('docker.io is asked at another name, and a host that is no registry of the lab has no images', () => {
  expect(imageAt('registry-1.docker.io', 'calico/node')).toBe('docker.io/calico/node');
  expect(imageAt('docker.io', 'calico/node')).toBeUndefined();
});
