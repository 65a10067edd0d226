import { standsOn } from './support/stands-on-image.js';

standsOn('first-boot', {
  command: 'cloud-init status; journalctl -u apt-daily',
  shows: /status: done[^]*holding apt's and dpkg's locks for 25.0 s/,
});
