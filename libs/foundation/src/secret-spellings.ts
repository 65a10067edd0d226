/** Longer secrets, such as keys, are looked for as they are and as JSON has them alone: what they look like otherwise would be many times as much. */
const MAX_SPELLED = 1_024;

/** Fewer characters of base64 stand in ordinary texts by chance. */
const MIN_BASE64 = 6;

/**
 * How else a secret may be written where a program repeats it: escaped as JSON (once and twice), Python, URLs, XML and shells do, and as base64,
 * by itself or behind and before other bytes (`user:password`). At most a dozen texts, each no longer than six times the secret.
 */
export function spellingsOf(secret: string): string[] {
  const json = inJson(secret);
  if (secret.length > MAX_SPELLED) return [...new Set([json])].filter((text) => text !== secret);
  const url = inUrl(secret);
  const all = [
    json,
    inJson(json),
    secret.replaceAll(/[\\']/g, String.raw`\$&`),
    url,
    url.replaceAll('%20', '+'),
    url.replaceAll(/%[0-9A-F]{2}/g, (escape) => escape.toLowerCase()),
    secret.replaceAll(/[&<>"']/g, (sign) => XML[sign] ?? sign),
    secret.replaceAll("'", String.raw`'\''`),
    secret.replaceAll("'", `'"'"'`),
    secret.replaceAll(/[^\p{L}\p{N}_./:@%+,=-]/gu, String.raw`\$&`),
    secret.replaceAll(/["$\\\x60]/g, String.raw`\$&`),
    ...inBase64(secret),
  ];
  return [...new Set(all)].filter((text) => text !== secret && text !== '');
}

/** As base64 has it, after no, one and two bytes of something else: the characters that depend on the secret alone. */
export function inBase64(secret: string): string[] {
  const bytes = Buffer.from(secret, 'utf8');
  const texts = [0, 1, 2].map((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .replaceAll('=', '');
    const whole = Math.floor(((before + bytes.length) * 8) / 6);
    return text.slice(Math.ceil((before * 8) / 6), whole);
  });
  return texts
    .filter(({ length }) => length >= MIN_BASE64)
    .flatMap((text) => [text, text.replaceAll('+', '-').replaceAll('/', '_')]);
}

const XML: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);

/** A half of a character outside the basic plane has no form in a URL. */
const inUrl = (text: string): string => encodeURIComponent(text.replaceAll(/\p{Surrogate}/gu, '\ufffd'));
