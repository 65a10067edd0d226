import { expect, it } from 'vitest';
import { copiedFrom, imageAt, isServed, SERVED_IMAGES } from './served-images.js';

it.each([
  'registry.k8s.io/kube-apiserver',
  'registry.k8s.io/coredns/coredns',
  'docker.io/calico/node',
  'quay.io/coreos/flannel',
  'docker.io/library/busybox',
])('the lab has %s', (image) => expect(isServed(image, SERVED_IMAGES)).toBe(true));

it.each([
  'registry.k8s.io.evil/a',
  'registryXk8s.io/a',
  'docker.io/library/nginx',
  'docker.io/library/busybox2',
  'docker.io/calicox/node',
])('the lab has no %s, which only begins alike', (image) => expect(isServed(image, SERVED_IMAGES)).toBe(false));

it('docker.io is asked at another name, and a host that is no registry of the lab has no images', () => {
  expect(imageAt('registry-1.docker.io', 'calico/node')).toBe('docker.io/calico/node');
  expect(imageAt('docker.io', 'calico/node')).toBeUndefined();
});

it.each([
  ['kube-proxy/manifests/v1.34.1', 'registry.k8s.io', '/v2/kube-proxy/manifests/v1.34.1'],
  ['coredns/manifests/v1.12.1', 'registry.k8s.io', '/v2/coredns/coredns/manifests/v1.12.1'],
  ['flannel/blobs/sha256:0', 'ghcr.io', '/v2/flannel-io/flannel/blobs/sha256:0'],
  ['busybox/manifests/1.36', 'registry-1.docker.io', '/v2/library/busybox/manifests/1.36'],
])('a site’s own registry has %s, a copy', (asked, host, path) =>
  expect(copiedFrom(`/v2/kubernetes/${asked}`)).toEqual({ host, path }),
);

it.each(['/v2/kubernetes/coredns/coredns/manifests/v1', '/v2/kubernetes/nginx/manifests/1', '/v2/pause/manifests/3.10', '/v2/'])(
  'a site’s own registry has no %s',
  (path) => expect(copiedFrom(path)).toBeUndefined(),
);
