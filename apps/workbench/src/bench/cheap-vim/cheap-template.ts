import { isJsonObject, type Json, type JsonObject } from '@windlass/foundation';
import { parse } from 'yaml';
import { Refusal, unknown } from './answer.js';

export const SERVER = 'OS::Nova::Server';
export const PORT = 'OS::Neutron::Port';

/** A resource of a template, as far as the cheap VIM makes it. */
export interface Wanted {
  name: string;
  type: typeof SERVER | typeof PORT;
  /** Of a server: its ports, by their resources' names. */
  ports: readonly string[];
}

/** So many texts are kept, parsed: a bench sends one and the same again and again. */
const KEPT = 100;

/** Reads templates that have servers and ports, and nothing else. */
export class CheapTemplates {
  readonly #read = new Map<string, Wanted[]>();

  /** @throws Refusal where there is something in it that the cheap VIM does not make */
  wantedBy(template: Json | undefined): Wanted[] {
    if (isJsonObject(template)) return wanted(template);
    if (typeof template !== 'string') throw new Refusal(400, 'there is no template');
    const kept = this.#read.get(template);
    if (kept !== undefined) return kept;
    const parsed = parse(template) as Json;
    if (!isJsonObject(parsed)) throw new Refusal(400, 'the template is no mapping');
    const read = wanted(parsed);
    if (this.#read.size < KEPT) this.#read.set(template, read);
    return read;
  }
}

function wanted({ resources }: JsonObject): Wanted[] {
  if (!isJsonObject(resources)) throw new Refusal(400, 'the template has no resources');
  const all = Object.entries(resources).map(([name, resource]) => one(name, isJsonObject(resource) ? resource : {}));
  for (const { name, ports } of all)
    for (const port of ports)
      if (!all.some((other) => other.name === port && other.type === PORT))
        throw new Refusal(400, `the server ${name} has a port ${port} that the template does not have`);
  return all;
}

function one(name: string, { type, properties }: JsonObject): Wanted {
  if (type !== SERVER && type !== PORT)
    throw unknown(`resources of type ${typeof type === 'string' ? type : '(none)'}, as ${name} is one`);
  const networks = type === SERVER && isJsonObject(properties) ? (properties.networks ?? []) : [];
  if (!Array.isArray(networks)) throw unknown(`networks of ${name} that are no list`);
  return { name, type, ports: networks.map((network) => portOf(name, network)) };
}

function portOf(server: string, network: Json): string {
  const port = isJsonObject(network) ? network.port : undefined;
  const resource = isJsonObject(port) ? port.get_resource : undefined;
  if (typeof resource !== 'string') throw unknown(`a network of ${server} that is not a port of the template`);
  return resource;
}
