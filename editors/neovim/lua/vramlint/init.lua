--- vramlint in Neovim: starts `vramlint lsp` where there is something to check.
--- Works on Neovim 0.11 and later through `vim.lsp.config`, on 0.8 to 0.10 through `vim.lsp.start`, and on 0.7 through `vim.lsp.start_client`.

local M = {}

--- File types that hold what a training is made of. Neovim tells them apart by name: `sbatch` scripts are `sh`.
M.filetypes = { 'yaml', 'json', 'jsonc', 'python', 'sh', 'bash', 'zsh', 'ps1', 'dosbatch', 'make', 'dockerfile', 'markdown' }

--- The first of these above a file is the root of its project.
M.root_markers = { 'vramlint.toml', '.git', 'pyproject.toml' }

--- What `setup` takes, with its defaults.
M.options = {
  --- The command; the server speaks over standard input and output.
  cmd = { 'vramlint', 'lsp' },
  filetypes = M.filetypes,
  --- The settings of the server, see README.md.
  settings = {},
  --- Called with (client, buffer number) once a buffer is attached.
  on_attach = nil,
  capabilities = nil,
}

local function root_of(buffer)
  local name = vim.api.nvim_buf_get_name(buffer)
  local folder = name == '' and vim.fn.getcwd() or vim.fn.fnamemodify(name, ':p:h')
  for _, marker in ipairs(M.root_markers) do
    local at = folder
    while true do
      if vim.fn.isdirectory(at .. '/' .. marker) == 1 or vim.fn.filereadable(at .. '/' .. marker) == 1 then
        return at
      end
      local above = vim.fn.fnamemodify(at, ':h')
      if above == at then
        break
      end
      at = above
    end
  end
  return folder
end

--- The configuration of a client whose project lies at `root`.
local function client_config(root)
  local settings = { vramlint = M.options.settings }
  return {
    name = 'vramlint',
    cmd = M.options.cmd,
    root_dir = root,
    workspace_folders = { { uri = vim.uri_from_fname(root), name = root } },
    settings = settings,
    init_options = M.options.settings,
    capabilities = M.options.capabilities or vim.lsp.protocol.make_client_capabilities(),
    on_attach = M.options.on_attach,
    -- The server is quick; Neovim waits 150 ms before it tells of an edit otherwise.
    flags = { debounce_text_changes = 20 },
    get_language_id = function(_, filetype)
      return filetype
    end,
  }
end

local clients = {}

--- Attaches a buffer to the server of its project, which is started for the first one.
function M.attach(buffer)
  buffer = (buffer == nil or buffer == 0) and vim.api.nvim_get_current_buf() or buffer
  if vim.bo[buffer].buftype ~= '' then
    return nil
  end
  local root = root_of(buffer)
  if vim.lsp.start then
    -- 0.8 knows only the current buffer.
    return vim.api.nvim_buf_call(buffer, function()
      return vim.lsp.start(client_config(root))
    end)
  end
  -- Before 0.8 nobody remembers which clients there are.
  local id = clients[root]
  if id == nil or vim.lsp.get_client_by_id(id) == nil or vim.lsp.get_client_by_id(id).is_stopped() then
    id = vim.lsp.start_client(client_config(root))
    clients[root] = id
  end
  if id then
    vim.lsp.buf_attach_client(buffer, id)
  end
  return id
end

--- Switches vramlint on for every buffer of its file types.
function M.setup(options)
  M.options = vim.tbl_deep_extend('force', M.options, options or {})
  if vim.lsp.config and vim.lsp.enable then
    vim.lsp.config('vramlint', {
      cmd = M.options.cmd,
      filetypes = M.options.filetypes,
      root_markers = M.root_markers,
      settings = { vramlint = M.options.settings },
      init_options = M.options.settings,
      capabilities = M.options.capabilities,
      on_attach = M.options.on_attach,
    })
    vim.lsp.enable('vramlint')
    return
  end
  local group = vim.api.nvim_create_augroup('vramlint', { clear = true })
  vim.api.nvim_create_autocmd('FileType', {
    group = group,
    pattern = M.options.filetypes,
    callback = function(event)
      M.attach(event.buf)
    end,
  })
  -- Buffers that were open before.
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(buffer) and vim.tbl_contains(M.options.filetypes, vim.bo[buffer].filetype) then
      M.attach(buffer)
    end
  end
end

return M
