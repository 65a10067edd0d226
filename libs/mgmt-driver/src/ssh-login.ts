import { isJsonObject, type JsonObject } from '@windlass/foundation';
import type { FuncKeywordDefinition } from 'ajv/dist/2020.js';

/** The names that an object of parameters gives to the parts of a login by SSH; value of the keyword `sshLogin`. */
export interface SshLoginNames {
  password: string;
  privateKey: string;
  passphrase: string;
}

/** Why a private key can't be used, and of which of the two that is said. */
export interface PrivateKeyFault {
  of: 'privateKey' | 'passphrase';
  /** Holds nothing of either. */
  reason: string;
}

/** Looks whether a private key can be read with its passphrase. */
export type PrivateKeyCheck = (privateKey: string, passphrase: string | undefined) => PrivateKeyFault | undefined;

/** What is wrong with a login: the member, and why. */
interface LoginFault {
  member: string;
  reason: string;
}

/** What a login lacks, or has wrong, in the members that their own schemas find well-formed. */
function loginFault(login: JsonObject, names: SshLoginNames, keyFault: PrivateKeyCheck): LoginFault | undefined {
  const { [names.password]: password, [names.privateKey]: privateKey, [names.passphrase]: passphrase } = login;
  if (password === undefined && privateKey === undefined) {
    const either = `${names.password} or ${names.privateKey}`;
    return { member: names.password, reason: `is missing: give ${either} (with ${names.passphrase}, where the key has one)` };
  }
  if (privateKey === undefined)
    return passphrase === undefined
      ? undefined
      : { member: names.passphrase, reason: `is of no use without ${names.privateKey}: give the key, or leave it out` };
  const isText = typeof passphrase === 'string' || typeof passphrase === 'number';
  // Another type is told by the member's own schema.
  if (typeof privateKey !== 'string' || !(isText || passphrase === undefined)) return undefined;
  const fault = keyFault(privateKey, isText ? String(passphrase) : undefined);
  return fault && { member: names[fault.of], reason: fault.reason };
}

type Validate = Extract<FuncKeywordDefinition['validate'], { errors?: unknown }>;

const validate: Validate = function (this: { keyFault: PrivateKeyCheck }, names, login, _parent, at): boolean {
  if (!isJsonObject(login)) return true;
  const fault = loginFault(login, names as SshLoginNames, this.keyFault);
  const instancePath = `${at?.instancePath ?? ''}/${fault?.member ?? ''}`;
  validate.errors = fault === undefined ? [] : [{ keyword: 'sshLogin', instancePath, message: fault.reason }];
  return fault === undefined;
};

/** `sshLogin` of an object's schema: a password or a private key must be there, and the key be readable with its passphrase. */
export const sshLoginKeyword: FuncKeywordDefinition = {
  keyword: 'sshLogin',
  schemaType: 'object',
  metaSchema: {
    type: 'object',
    required: ['password', 'privateKey', 'passphrase'],
    additionalProperties: { type: 'string' },
  },
  errors: 'full',
  validate,
};
