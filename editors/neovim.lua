-- Started by tests/editors.py in headless Neovim: shows what the server finds in the buffer, and applies its fix.

local client = vim.lsp.start_client({
  name = "jaxlint",
  cmd = { "jaxlint", "lsp" },
  root_dir = vim.fn.getcwd(),
  settings = { jaxlint = {} },
})
vim.lsp.buf_attach_client(0, client)
vim.wait(120000, function() return #vim.diagnostic.get(0) > 0 end, 100)
for _, found in ipairs(vim.diagnostic.get(0)) do
  io.stdout:write(string.format("found %d:%d %s\n", found.lnum + 1, found.col + 1, found.message))
  vim.api.nvim_win_set_cursor(0, { found.lnum + 1, found.col })
end

local params = vim.lsp.util.make_range_params()
params.context = { diagnostics = vim.lsp.diagnostic.get_line_diagnostics(0), only = { "quickfix" } }
for _, answer in pairs(vim.lsp.buf_request_sync(0, "textDocument/codeAction", params, 120000)) do
  for _, action in ipairs(answer.result) do
    if action.isPreferred then
      if not action.edit then
        for _, resolved in pairs(vim.lsp.buf_request_sync(0, "codeAction/resolve", action, 120000)) do
          action = resolved.result
        end
      end
      vim.lsp.util.apply_workspace_edit(action.edit, vim.lsp.get_client_by_id(client).offset_encoding)
    end
  end
end
vim.cmd("write!")
vim.cmd("qa!")
