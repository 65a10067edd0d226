/** What an object is found by. */
export interface ObjectRef {
  apiVersion: string;
  kind: string;
  /** Null for an object of no namespace. */
  namespace: string | null;
  name: string;
}

/** An object of a VNF, as an audit finds it on a cluster. */
export interface ListedObject {
  ref: ObjectRef;
  uid: string;
  /** By its label. */
  vnfInstanceId: string;
  /** By its label: which Windlass's it says that it is. */
  deploymentTag: string;
  /** Whether Windlass has applied it; else somebody has written our labels on it, or a controller has copied them. */
  applied: boolean;
  /** How many pods it wants, of a kind that says so. */
  replicas?: number;
}
