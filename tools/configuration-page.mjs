// Writes docs/configuration.md from the services' own --help. Call it after a build: node tools/configuration-page.mjs
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SERVICES } from '../apps/windlass/dist/deployment/services.js';
import { knownVariables } from '../apps/windlass/dist/settings/known-variables.js';
import { setByUp } from '../apps/windlass/dist/settings/set-by-up.js';

const root = join(import.meta.dirname, '..');
const help = (name) => execFileSync(process.execPath, [join(root, 'apps', name, 'dist/main.js'), '--help'], { encoding: 'utf8' });
const readers = ({ services }) => (services.length === SERVICES.length ? 'all' : services.join(', '));
const rows = [...knownVariables().values()].map(
  (variable) =>
    `| \`${variable.name}\` | ${readers(variable)} | ${setByUp(variable.name, undefined) ?? (variable.secret ? `\`--set ${variable.name}_FILE=…\`` : '')} |`,
);
const page = `# Configuration

Every service is configured by environment variables, read and checked once at its start; with a wrong one it ends with status 78 and a line for each. A secret can be given in a file instead: \`<NAME>_FILE\`.
\`docker-compose.yml\` shows them for containers. This page is what the services say of themselves (\`node tools/configuration-page.mjs\` writes it).

## With \`./windlass up\`

\`\`\`sh
./windlass up --set LCM_VNF_INSTANCES_PER_PROJECT=5 --set LOG_LEVEL=debug
./windlass up --config lab.conf                    # lines NAME=value, comments on lines that begin with #
WINDLASS_SET_LOG_LEVEL=debug ./windlass up --detach --json
\`\`\`

\`--set\` goes before \`--config\`, and \`--config\` before the environment. A relative path is relative to where the command was called, in a file to the file. A secret is given by \`<NAME>_FILE\`: \`--set\` takes none, since every user of a machine can read its command lines.
Nothing is started where a name is unknown (the nearest is named), where \`up\` sets the variable itself, or where a service would refuse the value: in its words, all of them at once. What differs from the defaults is printed and stands in \`--json\` (\`settings\`), secrets masked.
Of the environment \`LOG_LEVEL\`, \`VIM_ALLOW|DENY|ONLY\` and \`OUTBOUND_ALLOW|DENY|ONLY|PRIVATE\` are taken without the prefix, too; any other variable of this page gets a line that says how to give it.
\`up --lab\` adds loopback to \`OUTBOUND_ALLOW\` (callbacks) and to \`LCM_PACKAGE_HOSTS\`, and says so; what its Keystone and its package repository decide (\`LCM_KEYSTONE_*\`, \`LCM_PROJECT\`, \`KUBERNETES_APT_URL\`) can't be given beside it. \`demo\` takes \`--set\` and \`--config\` as \`up --lab\` does, without that loopback.

## Who reads what

| variable | read by | with \`up\` |
|---|---|---|
${rows.join('\n')}

${SERVICES.map(({ name }) => `## ${name}\n\n\`node apps/${name}/dist/main.js --help\`\n\n\`\`\`\n${help(name).trimEnd()}\n\`\`\`\n`).join('\n')}`;
writeFileSync(join(root, 'docs/configuration.md'), page);
