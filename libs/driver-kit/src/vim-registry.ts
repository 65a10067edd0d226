import type { StepRun } from '@windlass/saga';

/** The claim on whose behalf something is asked; a StepRun is one. */
export type ClaimOf = Pick<StepRun, 'operationId' | 'stepId' | 'epoch'>;

/**
 * The VIM registry as steps may use it: the Kubernetes cluster of the claim's own VNF instance, whose id and project the registry knows.
 * ClaimVimClient of libs/messaging fulfils it, and FakeVims in tests.
 */
export interface VimRegistry {
  /**
   * Enters the cluster; `auth_url` is that of its API server, `ssl_ca_cert` PEM.
   * @throws RequestError 400 `vim.unreachable` while the cluster does not answer, 409 for a name that is taken
   */
  register(
    claim: ClaimOf,
    cluster: {
      name: string;
      description: string;
      auth_url: string;
      auth_cred: { bearer_token: string; ssl_ca_cert: string };
    },
  ): Promise<{ id: string }>;
  /** The cluster, if there is one, and the ids of VNF instances that use it as their VIM. */
  show(claim: ClaimOf): Promise<{ vim?: { id: string; name: string; auth_url: string }; vnfInstanceIds: string[] }>;
  /** One that is not there is gone. @throws RequestError 409 while something uses it */
  remove(claim: ClaimOf): Promise<void>;
}
