import { InvariantError } from '@windlass/foundation';
import { examineVnfPackage, openCsar, PackageError, type CsarSource, type TrustedSigners } from '@windlass/vnf-package';
import { parentPort } from 'node:worker_threads';
import { packedFiles } from './packed-files.js';
import type { FromThread, ReadPackage, ToThread } from './thread-messages.js';

// The program of a thread: reads one package after the other, each from bytes that it asks for (see PackageReader).
const port = parentPort;
if (port === null) throw new InvariantError('this program reads packages as a thread of lcm-api alone');

const say = (message: FromThread): void => port.postMessage(message);

const wanted = new Map<number, (bytes: Uint8Array) => void>();
let asked = 0;

const ask = (offset: number, length: number): Promise<Buffer> =>
  new Promise((resolve) => {
    asked += 1;
    wanted.set(asked, (bytes) => resolve(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)));
    say({ kind: 'want', id: asked, offset, length });
  });

async function read(size: number, signers: TrustedSigners | undefined): Promise<ReadPackage> {
  const source: CsarSource = { size, read: (offset, length) => ask(offset, Math.min(length, size - offset)) };
  const csar = await openCsar(source);
  // A package that lies in a zip beside its signature is hashed twice: as it is, and its members.
  const enclosed = csar.envelope === undefined ? 0 : size;
  say({ kind: 'listed', bytes: csar.members.reduce((sum, member) => sum + member.size, enclosed) });
  const examined = await examineVnfPackage(csar, undefined, signers);
  return { ...examined, files: await packedFiles(csar) };
}

function failureOf(error: unknown): FromThread {
  if (!(error instanceof PackageError)) return { kind: 'broken', reason: error instanceof Error ? error.message : String(error) };
  const { code, reason, member } = error;
  return { kind: 'refused', code, reason, ...(member === undefined ? {} : { member }) };
}

port.on('message', (message: ToThread) => {
  if (message.kind === 'read') {
    read(message.size, message.signers).then(
      (done) => say({ kind: 'read', read: done }),
      (error: unknown) => say(failureOf(error)),
    );
    return;
  }
  const take = wanted.get(message.id);
  wanted.delete(message.id);
  take?.(message.bytes);
});
