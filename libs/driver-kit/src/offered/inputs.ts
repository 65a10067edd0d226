import { shape, type Members } from '@windlass/foundation';
import { hostStepMembers } from '../host/host-context.js';
import { exactly } from '../inputs/input-shapes.js';

/** Proxies as URLs; user and password may stand in them. */
export const proxy = exactly({
  http_proxy: shape.optional(shape.text()),
  https_proxy: shape.optional(shape.text()),
  no_proxy: shape.optional(shape.text()),
});

/** An object of these members and those that every step on hosts has; nothing else. */
export const hostStep = <M extends Members>(members: M) => exactly({ ...hostStepMembers, ...members });
