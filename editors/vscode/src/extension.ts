// Starts `jaxlint lsp` and connects it with VS Code; all else is the server's business.

import * as vscode from "vscode";
import { LanguageClient, type LanguageClientOptions, type ServerOptions } from "vscode-languageclient/node";

let client: LanguageClient | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const output = vscode.window.createOutputChannel("jaxlint", { log: true });
  context.subscriptions.push(
    output,
    vscode.commands.registerCommand("jaxlint.restart", () => restart(output)),
    vscode.commands.registerCommand("jaxlint.showLog", () => output.show()),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration("jaxlint.path")) {
        void restart(output);
      }
    }),
  );
  const python = await pythonExtension();
  const changed: vscode.Event<unknown> | undefined = python?.environments?.onDidChangeActiveEnvironmentPath;
  if (changed) {
    context.subscriptions.push(changed(() => restart(output)));
  }
  await restart(output);
}

export async function deactivate(): Promise<void> {
  await client?.stop();
}

let pending: Promise<void> = Promise.resolve();

/** Start the server, or end it and start it anew; one after the other where there are several reasons for it. */
function restart(output: vscode.LogOutputChannel): Promise<void> {
  pending = pending.then(() => restarted(output));
  return pending;
}

async function restarted(output: vscode.LogOutputChannel): Promise<void> {
  await client?.dispose().catch((error: unknown) => output.warn(String(error)));
  const [command, ...args] = await serverCommand();
  const serverOptions: ServerOptions = { command, args: [...args, "lsp"] };
  const clientOptions: LanguageClientOptions = {
    documentSelector: [
      { scheme: "file", language: "python" },
      { scheme: "untitled", language: "python" },
      { notebook: "jupyter-notebook", language: "python" },
    ],
    outputChannel: output,
  };
  client = new LanguageClient("jaxlint", "jaxlint", serverOptions, clientOptions);
  try {
    await client.start();
  } catch (error) {
    const answer = await vscode.window.showErrorMessage(
      `jaxlint did not start (${[command, ...args].join(" ")}): ${String(error)}. ` +
        "Install it with `pip install flake8-jaxlint[lsp]`, or set `jaxlint.path`.",
      "Open settings",
    );
    if (answer) {
      await vscode.commands.executeCommand("workbench.action.openSettings", "jaxlint.path");
    }
  }
}

/** What was configured, else the interpreter that is selected, else what is on the path. */
async function serverCommand(): Promise<string[]> {
  const configured = vscode.workspace.getConfiguration("jaxlint").get<string[]>("path", []);
  if (configured.length > 0) {
    return configured;
  }
  const python = await pythonExtension();
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const interpreter: string | undefined = python?.environments?.getActiveEnvironmentPath(folder)?.path;
  // Without -P, Python would import a `jaxlint.py` of the workspace.
  return interpreter ? [interpreter, "-P", "-m", "jaxlint"] : ["jaxlint"];
}

// The interface of the Python extension, of which two functions are used.
interface PythonExtension {
  environments?: {
    getActiveEnvironmentPath(resource?: vscode.Uri): { path: string } | undefined;
    onDidChangeActiveEnvironmentPath: vscode.Event<unknown>;
  };
}

async function pythonExtension(): Promise<PythonExtension | undefined> {
  return (await vscode.extensions.getExtension<PythonExtension>("ms-python.python")?.activate()) ?? undefined;
}
