import type { JsonObject } from '@windlass/foundation';
import type { InternalKind, LcmOperation } from '@windlass/lifecycle';
import type { World } from './world.js';

/** How an operation or an internal saga of a sample is brought to its beginning. */
export type Scene = OperationScene | InternalScene;

interface OfAnyScene {
  title: string;
  /** The samples that it is played on. */
  on: readonly string[];
  /** Scenes, by their titles, whose operations have completed before. */
  after: readonly string[];
}

export interface OperationScene extends OfAnyScene {
  operation: LcmOperation;
  /** The request's body; what it names is looked up in the world as it then is. */
  request(world: World): Promise<JsonObject>;
  /** Its ports or pods are others afterwards, with addresses that the VIM chooses anew, whichever way it went. */
  movesPorts?: true;
  /** An NFVO is asked for its grant, answers 202, and has decided when it is looked at. */
  granted?: true;
}

export interface InternalScene extends OfAnyScene {
  internal: InternalKind;
  /** What has happened before it, besides the scenes; it begins the saga as the product does, and gives its id. */
  begin(world: World): Promise<string>;
  /** Whether the sweep tries it again when it has failed. */
  again: boolean;
}
