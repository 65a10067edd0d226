/** How large a YAML file may be, in every way that a small file can be large. */
export interface YamlLimits {
  /** Bytes of one file. Parsing is synchronous: 1 MiB costs about half a second. */
  bytes: number;
  /** Lexical tokens of one file. */
  tokens: number;
  /** Levels of nesting. Beyond some thousand the parser would take the whole process down. */
  depth: number;
  /** Anchors, aliases and tags of one file. */
  anchors: number;
  /** Scalars, maps and lists after every alias and merge is expanded. */
  values: number;
  /** Characters of all of them after that, and after the inputs of a topology were put in. */
  characters: number;
}

/** What a package may cost. Every limit is a member of its own so that a deployment can raise the one it needs. */
export interface CsarLimits {
  /** Bytes of the zip file. */
  packageBytes: number;
  /** Members, directories included. */
  members: number;
  /** Bytes of one member, inflated. */
  memberBytes: number;
  /** Bytes of all members, inflated. */
  totalBytes: number;
  /** Inflated bytes per compressed byte. */
  ratio: number;
  /** Members up to this inflated size are not asked for their ratio: a sparse 64 KiB file is no bomb. */
  ratioFloorBytes: number;
  /** Bytes of a member's name in UTF-8. */
  nameBytes: number;
  /** Bytes of TOSCA.meta and of the manifest. */
  metadataBytes: number;
  /** Definition files and templates read from one package. */
  yamlFiles: number;
  /** Bytes of what is kept of a VNFD, as JSON. */
  modelBytes: number;
  yaml: YamlLimits;
}

const KIB = 1_024;
const MIB = 1_024 * KIB;
const GIB = 1_024 * MIB;

export const DEFAULT_YAML_LIMITS: Readonly<YamlLimits> = {
  bytes: MIB, // ETSI's own type file, the largest seen, is 67 KiB
  tokens: 300_000,
  depth: 64,
  anchors: 1_000,
  values: 200_000,
  characters: 16 * MIB,
};

/** Room for a package with a few cloud images; a bomb is stopped by whichever limit it meets first. */
export const DEFAULT_CSAR_LIMITS: Readonly<CsarLimits> = {
  packageBytes: 16 * GIB,
  members: 10_000,
  memberBytes: 16 * GIB,
  totalBytes: 32 * GIB,
  ratio: 200, // text compresses 5-20 times, deflate's own maximum is 1,032
  ratioFloorBytes: 8 * MIB,
  nameBytes: 512,
  metadataBytes: MIB,
  yamlFiles: 200,
  modelBytes: 16 * MIB,
  yaml: DEFAULT_YAML_LIMITS,
};

/** Limits as a caller gives them: what is left out is the default. */
export type CsarLimitOptions = Partial<Omit<CsarLimits, 'yaml'>> & { yaml?: Partial<YamlLimits> };

/** The given limits over the defaults. */
export function csarLimits(options: CsarLimitOptions = {}): CsarLimits {
  return { ...DEFAULT_CSAR_LIMITS, ...options, yaml: { ...DEFAULT_YAML_LIMITS, ...options.yaml } };
}

/** `1.5 GiB`, `64 KiB`, `12 bytes`. */
export function describeBytes(bytes: number): string {
  for (const [unit, size] of [
    ['GiB', GIB],
    ['MiB', MIB],
    ['KiB', KIB],
  ] as const) {
    if (bytes >= size) return `${Number((bytes / size).toFixed(1))} ${unit}`;
  }
  return `${bytes} bytes`;
}
