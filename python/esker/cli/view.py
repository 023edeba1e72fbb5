"""esker view: shows datasets in the browser."""

from __future__ import annotations

import os
import threading
import webbrowser
from dataclasses import dataclass
from pathlib import Path

import click

import esker
from esker.cli.arguments import collected_in
from esker.cli.errors import as_exit_status
from esker.cli.progress import progress
from esker.writing.replacing import staged


@dataclass(frozen=True)
class ViewOptions:
    """Arguments of `esker view`."""

    paths: tuple[str, ...]
    browser: bool
    host: str
    port: int
    allow_host: tuple[str, ...]
    allow_origin: tuple[str, ...]
    zarr: bool
    save: Path | None
    overwrite: bool


@click.command(
    "view",
    epilog="""\b
    Examples:
      esker view run.idx
      esker view before.idx after.idx
      esker view https://example.org/runs/run.idx
      esker view run.idx --save page.html            # a page to send to others
      esker view run.idx --zarr                      # addresses for napari, neuroglancer, xarray
      esker view run.idx --no-browser --port 5006    # on a login node; on the laptop:
                                                     # ssh -L 5006:localhost:5006 login""",
)
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option(
    "--browser/--no-browser", default=True, help="Whether to open the browser.  [default: --browser]"
)
@click.option(
    "--port", type=click.IntRange(0, 65535), default=0, help="Port to listen at.  [default: a free one]"
)
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="Address to listen at; any other can be reached from the network, and is not encrypted.",
)
@click.option(
    "--allow-host",
    multiple=True,
    metavar="NAME",
    help="Exact further name by which browsers reach the server, such as that of a proxy; repeatable.",
)
@click.option(
    "--allow-origin",
    multiple=True,
    metavar="URL",
    help="Exact origin of other pages that may use the server, such as https://hub.example.org; repeatable.",
)
@click.option(
    "--zarr",
    is_flag=True,
    help="Also print the address of each field as an OME-Zarr image, for other viewers and xarray.",
)
@click.option(
    "--save",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="PAGE.html",
    help="Save a page that needs no server, with coarse samples of the last step, and end.",
)
@click.option("--overwrite", is_flag=True, help="Replace an existing page of --save.")
@collected_in(ViewOptions)
def view_command(options: ViewOptions) -> None:
    """Show the datasets at PATH... in the browser: maps and planes of their fields, at every step.

    Prints a link with a token; only those who have the link can look. Ends with Ctrl-C. Needs Bokeh:
    pip install 'esker[view]'
    """
    if options.save is not None:
        _save(options, options.save)
        return
    with as_exit_status():
        from esker.viewer.access.gate import is_loopback
        from esker.viewer.serving.loading import server_class

        datasets = [esker.open(path) for path in options.paths]
        server = server_class()(
            datasets,
            host=options.host,
            port=options.port,
            allow_hosts=options.allow_host,
            allow_origins=options.allow_origin,
        )
    if not is_loopback(options.host):
        click.echo(
            f"esker: warning: {options.host} can be reached from the network, and what is sent is not encrypted; "
            "an ssh tunnel to 127.0.0.1 is safer",
            err=True,
        )
    try:
        click.echo(server.url())
        if options.zarr:
            for number, field, url in server.zarr_urls():
                click.echo(f"{options.paths[number]}, {field}: {url}")
        click.echo("Press Ctrl-C to end.")
        if options.browser and _has_window():
            threading.Thread(target=webbrowser.open, args=(server.url(),), daemon=True).start()
        server.run()
    except KeyboardInterrupt:
        click.echo()


def _has_window() -> bool:
    """Whether there is a browser that leaves the terminal alone; those in the terminal would wait for this process."""
    try:
        return type(webbrowser.get()) is not webbrowser.GenericBrowser
    except webbrowser.Error:
        return False


def _save(options: ViewOptions, output: Path) -> None:
    """Writes the page and prints its name."""
    if output.suffix.lower() not in (".html", ".htm"):
        raise click.UsageError(f"{output}: unknown suffix {output.suffix!r}; expected .html")
    if os.path.lexists(output) and not options.overwrite:
        raise click.UsageError(f"{output} exists; choose another name or give --overwrite")
    with as_exit_status():
        from esker.viewer.serving.loading import server_class

        server_class()  # says what to install without Bokeh
        from esker.viewer.saved.standalone import standalone_html

        datasets = [esker.open(path) for path in options.paths]
        warnings: list[str] = []
        with progress(f"saving {output.name}") as update:
            page = standalone_html(datasets, update, warnings.append)
        with staged(output) as staging:
            staging.path.write_text(page, encoding="utf-8")
    for text in warnings:
        click.echo(f"esker: warning: {text}", err=True)
    click.echo(output)
