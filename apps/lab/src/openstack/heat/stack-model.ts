import { isJsonObject, type Json, type JsonObject } from '@windlass/foundation';
import { HttpFailure } from '../http/answer.js';
import type { ResourceDefinition, Stack, StackInput } from '../state/state.js';
import { eachReference, evaluate, truth } from './template/functions.js';
import { FunctionError, MissingParameter, REMOVED, UNKNOWN, type Scope } from './template/function-parts.js';
import { heatError, propertyError } from './template/heat-errors.js';
import { Parameters, type CustomCheck } from './template/parameters.js';
import { canonical } from './template/properties.js';
import { parseTemplate, type Template } from './template/template.js';

/** Where references and attributes come from; while a template is only checked they are unknown. */
export type Live = Pick<Scope, 'reference' | 'attribute'>;

export const nothingKnown: Live = { reference: () => UNKNOWN, attribute: () => UNKNOWN };

/** A stack's input, read: template, parameters, the resources that there are, and what each requires. */
export class StackModel {
  readonly template: Template;
  readonly parameters: Parameters;
  readonly definitions = new Map<string, ResourceDefinition>();
  readonly requires = new Map<string, string[]>();

  /** @throws HttpFailure 400 for what Heat finds wrong before it looks at properties. */
  constructor(
    readonly input: StackInput,
    identity: Pick<Stack, 'id' | 'name' | 'projectId'>,
    options: { check?: CustomCheck; strict?: boolean } = {},
  ) {
    this.template = parseTemplate(input.template);
    const { environment } = input;
    const fromEnvironment = isJsonObject(environment.parameters) ? environment.parameters : {};
    const defaults = isJsonObject(environment.parameter_defaults) ? environment.parameter_defaults : {};
    const pseudo = { 'OS::stack_id': identity.id, 'OS::project_id': identity.projectId, 'OS::stack_name': identity.name };
    const given = { ...fromEnvironment, ...input.parameters };
    this.parameters = Parameters.read(this.template.parameters, given, pseudo, { ...options, defaults });
    for (const [name, definition] of this.template.resources) {
      if (this.isThere(definition)) this.definitions.set(name, definition);
    }
    for (const [name, definition] of this.definitions) this.requires.set(name, this.requirementsOf(name, definition));
    this.checkOutputs();
  }

  scope(live: Live): Scope {
    return {
      version: this.template.version,
      parameter: (name) => this.parameters.get(name),
      file: (name) => this.input.files[name],
      condition: (name) => this.condition(name),
      ...live,
    };
  }

  evaluate = (value: Json, live: Live): Json => evaluate(value, this.scope(live));

  /** A resource's properties, evaluated; what fails is told with the property's path. */
  properties(name: string, live: Live, prefix = ''): JsonObject {
    const definition = this.definitions.get(name);
    const evaluated: JsonObject = {};
    for (const [key, value] of Object.entries(definition?.properties ?? {})) {
      try {
        const result = this.evaluate(value, live);
        if (result !== REMOVED) evaluated[key] = result;
      } catch (error) {
        if (error instanceof FunctionError || error instanceof MissingParameter) {
          throw propertyError(`${prefix}resources.${name}.properties.${key}`, error.message);
        }
        throw error;
      }
    }
    return evaluated;
  }

  /** Names of the resources that need this one. */
  requiredBy = (name: string): string[] => [...this.requires].filter(([, needed]) => needed.includes(name)).map(([one]) => one);

  private condition(name: string): boolean {
    const declared = this.template.conditions[name];
    if (declared === undefined) throw new FunctionError(`Invalid condition "${name}"`);
    const scope = this.scope(nothingKnown);
    return truth(declared, (value) => evaluate(value, scope), scope);
  }

  private isThere(definition: ResourceDefinition): boolean {
    if (definition.condition === undefined) return true;
    const scope = this.scope(nothingKnown);
    return truth(definition.condition, (value) => evaluate(value, scope), scope);
  }

  private requirementsOf(name: string, definition: ResourceDefinition): string[] {
    const found = new Set<string>();
    eachReference(definition.properties, (resource, path) => {
      if (this.definitions.has(resource)) found.add(resource);
      else if (!this.template.resources.has(resource)) throw badReference(resource, `${name}.Properties.${path}`);
    });
    for (const resource of definition.dependsOn) {
      if (!this.template.resources.has(resource)) throw badReference(resource, name);
      if (this.definitions.has(resource)) found.add(resource);
    }
    for (const subnet of this.subnetsNeededBy(definition)) found.add(subnet);
    return [...found];
  }

  /** Ports need the subnets of their network, servers all subnets, though the template doesn't say so. */
  private subnetsNeededBy(definition: ResourceDefinition): string[] {
    const isPort = definition.type === 'OS::Neutron::Port';
    const isServer = definition.type === 'OS::Nova::Server' && definition.properties.networks !== undefined;
    if (!isPort && !isServer) return [];
    return [...this.definitions]
      .filter(([, one]) => one.type === 'OS::Neutron::Subnet')
      .filter(([, one]) => isServer || canonical(networkOf(one)) === canonical(networkOf(definition)))
      .map(([name]) => name);
  }

  private checkOutputs(): void {
    for (const [name, output] of this.template.outputs) {
      eachReference(output.value, (resource, path) => {
        if (!this.template.resources.has(resource))
          throw badReference(resource, `outputs.${name}.Value${path === '' ? '' : `.${path}`}`);
      });
    }
  }
}

const networkOf = (definition: ResourceDefinition): Json =>
  definition.properties.network ?? definition.properties.network_id ?? null;

const badReference = (resource: string, where: string): HttpFailure =>
  heatError(400, 'InvalidTemplateReference', `The specified reference "${resource}" (in ${where}) is incorrect.`);
