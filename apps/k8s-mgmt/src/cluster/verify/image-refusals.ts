/** The reasons that kubelets give for a container that waits because its node does not get the image. */
export const NO_IMAGE = /^(ErrImage|ImagePull|ImageInspect|InvalidImage|RegistryUnavailable)/;

/** A registry's answers that do not change when the kubelet tries again. */
export const STAYS_SO = /not found|manifest unknown|denied|unauthorized|forbidden|authorization failed/i;
