// Lint with type information. Module boundaries by tags prove the arrows of docs/architecture.md.
import nx from '@nx/eslint-plugin';
import tseslint from 'typescript-eslint';
import regexp from 'eslint-plugin-regexp';
import jsdoc from 'eslint-plugin-jsdoc';
import prettier from 'eslint-config-prettier';

/** Node built-ins and packages that the rules of the house (sol003, saga, vnf-package, lifecycle, mgmt-driver) must not touch. */
const frameworks = ['@nestjs/*', 'typeorm', 'pg', '@nats-io/*', 'ssh2', 'ssh2-sftp-client', 'axios', 'express'];

/** What docstrings are asked for, beside functions and classes. */
const declarations = [
  'TSInterfaceDeclaration',
  'TSTypeAliasDeclaration',
  'TSEnumDeclaration',
  'ExportNamedDeclaration > VariableDeclaration',
];

/** The timer of one may be collected as garbage there, and never fires (nodejs/node#57736). */
const timeoutWithinAny = {
  selector:
    'CallExpression[callee.object.name="AbortSignal"][callee.property.name="any"] CallExpression[callee.object.name="AbortSignal"][callee.property.name="timeout"]',
  message: 'It may never fire: TimeLimit of @windlass/foundation, or a timer that is kept.',
};

/** Exported as a JWK, such an object can stop a process of Node.js 20 for ever: KeyPair.generate of libs/messaging tells how. */
const keyObjectOfItsJob = {
  selector:
    'CallExpression[callee.name="generateKeyPairSync"][arguments.length<2], CallExpression[callee.name="generateKeyPairSync"] > ObjectExpression:not(:has(> Property[key.name="privateKeyEncoding"]))',
  message: 'Name privateKeyEncoding and publicKeyEncoding: exporting a key object of generateKeyPairSync can stop the process.',
};

/**
 * Limits that a busy machine does not keep. What is waited for is there at once on a quiet machine, so a long limit costs nothing; a clock that a test
 * compares is a guess about the machine. What shows that something does not happen, or that a limit is kept, says so where it switches the rule off.
 */
const PATIENT = 20;
const impatience = [
  ...[`[callee.name="seconds"] > Literal[value<${PATIENT}]`, `[callee.name="millis"] > Literal[value<${PATIENT * 1_000}]`].map(
    (limit) => ({
      selector: `ObjectExpression:has(> Property[key.name="for"]) > Property[key.name="within"] CallExpression${limit}`,
      message: `A test waits ${PATIENT} seconds at least: what it waits for is there earlier, and a busy machine takes longer.`,
    }),
  ),
  {
    selector:
      'CallExpression[callee.object.name="expect"][callee.property.name="poll"] Property[key.name="timeout"] > Literal[value<10000]',
    message: 'A test waits: leave the time-out out (15 s, vitest.config.ts), or make it longer.',
  },
  ...[
    '[arguments.0.value<30000]',
    '[arguments.0.callee.name="seconds"][arguments.0.arguments.0.value<30]',
    '[arguments.0.callee.name="millis"][arguments.0.arguments.0.value<30000]',
  ].map((limit) => ({
    selector: `CallExpression[callee.property.name=/^toBeLessThan(OrEqual)?$/]${limit}:has(CallExpression[callee.name="expect"] > BinaryExpression[operator="-"] > CallExpression[callee.object.name=/^(performance|Date)$/])`,
    message: 'A clock tells a slow program from a busy machine by chance: compare an order of events, a count, or processorTime.',
  })),
];

