export { checkVim, type CheckOptions } from './check-vim.js';
export { findingsOf, worstOf, type CheckStatus, type Finding } from './findings.js';
export * from './vim-needs.js';
