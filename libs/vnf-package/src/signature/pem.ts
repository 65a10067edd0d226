/**
 * The bytes of all blocks of a kind in a text of PEM.
 * @param label `CERTIFICATE`
 */
export function pemBlocks(text: string, label: string): Buffer[] {
  const [, ...begun] = text.split(`-----BEGIN ${label}-----`);
  return begun.flatMap((block) => {
    const end = block.indexOf(`-----END ${label}-----`);
    return end < 0 ? [] : [Buffer.from(block.slice(0, end), 'base64')];
  });
}

/** What a signature's block is called: by CMS, and by PKCS #7, which came before it. */
export const SIGNATURE_LABELS = ['CMS', 'PKCS7'] as const;
