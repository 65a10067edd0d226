/** Product code: all of libs, and of apps but the lab and the workbench. */
const product = ['^libs/', '^apps/(?!lab/|workbench/)'];
/** The fakes and suites of a project (`@windlass/.../testing`), for tests. */
const testing = '^(libs|apps)/[^/]+/src/.*testing/';

/** What imports say over all projects' sources; specs are left out. */
module.exports = {
  forbidden: [
    {
      name: 'no-cycle',
      comment: 'No import cycle, by types neither.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'product-apart-from-proof',
      comment: 'The product imports nothing that shows, tests or measures it.',
      severity: 'error',
      from: { path: product },
      to: { path: '^(tests|bench|tools|apps/lab|apps/workbench)/' },
    },
    {
      name: 'apps-apart',
      comment:
        'Apps import no apps. The one program that composes services is that behind `up --one-process`; the command line has the types of the API’s answers; the workbench shows them all.',
      severity: 'error',
      from: {
        path: '^apps/([^/]+)/',
        pathNot: [
          '^apps/workbench/',
          '^apps/windlass/src/(deployment/one-process|settings/known-variables|commands/audit-text|client/api-client)\\.ts$',
        ],
      },
      to: { path: '^apps/', pathNot: '^apps/$1/' },
    },
    {
      name: 'answers-by-their-types',
      comment: 'What a command reads from the API is typed by who shows it: types alone, and nothing of the service is loaded.',
      severity: 'error',
      from: { path: '^apps/windlass/src/commands/audit-text\\.ts$' },
      to: { path: '^apps/(?!windlass/)', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'configurations-alone',
      comment: '`up` reads what services are configured by as they do, and knows nothing else of them.',
      severity: 'error',
      from: { path: '^apps/windlass/src/settings/known-variables\\.ts$' },
      to: { path: '^apps/', pathNot: '^apps/(windlass/|[^/]+/src/config\\.ts$)' },
    },
    {
      name: 'testing-for-tests',
      comment: 'Fakes and contract suites are for tests and for each other.',
      severity: 'error',
      from: { path: product, pathNot: testing },
      to: { path: testing },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules|dist' },
    exclude: { path: '(^|/)(dist|node_modules)/|\\.spec\\.ts$' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.base.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['@windlass/source', 'import', 'node', 'default'],
      extensions: ['.ts', '.js'],
    },
  },
};
