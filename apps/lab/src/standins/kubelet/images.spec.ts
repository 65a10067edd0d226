import { describe, expect, it } from 'vitest';
import { isKnownImage, normalizedImage } from './images.js';

describe('image names', () => {
  it.each([
    ['nginx', 'docker.io/library/nginx:latest'],
    ['calico/node:v3', 'docker.io/calico/node:v3'],
    ['10.0.0.5:5000/app', '10.0.0.5:5000/app:latest'],
    ['registry.k8s.io/pause:3.10', 'registry.k8s.io/pause:3.10'],
    ['localhost/a@sha256:ab', 'localhost/a@sha256:ab'],
  ])('%s is %s in full', (short, full) => {
    expect(normalizedImage(short)).toBe(full);
  });

  it('match patterns in full or as they are written, and nothing that only begins alike', () => {
    const patterns = ['registry.k8s.io/*', 'docker.io/calico/*', 'quay.io/coreos/flannel*'];
    for (const image of ['registry.k8s.io/a/b:1', 'calico/node:v3', 'quay.io/coreos/flannel:v1'])
      expect(isKnownImage(image, patterns)).toBe(true);
    for (const image of ['registry.k8s.io.evil/a:1', 'registryXk8s.io/a:1', 'nginx', 'calicox/node'])
      expect(isKnownImage(image, patterns)).toBe(false);
  });
});
