/** What stands for Kubernetes in a lab. */
export const LAB_KUBERNETES = ['stand-in', 'real'] as const;
export type LabKubernetes = (typeof LAB_KUBERNETES)[number];
