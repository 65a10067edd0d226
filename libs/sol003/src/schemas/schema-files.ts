import { readFileSync } from 'node:fs';
import { InvariantError, isJsonObject, type JsonObject } from '@windlass/foundation';

const LCM = 'SOL003/VNFLifecycleManagement-API';
const PKGM = 'SOL003/VNFPackageManagement-API';
const SOL005 = 'SOL005/VNFPackageManagement-API';

/** ETSI's schemas by the names of the types, and the files that a value of the type has to obey: all of them. */
const FILES = {
  ApiVersionInformation: [`${LCM}/ApiVersionInformation`],
  Grant: [`${LCM}/grant`],
  LccnSubscription: [`${LCM}/LccnSubscription`],
  LccnSubscriptions: [`${LCM}/LccnSubscriptions`],
  PkgmSubscription: [`${PKGM}/PkgmSubscription`],
  PkgmSubscriptions: [`${PKGM}/PkgmSubscriptions`],
  ProblemDetails: [`${LCM}/ProblemDetails`],
  UploadVnfPkgFromUriRequest: [`${SOL005}/UploadVnfPkgFromUriRequest`],
  VnfIdentifierCreationNotification: [`${LCM}/VnfIdentifierCreationNotification`],
  VnfIdentifierDeletionNotification: [`${LCM}/vnfIdentifierDeletionNotification`],
  VnfInstance: [`${LCM}/vnfInstance`],
  VnfInstances: [`${LCM}/vnfInstances`],
  VnfLcmOpOcc: [`${LCM}/VnfLcmOpOcc`],
  VnfLcmOpOccs: [`${LCM}/VnfLcmOpOccs`],
  VnfLcmOperationOccurrenceNotification: [`${LCM}/VnfLcmOperationOccurrenceNotification`],
  VnfPackageChangeNotification: [`${PKGM}/VnfPackageChangeNotification`, `${SOL005}/VnfPackageChangeNotification`],
  VnfPackageOnboardingNotification: [`${PKGM}/VnfPackageOnboardingNotification`, `${SOL005}/VnfPackageOnboardingNotification`],
  VnfPkgInfo: [`${SOL005}/vnfPkgInfo`, `${PKGM}/vnfPkgInfo`],
  VnfPkgInfoModification: [`${SOL005}/VnfPkgInfoModification`],
  VnfPkgsInfo: [`${SOL005}/vnfPkgsInfo`, `${PKGM}/vnfPkgsInfo`],
} as const satisfies Record<string, readonly string[]>;

/** A type that ETSI has a schema of here, as the standard spells it. */
export type SchemaName = keyof typeof FILES;
/** All types that ETSI has a schema of here. */
export const SCHEMA_NAMES = Object.keys(FILES) as SchemaName[];

const loaded = new Map<string, JsonObject>();

function load(file: string): JsonObject {
  const known = loaded.get(file);
  if (known !== undefined) return known;
  const schema: unknown = JSON.parse(readFileSync(new URL(`./etsi/${file}.schema.json`, import.meta.url), 'utf8'));
  if (!isJsonObject(schema)) throw new InvariantError(`${file}.schema.json is no JSON object`);
  loaded.set(file, schema);
  return schema;
}

/** ETSI's schemas of a type, SOL005's before SOL003's where both have one. Read from disk once. */
export const schemasOf = (name: SchemaName): JsonObject[] => FILES[name].map(load);
