import { observed } from '@windlass/foundation';

/** A request to a Kubernetes cluster, as its span tells of it. */
export interface ClusterRequest {
  method: string;
  url: URL;
  /** Ends it for one who waits no more, which says nothing of the cluster. */
  signal?: AbortSignal | undefined;
}

/**
 * Sends a request to a Kubernetes cluster in a span of its own, of which host, port and path are told: no query, no header, no body.
 * @param send throws axios' error where there was no answer, or one that is none of 2xx
 * @throws what `send` throws
 */
export async function observedClusterRequest<T extends { status: number }>(
  { method, url, signal }: ClusterRequest,
  send: () => Promise<T>,
): Promise<T> {
  const attributes = {
    'http.request.method': method,
    'server.address': url.hostname,
    'server.port': Number(url.port === '' ? 443 : url.port),
    'url.path': url.pathname,
    'windlass.vim.service': 'kubernetes',
  };
  const ended = await observed({ kind: 'vim', name: `${method} kubernetes`, attributes }, async (say) => {
    try {
      const answer = await send();
      say(toldOf(answer.status));
      return { answer };
    } catch (error) {
      const status = statusIn(error);
      say(status === undefined ? { outcome: signal?.aborted === true ? 'aborted' : 'kubernetes.unreachable' } : toldOf(status));
      // An answer that says no is an answer: 404 is what a look at something that is gone hears.
      if (status !== undefined) return { error };
      throw error;
    }
  });
  if ('answer' in ended) return ended.answer;
  throw ended.error;
}

const toldOf = (status: number) => ({
  outcome: `${Math.floor(status / 100)}xx`,
  failed: status >= 500,
  attributes: { 'http.response.status_code': status },
});

const statusIn = (error: unknown): number | undefined => (error as { response?: { status?: number } }).response?.status;
