/** The name by which packages and clients of the reference system know the VIM. */
export const defaultVimName = (vnfInstanceId: string): string => `kubernetes_vim_${vnfInstanceId}`;
