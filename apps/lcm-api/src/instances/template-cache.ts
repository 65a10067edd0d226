import type { JsonObject } from '@windlass/foundation';
import type { TemplateReader } from '@windlass/user-data';
import { plainYaml } from '@windlass/vnf-package';
import { LRUCache } from 'lru-cache';

/** Characters of the templates that are kept. */
const MOST_KEPT = 4 * 1024 * 1024;

/** Templates as they were read last: instances are made of the same ones again and again. Who is given one leaves it as it is. */
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
