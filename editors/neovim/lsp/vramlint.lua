-- For those who only want `vim.lsp.enable('vramlint')` (Neovim 0.11 and later).
local vramlint = require('vramlint')

return {
  cmd = { 'vramlint', 'lsp' },
  filetypes = vramlint.filetypes,
  root_markers = vramlint.root_markers,
}
