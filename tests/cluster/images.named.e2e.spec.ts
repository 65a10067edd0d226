import { standsOn } from './support/stands-on-image.js';

standsOn('newer', {
  command: 'containerd --version; kubectl version --client; etcdctl version',
  shows: /2\.1\.[^]*v1\.32\.[^]*3\.5\./,
});
standsOn('hostile', { command: 'journalctl -u containerd --no-pager', shows: /503 Service Unavailable/ });
