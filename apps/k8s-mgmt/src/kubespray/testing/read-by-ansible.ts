import { parse, type YAMLMap, type YAMLSeq } from 'yaml';

/** Reads YAML as Ansible does: a marked value is the value without the mark. */
export const readByAnsible = (text: string): unknown =>
  parse(text, {
    customTags: [
      { tag: '!unsafe', resolve: (marked: string) => marked },
      { tag: '!unsafe', collection: 'map', resolve: (marked) => marked as YAMLMap },
      { tag: '!unsafe', collection: 'seq', resolve: (marked) => marked as YAMLSeq },
    ],
  });
