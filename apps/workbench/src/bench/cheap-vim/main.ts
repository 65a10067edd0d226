import { CheapServer } from './cheap-server.js';
import type { CheapVimSays } from './cheap-vim-process.js';

/** The cheap VIM as a process of its own, ended by whoever started it, or with it. */
const server = await CheapServer.start(Number(process.argv[2] ?? 0));
const say = (what: CheapVimSays): void => void process.send?.(what);

process.on('message', () => say({ requests: server.taken() }));
process.on('disconnect', () => process.exit(0));
// What is sent to all of the bench's group, by Ctrl-C or timeout(1), is for the bench, which ends us when it has cleaned up.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
say({ url: server.url, tenant: server.vim.tenant });
