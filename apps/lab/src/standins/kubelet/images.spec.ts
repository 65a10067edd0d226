import { describe, expect, it } from 'vitest';
import { normalizedImage } from './images.js';

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
});
