import { CheapServer } from './cheap-server.js';
import type { CheapVimSays } from './cheap-vim-process.js';

/** The cheap VIM as a process of its own, ended by whoever started it, or with it. */
const server = await CheapServer.start(Number(process.argv[2] ?? 0));
const say = (what: CheapVimSays): void => void process.send?.(what);

process.on('message', () => say({ requests: server.taken() }));
process.on('disconnect', () => process.exit(0));
// A Ctrl-C at the terminal is for the bench, which ends us when it has cleaned up.
process.on('SIGINT', () => undefined);
say({ url: server.url, tenant: server.vim.tenant });
