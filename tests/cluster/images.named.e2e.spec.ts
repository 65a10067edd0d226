import { standsOn } from './support/stands-on-image.js';

standsOn('newer', {
  command: 'containerd --version; kubectl version --client; etcdctl version',
  // Of containerd, which is sid’s, the generation and not the version: sid goes on.
  shows: / v?[2-9]\.\d+\.[^]*v1\.32\.[^]*3\.5\./,
});
standsOn('hostile', { command: 'journalctl -u containerd --no-pager', shows: /503 Service Unavailable/ });
