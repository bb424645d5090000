-- Runs inside Neovim: the plugin of editors/neovim against the real server. Prints what failed and leaves with 1, or leaves with 0.

local folder, binary = vim.env.VRAMLINT_PROJECT, vim.env.VRAMLINT_BINARY
local WAIT = 30000

local function check(holds, what, shown)
  if not holds then
    error(what .. (shown ~= nil and ': ' .. vim.inspect(shown) or ''), 0)
  end
end

local function codes(buffer)
  local found = {}
  for _, one in ipairs(vim.diagnostic.get(buffer)) do
    found[tostring(one.code or one.user_data.lsp.code)] = one
  end
  return found
end

-- Waits until the findings of a buffer are as they should be.
local function wait(buffer, what, holds)
  local came = vim.wait(WAIT, function()
    return holds(codes(buffer))
  end, 20)
  check(came, what, vim.diagnostic.get(buffer))
end

local function open(name)
  vim.cmd('edit ' .. vim.fn.fnameescape(folder .. '/' .. name))
  return vim.api.nvim_get_current_buf()
end

local function set_line(buffer, number, text)
  vim.api.nvim_buf_set_lines(buffer, number - 1, number, true, { text })
end

local function clients_of(buffer)
  local get = vim.lsp.get_clients or vim.lsp.get_active_clients
  if vim.lsp.get_clients then
    return get({ bufnr = buffer, name = 'vramlint' })
  end
  return vim.tbl_filter(function(client)
    return client.name == 'vramlint' and vim.lsp.buf_is_attached(buffer, client.id)
  end, get())
end

local function ask(buffer, method, params)
  local answers, why = vim.lsp.buf_request_sync(buffer, method, params, WAIT)
  check(answers, method .. ' was not answered', why)
  local _, answer = next(answers)
  check(answer and not answer.err, method .. ' failed', answer)
  return answer.result
end

local function at(buffer, line, column)
  return { textDocument = { uri = vim.uri_from_bufnr(buffer) }, position = { line = line - 1, character = column } }
end

local function run()
  require('vramlint').setup({ cmd = { binary, 'lsp' } })

  -- Findings of a run over four files, of which one is open.
  local train = open('train.yaml')
  wait(train, 'the claim and the number are found', function(found)
    return found['VL201'] and found['VL007']
  end)
  check(#clients_of(train) == 1, 'one client is attached', #clients_of(train))
  local claim = codes(train)['VL201']
  local line = vim.api.nvim_buf_get_lines(train, claim.lnum, claim.lnum + 1, true)[1]
  check(claim.lnum == 2, 'the claim is on line 3', claim.lnum)
  check(claim.message:find('2 × 8 × 8 = 128', 1, true), 'the claim is computed', claim.message)
  -- Letters of three bytes stand before it. Neovim 0.7 and 0.8 count characters of the protocol in bytes only when asked.
  check(line:sub(claim.col + 1, claim.end_col) == 'effective batch size = 64', 'the claim is underlined', line:sub(claim.col + 1, claim.end_col))

  -- Hover, as text.
  local hover = ask(train, 'textDocument/hover', at(train, 3, 3))
  check(hover and hover.contents, 'there is a hover', hover)
  local lines = vim.lsp.util.convert_input_to_markdown_lines(hover.contents)
  local text = table.concat(lines, '\n')
  check(text:find('gradient_accumulation_steps', 1, true), 'the hover names the key', text)
  for _, each in ipairs(lines) do
    check(vim.fn.strdisplaywidth(each) <= 200, 'the hover has no endless lines', each)
  end

  -- An edit of another file, unsaved: the finding goes, and comes back when it is undone.
  local accelerate = open('accelerate_config.yaml')
  set_line(accelerate, 5, 'num_processes: 4')
  wait(train, 'four processes make the claim true', function(found)
    return not found['VL201'] and found['VL007']
  end)
  set_line(accelerate, 5, 'num_processes: 2')
  wait(train, 'two processes make another claim false', function(found)
    return found['VL201'] and found['VL201'].message:find('2 × 8 × 2 = 32', 1, true)
  end)
  vim.cmd('silent undo')
  wait(train, 'undone, eight processes make it false again', function(found)
    return found['VL201'] and found['VL201'].message:find('2 × 8 × 8 = 128', 1, true)
  end)
  check(#clients_of(accelerate) == 1, 'the second buffer has the same client', #clients_of(accelerate))
  check(clients_of(accelerate)[1].id == clients_of(train)[1].id, 'the second buffer has the same client')

  -- A quick fix, applied.
  vim.cmd('buffer ' .. train)
  local number = codes(train)['VL007']
  local range = { start = { line = number.lnum, character = 0 }, ['end'] = { line = number.lnum, character = 0 } }
  local params = { textDocument = { uri = vim.uri_from_bufnr(train) }, range = range, context = { diagnostics = {} } }
  local actions = ask(train, 'textDocument/codeAction', params) or {}
  local titles = vim.tbl_map(function(action)
    return action.title
  end, actions)
  local fix = vim.tbl_filter(function(action)
    return action.kind == 'quickfix' and action.edit and action.isPreferred
  end, actions)[1]
  check(fix, 'there is a preferred quick fix', titles)
  local client = clients_of(train)[1]
  vim.lsp.util.apply_workspace_edit(fix.edit, client.offset_encoding or 'utf-16')
  wait(train, 'the fix repairs', function(found)
    return not found['VL007']
  end)
  local fixed = vim.api.nvim_buf_get_lines(train, 3, 4, true)[1]
  check(fixed:find('^learning_rate: 2%.0e%-0?5  +# 学习率$'), 'the number has a dot', fixed)

  -- The server goes with the editor.
  client.stop()
  check(
    vim.wait(5000, function()
      return client.is_stopped()
    end, 20),
    'the server leaves'
  )
end

local fine, why = pcall(run)
if fine then
  io.stdout:write('Neovim ' .. tostring(vim.version().major) .. '.' .. vim.version().minor .. '.' .. vim.version().patch .. ': findings, hover, edits across files and a quick fix\n')
  vim.cmd('qall!')
else
  io.stdout:write('wrong: ' .. tostring(why) .. '\n')
  vim.cmd('cquit 1')
end
