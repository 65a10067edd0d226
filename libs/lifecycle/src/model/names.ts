/** As the reference system's guide has it. */
export const stackNameOf = (vnfInstanceId: string): string => `vnf-${vnfInstanceId}`;

/** Every stack and image that Windlass makes carries the instance it is for. */
export const vnfTag = (vnfInstanceId: string): string => `windlass-vnf-${vnfInstanceId}`;
