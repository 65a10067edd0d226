/** A length-delimited field of protobuf's wire format; lengths under 128 only. */
const field = (number: number, content: Buffer): Buffer =>
  Buffer.concat([Buffer.from([(number << 3) | 2, content.length]), content]);

const text = (number: number, value: string): Buffer => field(number, Buffer.from(value, 'utf8'));

/** The media type under which kubectl fetches `/openapi/v2`. */
export const OPENAPI_PROTOBUF = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';

/**
 * An OpenAPI document that defines nothing: kubectl then leaves validation to the server, and takes the merge rules of
 * its built-in types for `apply`. Fields of `openapi.v2.Document`: 1 swagger, 2 info (1 title, 2 version), 8 paths.
 */
export const openapiProtobuf = (version: string): Buffer =>
  Buffer.concat([
    text(1, '2.0'),
    field(2, Buffer.concat([text(1, 'windlass-lab stand-in'), text(2, version)])),
    field(8, Buffer.alloc(0)),
  ]);

export const openapiJson = (version: string) => ({
  swagger: '2.0',
  info: { title: 'windlass-lab stand-in', version },
  paths: {},
});
