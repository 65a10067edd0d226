const text = { type: 'string', minLength: 1, maxLength: 1024 } as const;

/** A file of a package, as drivers are told of it. */
export const packageFile = {
  type: 'object',
  required: ['path', 'size', 'sha256', 'firstLine'],
  properties: {
    path: text,
    size: { type: 'integer', minimum: 0 },
    sha256: text,
    firstLine: { type: 'string', maxLength: 200 },
    hosts: { type: 'array', items: text, maxItems: 50 },
    persistentVolumes: {
      type: 'object',
      required: ['volumes'],
      properties: {
        volumes: {
          type: 'array',
          maxItems: 100,
          items: { type: 'object', required: ['name', 'path'], properties: { name: text, path: text } },
        },
        fault: { type: 'string', maxLength: 300 },
      },
    },
  },
} as const;
