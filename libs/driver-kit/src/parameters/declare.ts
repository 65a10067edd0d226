import type { JsonObject } from '@windlass/foundation';
import * as schema from '../driver/schema.js';
import type { Login, SshLogin } from '../host/machine-input.js';

/** Marks, for the compiler alone, what a request may give. Nothing is there at run time. */
declare const given: unique symbol;

/** A parameter: its JSON Schema, by which a request is checked, and the type of what passes. */
export type Parameter<T> = JsonObject & { readonly [given]?: T };

/** A member that a request must give. */
export interface Needed<T> {
  needed: Parameter<T>;
}

/** Members of an object, by their names; those that are not {@link needed} may be left out. */
type Members = Readonly<Record<string, Parameter<unknown> | Needed<unknown>>>;

/** What a request gives for a parameter. */
export type Given<P> = P extends Parameter<infer T> ? T : never;
type GivenMembers<M extends Members> = {
  [K in keyof M as M[K] extends Needed<unknown> ? K : never]: M[K] extends Needed<infer T> ? T : never;
} & {
  [K in keyof M as M[K] extends Needed<unknown> ? never : K]?: Given<M[K]>;
};

/** A parameter that a request must give. */
export const needed = <T>(parameter: Parameter<T>): Needed<T> => ({ needed: parameter });

const isNeeded = (member: Parameter<unknown> | Needed<unknown>): member is Needed<unknown> => 'needed' in member;

const propertiesOf = (members: Members): JsonObject =>
  Object.fromEntries(Object.entries(members).map(([name, member]) => [name, isNeeded(member) ? member.needed : member]));

const namesOfNeeded = (members: Members): string[] =>
  Object.entries(members).flatMap(([name, member]) => (isNeeded(member) ? [name] : []));

/** A parameter with a schema of its own. */
export const parameter = <T>(own: JsonObject): Parameter<T> => own as Parameter<T>;

/** A text by a pattern. */
export const text = (title: string, pattern: string, more?: JsonObject): Parameter<string> => schema.text(title, pattern, more);
/** A name of something in the VNFD or the template. */
export const named = (title: string): Parameter<string> => schema.named(title);
/** Path of a file, in the package or on a machine. */
export const path = (title: string): Parameter<string> => schema.path(title);
/** An IPv4 range by its form. */
export const cidr = (title: string, more?: JsonObject): Parameter<string> => schema.cidr(title, more);
/** A proxy as a URL; an empty text is none. */
export const proxyUrl = (title: string): Parameter<string> => schema.proxyUrl(title);
/** What is reached without a proxy, separated by commas. */
export const noProxy: Parameter<string> = schema.noProxy;
/** A secret, which may be written as a number. */
export const password: Parameter<string | number> = schema.password;

/** An object; names that it doesn't know pass, as in the reference system. */
export const objectOf = <M extends Members>(title: string, members: M): Parameter<GivenMembers<M>> =>
  schema.objectOf(title, propertiesOf(members), namesOfNeeded(members));

/** Machines to log in to: the login's members beside their own. */
export const machineOf = <M extends Members>(title: string, members: M): Parameter<Login & GivenMembers<M>> =>
  schema.machineOf(title, propertiesOf(members), namesOfNeeded(members));

/** As {@link machineOf}, with login members that begin with `ssh_`. */
export const sshMachineOf = <M extends Members>(title: string, members: M): Parameter<SshLogin & GivenMembers<M>> =>
  schema.machineOf(title, propertiesOf(members), namesOfNeeded(members), 'ssh_');

/** A list of 1 to 100 items; it may be empty where `least` is 0. */
export const listOf = <T>(title: string, items: Parameter<T>, { least = 1 }: { least?: 0 | 1 } = {}): Parameter<T[]> => ({
  ...schema.listOf(title, items),
  minItems: least,
});

/** Members at the top of `additionalParams`, beside logins that a request overrides. */
export const topLevel = (members: Members): JsonObject => propertiesOf(members);
/** What a request gives for members at the top of `additionalParams`. */
export type GivenTopLevel<M extends Members> = GivenMembers<M>;
