/** Why a container waits whose image its node does not get, as kubelets call it. */
export const NO_IMAGE = /^(ErrImage|ImagePull|ImageInspect|InvalidImage|RegistryUnavailable)/;

/** What a registry says of an image that stays so. */
export const STAYS_SO = /not found|manifest unknown|denied|unauthorized|forbidden|authorization failed/i;
