/** The label that PersistentVolumes of a VNF instance carry in its cluster, with the instance's id. Those without it are somebody else's. */
export const VOLUME_LABEL = 'windlass/vnf-instance';
