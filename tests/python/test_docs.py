"""The examples of the documentation run: docstrings, the guide's pages, the notebook."""

import doctest
import inspect
import os
from pathlib import Path

import nbclient
import nbformat
import pytest
from conftest import LIMIT
from numpydoc.docscrape import ClassDoc, FunctionDoc

import hdp_gpu
from hdp_gpu import HDP

TOP = Path(__file__).parents[2]


@pytest.mark.parametrize("module", [hdp_gpu, hdp_gpu._documents, hdp_gpu._estimator, hdp_gpu._shown, hdp_gpu._training])
def test_docstrings_run(module):
    results = doctest.testmod(module)
    assert results.attempted > 0 and results.failed == 0


METHODS = [
    name
    for name, method in inspect.getmembers(HDP, callable)
    if not name.startswith("_") and inspect.getmodule(method).__name__.startswith("hdp_gpu")
]


@pytest.mark.parametrize("name", METHODS)
def test_docstrings_have_every_parameter_what_is_raised_and_an_example(name):
    method = getattr(HDP, name)
    documented = FunctionDoc(method)
    parameters = {parameter.name.lstrip("*") for parameter in documented["Parameters"]}
    assert parameters == {parameter for parameter in inspect.signature(method).parameters if parameter != "self"}
    assert documented["Raises"] and any(name in line for line in documented["Examples"])


def test_the_estimator_s_parameters_are_documented():
    documented = [(entry.name, entry.type) for entry in ClassDoc(HDP)["Parameters"]]
    parameters = inspect.signature(HDP).parameters
    assert [name for name, _ in documented] == list(parameters)
    for name, described in documented:
        default = parameters[name].default
        assert described.endswith(f'default="{default}"' if isinstance(default, str) else f"default={default}"), name


def test_the_estimator_s_attributes_are_documented():
    documented = {name for entry in ClassDoc(HDP)["Attributes"] for name in entry.name.split(", ")}
    made = {name for name, _ in inspect.getmembers(HDP, lambda member: isinstance(member, property)) if not name.startswith("_")}
    assert documented == made | {"n_features_in_", "feature_names_in_"}


PAGES = [TOP / "python" / "README.md", *sorted((TOP / "docs" / "guide" / "python").glob("*.md"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: f"{page.parent.name}-{page.stem}")
def test_the_guide_s_pages_run(page, tmp_path, monkeypatch):
    """The Python blocks of a page, one after the other."""
    monkeypatch.chdir(tmp_path)
    blocks = page.read_text().split("```python\n")[1:]
    assert blocks
    names = {}
    for block in blocks:
        code = block.split("```")[0]
        exec(compile(code, str(page), "exec"), names)


def test_the_notebook_runs(tmp_path):
    notebook = nbformat.read(TOP / "python" / "examples" / "quick-start.ipynb", as_version=4)
    nbclient.NotebookClient(notebook, timeout=LIMIT, resources={"metadata": {"path": tmp_path}}).execute()
    shown = [out for cell in notebook.cells if cell.cell_type == "code" for out in cell.outputs]
    assert any("<polyline" in out.get("data", {}).get("text/html", "") for out in shown)
    assert os.listdir(tmp_path) != []