export default tseslint.config(
  {
    ignores: [
      '**/dist/**',
      '**/node_modules/**',
      '.nx/**',
      'coverage/**',
      'samples/**',
      'libs/driver-kit/templates/**',
      'test-results/**',
    ],
  },
  {
    files: ['**/*.ts', 'apps/dashboard/**/*.tsx'],
    extends: [...tseslint.configs.strictTypeChecked, ...tseslint.configs.stylisticTypeChecked],
  },
  {
    files: ['**/*.ts', 'apps/dashboard/**/*.tsx'],
    languageOptions: { parserOptions: { project: ['./tsconfig.lint.json'], tsconfigRootDir: import.meta.dirname } },
    plugins: { '@nx': nx },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      '@typescript-eslint/no-extraneous-class': ['error', { allowWithDecorator: true }],
      '@typescript-eslint/consistent-type-imports': 'off',
      '@typescript-eslint/no-unnecessary-condition': ['error', { allowConstantLoopConditions: 'only-allowed-literals' }],
      '@typescript-eslint/consistent-type-definitions': 'off',
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/prefer-nullish-coalescing': 'off',
      '@typescript-eslint/unified-signatures': 'off',
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreRestSiblings: true },
      ],
      // TypeORM's recursive types need assertions over JSON columns that this rule takes for superfluous and tsc does not.
      '@typescript-eslint/no-unnecessary-type-assertion': 'off',
      // Nest's option types are classes, and are meant to be given literals.
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      'max-lines': ['error', { max: 400, skipBlankLines: false, skipComments: false }],
      'max-lines-per-function': ['error', { max: 60, skipBlankLines: true, skipComments: true }],
      'no-restricted-properties': [
        'error',
        { object: 'process', property: 'env', message: 'The environment is read and validated once, in a config file.' },
      ],
      'no-restricted-syntax': ['error', timeoutWithinAny, keyObjectOfItsJob],
      'no-restricted-imports': [
        'error',
        {
          paths: [{ name: 'node:async_hooks', message: 'Each store costs every await of the process: take a ContextVariable.' }],
        },
      ],
      '@nx/enforce-module-boundaries': [
        'error',
        {
          enforceBuildableLibDependency: false,
          banTransitiveDependencies: false,
          // Pure functions, without Node: the dashboard says the same words as the command line.
          allow: ['@windlass/foundation/wait-text'],
          // What the command line loads with its first use has light doors, which load none of it; program-of.int.spec.ts holds what a help loads.
          checkDynamicDependenciesExceptions: [
            '@windlass/service-kit*',
            '@windlass/driver-kit*',
            '@windlass/embedded',
            '@windlass/persistence',
          ],
          depConstraints: [
            { sourceTag: 'type:core', onlyDependOnLibsWithTags: ['type:core'], bannedExternalImports: frameworks },
            { sourceTag: 'type:adapter', onlyDependOnLibsWithTags: ['type:core', 'type:adapter'] },
            { sourceTag: 'type:kit', onlyDependOnLibsWithTags: ['type:core', 'type:adapter', 'type:kit'] },
            { sourceTag: 'type:app', onlyDependOnLibsWithTags: ['type:core', 'type:adapter', 'type:kit'] },
            // The command line is the one app that knows others: it composes the services (`up --one-process`).
            { sourceTag: 'type:composition', onlyDependOnLibsWithTags: ['type:core', 'type:adapter', 'type:kit', 'type:app'] },
            // The dashboard runs in browsers, and knows the API alone.
            { sourceTag: 'type:page', onlyDependOnLibsWithTags: ['type:page'] },
            // Lab and workbench show, test and measure the product; nothing above may depend on them.
            {
              sourceTag: 'type:proof',
              onlyDependOnLibsWithTags: ['type:core', 'type:adapter', 'type:kit', 'type:app', 'type:composition', 'type:proof'],
            },
            { sourceTag: 'scope:engine', onlyDependOnLibsWithTags: ['scope:any'] },
            { sourceTag: 'scope:openstack', onlyDependOnLibsWithTags: ['scope:any'] },
            { sourceTag: 'scope:standard', onlyDependOnLibsWithTags: ['scope:any'] },
            { sourceTag: 'scope:package', onlyDependOnLibsWithTags: ['scope:any', 'scope:standard', 'scope:package'] },
            { sourceTag: 'scope:lab', onlyDependOnLibsWithTags: ['scope:any'] },
          ],
        },
      ],
    },
  },
  {
    files: [
      '**/config.ts',
      '**/*.config.ts',
      '**/*config/*.ts',
      'libs/embedded/**/*.ts',
      '**/*.spec.ts',
      '**/testing/**/*.ts',
      'tools/**/*.ts',
      'tests/**/*.ts',
    ],
    rules: { 'no-restricted-properties': 'off' },
  },
  { files: ['libs/foundation/src/trace/context-variable.ts'], rules: { 'no-restricted-imports': 'off' } },
  {
    files: ['**/*.spec.ts', '**/testing/**/*.ts', 'tests/**/*.ts', 'bench/**/*.ts'],
    rules: {
      '@typescript-eslint/no-base-to-string': 'off',
      '@typescript-eslint/unbound-method': 'off',
      '@typescript-eslint/no-confusing-void-expression': 'off',
      'max-lines-per-function': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
      'no-restricted-syntax': ['error', timeoutWithinAny, ...impatience],
    },
  },
  {
    // Pages run in a browser: a project of its own, with its types.
    files: ['apps/dashboard/**/*.{ts,tsx}'],
    languageOptions: { parserOptions: { project: ['./apps/dashboard/tsconfig.json'], tsconfigRootDir: import.meta.dirname } },
  },
  {
    // OpenStack's own words alone: its stacks are read as VNFs in apps/infra-driver/src/vnf.
    files: ['libs/openstack/src/**/*.ts'],
    ignores: ['**/*.spec.ts', '**/testing/**/*.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        timeoutWithinAny,
        keyObjectOfItsJob,
        {
          selector: 'Identifier[name=/vnf|vdu|cpd|extCp|extVirtualLink|extManaged|scaleStatus|aspect/i]',
          message: 'A word of SOL003 or of a VNFD: stacks are read as VNFs in apps/infra-driver/src/vnf.',
        },
      ],
    },
  },
  {
    // A pattern of ours takes no longer on a stranger's text than the text is long. Somebody else's pattern runs by `linearPattern` alone.
    files: ['apps/**/*.ts', 'apps/**/*.tsx', 'libs/**/*.ts'],
    ignores: ['**/*.spec.ts', '**/testing/**/*.ts', 'apps/lab/**', 'apps/workbench/**'],
    plugins: { regexp },
    rules: {
      'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
      'regexp/no-super-linear-move': ['error', { report: 'potential', ignoreSticky: true, ignorePartial: false }],
    },
  },
  {
    // Libraries that others build on: every export says what it is.
    files: ['libs/{saga,mgmt-driver,driver-kit,remote-host,sol003}/src/**/*.ts'],
    ignores: ['**/*.spec.ts'],
    plugins: { jsdoc },
    settings: { jsdoc: { mode: 'typescript' } },
    rules: {
      'jsdoc/require-jsdoc': [
        'error',
        {
          publicOnly: { esm: true, cjs: false, window: false, ancestorsOnly: true },
          enableFixer: false,
          require: { FunctionDeclaration: true, ClassDeclaration: true },
          contexts: declarations,
        },
      ],
      'jsdoc/require-description': ['error', { contexts: declarations }],
      'jsdoc/require-throws': 'error',
      'jsdoc/check-tag-names': ['error', { typed: true }],
      'jsdoc/check-param-names': ['error', { checkDestructured: false, disableMissingParamChecks: true }],
      'jsdoc/no-types': 'error',
    },
  },
  prettier,
);
