/** A VIM in the test's process, which answers with recordings of a real VIM, and as a test defines. For tests only. */
export { CountedLooks } from './counted-looks.js';
export { FakeVim } from './fake-vim.js';
export { HttpProxyServer } from './http-proxy-server.js';
export { INTERNAL, NET0, RECORDED_STACK, recordedVim } from './recorded-vim.js';
