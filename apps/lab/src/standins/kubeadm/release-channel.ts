import { get } from 'node:https';
import { seconds } from '@windlass/foundation';
import type { Io } from '../cli/program.js';
import { readIfThere } from '../host/files.js';
import { failure } from './output.js';
import { isChannel, normalizedVersion } from './versions.js';

const TIME_OUT = seconds(10);
const TRUSTED = '/etc/ssl/certs/ca-certificates.crt';

/**
 * The version that a release channel (`stable-1`, also where a configuration names no version) stands for today: asked on the internet, and this
 * kubeadm's own, with a warning, where nobody answers. A version is given back as it is.
 * @throws ExitError where what answers is no version, as the page of a proxy
 */
export async function releasedVersion(text: string, own: string, io: Io): Promise<string> {
  if (!isChannel(text)) return text;
  const url = `https://dl.k8s.io/release/${text === '' ? 'stable-1' : text}.txt`;
  let answer: string;
  try {
    answer = (await fetched(url)).trim();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    io.err(`W could not fetch a Kubernetes version from the internet: unable to get URL "${url}": ${why}\n`);
    io.err(`W falling back to the local client version: ${own}\n`);
    return own;
  }
  if (normalizedVersion(answer) === undefined)
    throw failure(`version "${answer}" doesn't match patterns for neither semantic version nor labels (stable, latest, ...)`);
  return answer;
}

async function fetched(url: string): Promise<string> {
  const ca = await readIfThere(TRUSTED);
  return new Promise((resolve, reject) => {
    const request = get(url, { timeout: TIME_OUT, ...(ca === undefined ? {} : { ca }) }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (part: string) => (text += part));
      response.on('end', () =>
        response.statusCode === 200 ? resolve(text) : reject(new Error(`status ${response.statusCode ?? 0}`)),
      );
    });
    request.on('timeout', () => request.destroy(new Error('context deadline exceeded')));
    request.on('error', reject);
  });
}
