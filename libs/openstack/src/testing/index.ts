/** A VIM in the test's process: it answers what was recorded of a real one, and what a test says. Not for a product's use. */
export { FakeVim } from './fake-vim.js';
export { HttpProxyServer } from './http-proxy-server.js';
export { INTERNAL, NET0, RECORDED_STACK, recordedVim } from './recorded-vim.js';
