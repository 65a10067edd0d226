import type { JsonObject } from '@windlass/foundation';
import type { TemplateReader } from '@windlass/user-data';
import { plainYaml } from '@windlass/vnf-package';
import { LRUCache } from 'lru-cache';

/** Characters of the templates that are kept. */
const MOST_KEPT = 4 * 1024 * 1024;

/** Parsed templates, kept because many instances are made from the same ones. Callers must not change a template that they get. */
export class TemplateCache {
  readonly #read = new LRUCache<string, JsonObject>({ maxSize: MOST_KEPT, sizeCalculation: (_value, text) => text.length + 1 });

  readonly read: TemplateReader = (text, name) => {
    const known = this.#read.get(text);
    if (known !== undefined) return known;
    const template = plainYaml(text, name);
    this.#read.set(text, template);
    return template;
  };
}
