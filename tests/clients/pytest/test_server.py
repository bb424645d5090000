"""The real binary, driven by pytest-lsp: a client that somebody else wrote, with types that somebody else wrote."""

import asyncio
import os
import pathlib
import signal
import subprocess
import time

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities

BINARY = os.environ["VRAMLINT"]

LAUNCH = "accelerate launch --config_file acc.yaml --num_processes 4 train.py\n"
CONFIG = "compute_environment: LOCAL_MACHINE\ndistributed_type: MULTI_GPU\n# 显存 🚀\nnum_processes: 2\n"
SCRIPT = "import torch\n"


@pytest.fixture
def project(tmp_path):
    for name, text in ("run.sh", LAUNCH), ("acc.yaml", CONFIG), ("train.py", SCRIPT):
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest_lsp.fixture(config=ClientServerConfig(server_command=[BINARY, "lsp", "--stdio"]))
async def client(lsp_client: LanguageClient, project):
    # What the library leaves to its user, and would otherwise take for a failure of the test.
    for name in (
        types.CLIENT_REGISTER_CAPABILITY,
        types.WORKSPACE_CODE_LENS_REFRESH,
        types.WORKSPACE_INLAY_HINT_REFRESH,
    ):
        lsp_client.feature(name)(lambda *_: None)

    lsp_client.project = project
    await lsp_client.initialize_session(
        types.InitializeParams(
            capabilities=client_capabilities("visual-studio-code"),
            workspace_folders=[types.WorkspaceFolder(uri=project.as_uri(), name="project")],
        )
    )
    yield
    await lsp_client.shutdown_session()


def open_file(client, name, language, text=None):
    path = client.project / name
    item = types.TextDocumentItem(uri=path.as_uri(), language_id=language, version=1, text=text or path.read_text())
    client.text_document_did_open(types.DidOpenTextDocumentParams(text_document=item))
    return path.as_uri()


async def settled(client):
    await asyncio.wait_for(client.protocol.send_request_async("vramlint/settled", {}), 60)


def pulls(client):
    """Whether the capabilities that the library gives make it a client that asks for findings."""
    return client.capabilities.text_document.diagnostic is not None


async def findings(client, uri):
    await settled(client)
    if not pulls(client):
        return client.diagnostics.get(uri, [])
    params = types.DocumentDiagnosticParams(text_document=types.TextDocumentIdentifier(uri=uri))
    return (await client.text_document_diagnostic_async(params)).items


@pytest.mark.asyncio
async def test_a_finding_follows_an_edit_of_another_file(client):
    config = open_file(client, "acc.yaml", "yaml")
    launch = open_file(client, "run.sh", "shellscript")
    found = await findings(client, config)
    assert [one.code for one in found] == ["VL180"]
    assert found[0].range.start == types.Position(line=3, character=15)
    assert found[0].related_information[0].location.uri == launch
    start = LAUNCH.index(" --num_processes")
    change = types.TextDocumentContentChangePartial(
        range=types.Range(types.Position(0, start), types.Position(0, start + len(" --num_processes 4"))), text=""
    )
    client.text_document_did_change(
        types.DidChangeTextDocumentParams(
            text_document=types.VersionedTextDocumentIdentifier(uri=launch, version=2), content_changes=[change]
        )
    )
    assert [one.code for one in await findings(client, config)] == []


@pytest.mark.asyncio
async def test_every_request_is_answered_in_its_type(client):
    config = open_file(client, "acc.yaml", "yaml")
    await settled(client)
    document = types.TextDocumentIdentifier(uri=config)
    place = types.Position(line=3, character=4)
    everywhere = types.Range(types.Position(0, 0), types.Position(99, 0))
    # The library refuses what does not fit its types.
    await client.text_document_hover_async(types.HoverParams(document, place))
    await client.text_document_completion_async(types.CompletionParams(document, place))
    await client.text_document_definition_async(types.DefinitionParams(document, place))
    await client.text_document_references_async(types.ReferenceParams(types.ReferenceContext(True), document, place))
    await client.text_document_inlay_hint_async(types.InlayHintParams(document, everywhere))
    await client.text_document_code_lens_async(types.CodeLensParams(document))
    await client.text_document_document_link_async(types.DocumentLinkParams(document))
    await client.text_document_document_symbol_async(types.DocumentSymbolParams(document))
    await client.text_document_code_action_async(
        types.CodeActionParams(document, everywhere, types.CodeActionContext(diagnostics=[]))
    )


@pytest.mark.asyncio
async def test_a_run_is_shown(client):
    config = open_file(client, "acc.yaml", "yaml")
    await settled(client)
    params = types.ExecuteCommandParams(command="vramlint.run", arguments=[{"uri": config, "run": "run.sh#1"}])
    shown = await client.workspace_execute_command_async(params)
    text = shown["text"] if isinstance(shown, dict) else shown.text
    assert "num_processes" in text and "run.sh#1" in text


def message(body):
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


INITIALIZE = b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"processId":null,"rootUri":"%s","capabilities":{}}}'


def started(folder):
    """The server, in the middle of its first analysis: 400 scripts."""
    for number in range(400):
        (folder / f"module_{number}.py").write_text("import torch\n" + f"def f(x):\n    return torch.zeros(x, {number})\n" * 50)
    process = subprocess.Popen([BINARY, "lsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    process.stdin.write(message(INITIALIZE % folder.as_uri().encode()))
    process.stdin.flush()
    assert process.stdout.readline().startswith(b"Content-Length")
    return process


def ends(process, code):
    """Waits a second: what a user notices of a server that stays is a process too many."""
    try:
        assert process.wait(timeout=1) == code
    finally:
        process.kill()


def test_it_ends_with_exit(project):
    process = started(project)
    process.stdin.write(message(b'{"jsonrpc":"2.0","id":2,"method":"shutdown"}') + message(b'{"jsonrpc":"2.0","method":"exit"}'))
    process.stdin.flush()
    ends(process, 0)


def test_it_ends_with_exit_out_of_order(project):
    process = started(project)
    process.stdin.write(message(b'{"jsonrpc":"2.0","method":"exit"}'))
    process.stdin.flush()
    ends(process, 1)


def test_it_ends_with_the_pipe(project):
    process = started(project)
    process.stdin.close()
    ends(process, 1)
