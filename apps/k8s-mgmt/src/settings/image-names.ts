/** Registry, repository, tag and digest, as container runtimes read them. A name in capitals is none of a repository. */
export const IMAGE = String.raw`^(([A-Za-z0-9.-]{1,253}(:[0-9]{1,5})?/)?[a-z0-9]+([._/-]{1,2}[a-z0-9]+)*(:[A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?(@sha256:[0-9a-f]{64})?)$`;

/** A registry, and a path in it that need not be. */
export const IMAGE_REPOSITORY = String.raw`^[A-Za-z0-9][A-Za-z0-9.-]{0,252}(:[0-9]{1,5})?(/[a-z0-9]+([._-]{1,2}[a-z0-9]+)*){0,16}$`;
