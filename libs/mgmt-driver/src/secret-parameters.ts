import { SecretPlaces } from '@windlass/foundation';
import type { DriverDescription } from './driver.js';

/** What a driver says of parameters: its schemas. */
export type ParameterSchemas = Pick<DriverDescription, 'parameters' | 'operationParameters'>;

/** Where secrets lie in `additionalParams` of any operation, by all schemas of a driver: what one of them marks is shown by none. */
export const secretParameters = ({ parameters, operationParameters = {} }: ParameterSchemas): SecretPlaces =>
  SecretPlaces.union([parameters, ...Object.values(operationParameters)].map((schema) => SecretPlaces.of(schema)));
