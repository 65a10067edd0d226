// Writes docs/configuration.md from the services' own --help. Call it after a build: node tools/configuration-page.mjs
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SERVICES } from '../apps/windlass/dist/deployment/services.js';

const root = join(import.meta.dirname, '..');
const help = (name) => execFileSync(process.execPath, [join(root, 'apps', name, 'dist/main.js'), '--help'], { encoding: 'utf8' });
const page = `# Configuration

Every service is configured by environment variables, read and checked once at its start; with a wrong one it ends with status 78 and a line for each. A secret can be given in a file instead: \`<NAME>_FILE\`.
\`./windlass up\` sets them itself; \`docker-compose.yml\` shows them for containers. This page is what the services say of themselves (\`node tools/configuration-page.mjs\` writes it).

${SERVICES.map(({ name }) => `## ${name}\n\n\`node apps/${name}/dist/main.js --help\`\n\n\`\`\`\n${help(name).trimEnd()}\n\`\`\`\n`).join('\n')}`;
writeFileSync(join(root, 'docs/configuration.md'), page);
