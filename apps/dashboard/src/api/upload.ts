/** What came back of an upload. */
export interface Uploaded {
  status: number;
  text: string;
}

/** Bytes that are gone out, and how many there are. */
export type OnSent = (sent: number, of: number) => void;

/**
 * Sends a file as it is. `fetch` tells nobody how far it is, so it is the older way.
 * @throws what the signal was aborted with; Error where nobody answers, or the file can't be read
 */
export const sendFile = (
  url: string,
  headers: Readonly<Record<string, string>>,
  file: Blob,
  onSent: OnSent,
  signal: AbortSignal,
): Promise<Uploaded> =>
  new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const abort = (): void => request.abort();
    const fail = (error: unknown): void => reject(error instanceof Error ? error : new Error(String(error)));
    request.open('PUT', url);
    for (const [name, value] of Object.entries({ ...headers, 'Content-Type': 'application/zip' }))
      request.setRequestHeader(name, value);
    request.upload.onprogress = ({ loaded, total }) => onSent(loaded, total);
    request.onload = () => resolve({ status: request.status, text: request.responseText });
    request.onerror = () => fail('the upload broke: the API does not answer, or the file can’t be read');
    request.onabort = () => fail(signal.reason);
    request.onloadend = () => signal.removeEventListener('abort', abort);
    signal.addEventListener('abort', abort);
    request.send(file);
  });
