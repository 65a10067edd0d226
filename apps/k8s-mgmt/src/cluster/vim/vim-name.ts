/** As packages and clients of the reference system know it. */
export const defaultVimName = (vnfInstanceId: string): string => `kubernetes_vim_${vnfInstanceId}`;
