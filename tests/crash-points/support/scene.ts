import type { JsonObject } from '@windlass/foundation';
import type { InternalKind, LcmOperation } from '@windlass/lifecycle';
import type { World } from './world.js';

/** How a world is brought to the beginning of an operation or an internal saga. */
export type Scene = OperationScene | InternalScene;

interface OfAnyScene {
  title: string;
  /** The samples on which the scene is played. */
  on: readonly string[];
  /** The titles of scenes whose operations complete first. */
  after: readonly string[];
}

export interface OperationScene extends OfAnyScene {
  operation: LcmOperation;
  /** The request's body, with the ids of the present world. */
  request(world: World): Promise<JsonObject>;
  /** Whether the ports or pods are new afterwards, with new addresses, however the operation ends. */
  movesPorts?: true;
  /** Whether an NFVO grants: it answers 202, and has decided at the first look. */
  granted?: true;
}

export interface InternalScene extends OfAnyScene {
  internal: InternalKind;
  /** Prepares the world, and begins the saga as the product does. Returns the saga's id. */
  begin(world: World): Promise<string>;
  /** Whether the sweep tries a failed saga again. */
  again: boolean;
}
