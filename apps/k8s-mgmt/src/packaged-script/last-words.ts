import { maskSecrets, maskUrlUser, type Secret } from '@windlass/foundation';

/** Of each stream. */
const LINES = 5;

/** Characters of a line. */
const LONGEST = 300;

/** Secrets known by their shape: PEM, even without its beginning; bootstrap tokens; keys and digests; tokens of service accounts. */
const SHAPES = [
  /-----BEGIN [^-\n]{1,64}-----(?:[^-]|-(?!----END))*(?:-----END [^-\n]{1,64}-----|$)/g,
  /^[A-Za-z0-9+/=]{40,}$/gm,
  /\b[a-z0-9]{6}\.[a-z0-9]{16}\b/g,
  /\b[0-9a-f]{32,}\b/gi,
  /\beyJ[\w-]{10,}(?:\.[\w-]+){0,2}/g,
];

/**
 * The last lines that a foreign program printed, for an error. Known secrets are masked, and whatever looks like a secret: the program may have
 * printed anything.
 * @param streams standard output and standard error
 */
export function lastWords(streams: readonly Secret[], known: readonly Secret[]): string {
  const lines = streams.flatMap((stream) => {
    const text = SHAPES.reduce((left, shape) => left.replaceAll(shape, '***'), maskUrlUser(maskSecrets(stream.reveal(), known)));
    return text
      .split('\n')
      .map((line) => line.trim().slice(0, LONGEST))
      .filter((line) => line !== '')
      .slice(-LINES);
  });
  return lines.length === 0 ? 'nothing' : lines.join('\n');
}
