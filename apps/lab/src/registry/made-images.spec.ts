import { expect, it } from 'vitest';
import { imageContent } from './image-content.js';
import { Registry } from './registry.js';

it('an image whose making has failed is made when it is asked for next, and once', async () => {
  let tries = 0;
  const registry = new Registry({
    'docker.io/library/made': () => {
      tries += 1;
      return tries === 1 ? Promise.reject(new Error('no space left')) : Promise.resolve(imageContent('made'));
    },
  });
  const asked = () => registry.answer('registry-1.docker.io', '/v2/library/made/manifests/1.0');
  await expect(asked()).rejects.toThrow('no space left');
  for (const answer of [await asked(), await asked()]) expect(answer.status).toBe(200);
  expect(tries).toBe(2);
});

it('an image that is made is told from one that is but a name, in whatever registry it is asked for', () => {
  const registry = new Registry({ 'docker.io/library/made': () => Promise.resolve(imageContent('made')) });
  const blob = `sha256:${'0'.repeat(64)}`;
  expect(registry.makes('registry-1.docker.io', '/v2/library/made/manifests/1.0')).toBe(true);
  expect(registry.makes('registry-1.docker.io', `/v2/library/made/blobs/${blob}`)).toBe(true);
  expect(registry.makes('quay.io', '/v2/library/made/manifests/1.0')).toBe(false);
  expect(registry.makes('registry-1.docker.io', '/v2/library/busybox/manifests/1.36')).toBe(false);
  expect(registry.makes('registry-1.docker.io', '/v2/')).toBe(false);
});
