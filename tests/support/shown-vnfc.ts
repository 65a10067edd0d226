/** The part of a VNFC in an instance's `vnfcResourceInfo` that tests of machines read. */
export interface ShownVnfc {
  id: string;
  vduId: string;
  /** `resourceId`: the id of the server in the VIM. */
  computeResource: { resourceId: string };
}
