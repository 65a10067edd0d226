import { parse, type YAMLMap, type YAMLSeq } from 'yaml';

/** YAML with Ansible's mark, as it reads it: what is marked is what it is without. */
export const readByAnsible = (text: string): unknown =>
  parse(text, {
    customTags: [
      { tag: '!unsafe', resolve: (marked: string) => marked },
      { tag: '!unsafe', collection: 'map', resolve: (marked) => marked as YAMLMap },
      { tag: '!unsafe', collection: 'seq', resolve: (marked) => marked as YAMLSeq },
    ],
  });
