import { shape, type OfMembers, type TypeOf } from '@windlass/foundation';
import { defineContract, message } from '../contracts/contract.js';
import { subjects } from '../contracts/subjects.js';
import { administrated } from './vim-administration.js';

const text = shape.text({ minLength: 1, maxLength: 255 });

const whose = { tenant: text, vnfInstanceId: shape.text({ format: 'uuid' }) };

/** Which VNF instance's cluster is looked at. */
export type BoundVolumesRequest = OfMembers<typeof whose>;

const boundVolume = shape.closed({
  name: text,
  /** The claim that binds the volume: `namespace/name`; null where the cluster does not say. */
  claim: shape.textOrNull({ maxLength: 512 }),
});

/** A PersistentVolume that is in use. */
export type BoundVolume = TypeOf<typeof boundVolume>;

const boundVolumes = shape.closed({
  /** The PersistentVolumes that the instance registered there and that are Bound. */
  bound: shape.list({ maxItems: 1_000, items: boundVolume }),
  /** Why the cluster did not answer, in words that hold no secret; null where it answered. */
  unanswered: shape.textOrNull({ maxLength: 1_000 }),
});

/** What the cluster says. */
export type BoundVolumesReply = TypeOf<typeof boundVolumes>;

/** Asks the cluster that a VNF instance is, with the credentials that it was registered with, which of the instance's PersistentVolumes are in use. */
export const boundVolumesContract = defineContract({
  name: 'vim.bound-volumes',
  subject: subjects.vim('bound-volumes'),
  request: message(shape.titled('Whose PersistentVolumes are looked for', shape.closed({ ...whose, ...administrated }))),
  reply: message(shape.titled('PersistentVolumes in use, or why they are not known', boundVolumes)),
});
