import { stringify } from 'yaml';
import type { Json } from '@windlass/foundation';

/** A resource of a template that is being made. */
export interface Resource {
  type: string;
  depends_on?: string[];
  properties?: Record<string, Json>;
}

/** A template that is being made. */
export class Template {
  readonly #parameters: Record<string, Json> = {};
  readonly #resources: Record<string, Resource> = {};

  /** @param taken names that no resource may have but the one that they are of */
  constructor(
    private readonly description: string,
    private readonly taken: ReadonlySet<string>,
  ) {}

  /** Declares a parameter, once. */
  parameter(name: string, type: 'string' | 'json', fallback?: string): { get_param: string } {
    this.#parameters[name] = { type, ...(fallback === undefined ? {} : { default: fallback }) };
    return { get_param: name };
  }

  /** Adds the resource of a node, which has the node's name. */
  add(name: string, resource: Resource): { get_resource: string } {
    this.#resources[name] = resource;
    return { get_resource: name };
  }

  /** Adds a resource that no node stands for; its name is the wanted one unless a node or resource has that. */
  addBeside(wanted: string, resource: Resource): { get_resource: string } {
    const isFree = (name: string): boolean => !this.taken.has(name) && !Object.hasOwn(this.#resources, name);
    let name = wanted;
    for (let number = 2; !isFree(name); number += 1) name = `${wanted}_${number}`;
    return this.add(name, resource);
  }

  /** The same template gives the same bytes. Read as YAML 1.1, as Heat does, and as 1.2 it says the same. */
  text(): string {
    const template = {
      heat_template_version: '2013-05-23',
      description: this.description,
      ...(Object.keys(this.#parameters).length === 0 ? {} : { parameters: this.#parameters }),
      resources: this.#resources,
    };
    return stringify(template, { version: '1.1', lineWidth: 0, aliasDuplicateObjects: false });
  }
}
