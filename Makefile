# Each target does its own set-up in .venv; needs Python 3.11 or newer and make.
PYTHON ?= python3
BIN := .venv/bin
ENV := HF_HUB_OFFLINE=1

.DEFAULT_GOAL := help
.PHONY: help main test test-all bad-input faults audit peers oracles ui dashboard bench bench-scoring bench-reading bench-answering bench-trial bench-evidence bench-growth lint clean

help:            ## this list
	@grep -E '^[a-z.-]+:.*## ' $(MAKEFILE_LIST) | sed 's/:[^#]*## /\t/' | expand -t 14

.venv: .venv/installed  ## the environment; made anew when pyproject.toml or constraints.txt change

.venv/installed: pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit("oodexp needs Python 3.11 or newer: make PYTHON=python3.11") if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[offline,dev]'
	@touch $@

main: .venv/installed  ## the main line on the embedded miniature
	$(ENV) $(BIN)/python -m oodexp.run experiment=main

test: .venv/installed  ## the tests, without those marked slow, gpu, oracle
	$(ENV) $(BIN)/python -m pytest -q

test-all: .venv/installed  ## the tests, slow ones too
	$(ENV) $(BIN)/python -m pytest -q -m 'not gpu and not oracle'

peers: .venv/installed  ## the tests with programs of others: PostgreSQL, MLflow, Optuna, gloo, transformers serve
	$(ENV) $(BIN)/python -m pytest -q -m slow -rs tests/peers

ORACLES := .oracles/lmms_eval/bin/python:.oracles/vlmevalkit/bin/python:.oracles/others/bin/python

bad-input: .venv/installed  ## thousands of inputs with mistakes, and what came of each kind (INPUTS=12000)
	$(ENV) $(BIN)/python -m tests.input.campaign --inputs $(or $(INPUTS),12000)

audit: .venv/installed  ## known vulnerabilities of what is installed; needs a network
	$(PYTHON) -m venv .oracles/audit
	.oracles/audit/bin/python -m pip install --quiet --disable-pip-version-check pip-audit
	.oracles/audit/bin/pip-audit --path $$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])')

oracles: .venv/installed .oracles/lmms_eval/installed .oracles/vlmevalkit/installed .oracles/others/installed .oracles/labels  ## compares with other packages, each in an environment of its own
	$(ENV) OODEXP_ORACLES=$(ORACLES) PYTHONPATH=.oracles/labels $(BIN)/python -m pytest -q -m oracle

# lmms-eval 0.7.3 imports what newer versions of filelock do not have.
.oracles/lmms_eval/installed: PACKAGES := lmms-eval==0.7.3 filelock==3.18.0
.oracles/vlmevalkit/installed: PACKAGES := nvidia-vlmeval==26.3
.oracles/others/installed: PACKAGES := torch-fidelity==0.4.0 pytorch-ood nuscenes-devkit cityscapesscripts

.oracles/%/installed: Makefile
	$(PYTHON) -m venv .oracles/$*
	.oracles/$*/bin/python -m pip install --quiet --disable-pip-version-check $(PACKAGES)
	@touch $@

# These are asked in the process of the tests, with its own NumPy.
.oracles/labels: Makefile
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --upgrade --target $@ \
	  pycocotools lvis opencv-python-headless
	@touch $@

ui: .venv/installed  ## MLflow on http://127.0.0.1:5000 (RUNS=mlruns PORT=5000)
	MLFLOW_DISABLE_TELEMETRY=true MLFLOW_SERVER_ENABLE_JOB_EXECUTION=false $(BIN)/mlflow ui \
	  --host 127.0.0.1 --port $(or $(PORT),5000) --workers 1 \
	  --backend-store-uri sqlite:///$(or $(RUNS),mlruns)/mlflow.db

dashboard: .venv/installed  ## optuna-dashboard on http://127.0.0.1:8080 (RUNS=mlruns PORT=8080)
	@test -x $(BIN)/optuna-dashboard || { echo "optuna-dashboard is not installed:" \
	  "$(BIN)/pip install -c constraints.txt -e '.[dashboard]'"; exit 1; }
	@test -e $(or $(RUNS),mlruns)/optuna/journal.log || { echo "no study was made yet in" \
	  "$(or $(RUNS),mlruns): run an experiment that searches, or give RUNS=DIR"; exit 1; }
	$(BIN)/optuna-dashboard --host 127.0.0.1 --port $(or $(PORT),8080) \
	  $(or $(RUNS),mlruns)/optuna/journal.log

faults: .venv/installed  ## runs hit at random moments, and what is left of them (TRIALS=205 SEED=0, 30 minutes)
	$(ENV) $(BIN)/python -m tests.faults.campaign --trials $(or $(TRIALS),205) --seed $(or $(SEED),0)

bench: .venv/installed  ## speed and memory of the main line
	$(ENV) $(BIN)/python -m benchmarks.main_line

bench-scoring: .venv/installed  ## scoring against clip_benchmark and a plain loop (25 minutes)
	$(ENV) $(BIN)/python -m benchmarks.scoring

bench-answering: .venv/installed  ## asking a local VLM against one `generate` a question
	$(ENV) $(BIN)/python -m benchmarks.answering

bench-trial: .venv/installed  ## one trial of an ablation: 100,000 pairs, 4 scorers, 4 VLMs
	$(ENV) $(BIN)/python -m benchmarks.trial

bench-evidence: .venv/installed  ## bootstrap, MMD and overlap against SciPy and plain loops
	$(ENV) $(BIN)/python -m benchmarks.evidence

bench-reading: .venv/installed  ## reading a 1.1 GB annotation file against json.load
	$(ENV) $(BIN)/python -m benchmarks.reading

bench-growth: .venv/installed  ## 10^4 to 10^6 questions: time, memory, overhead (15 minutes, 3 GB of disk)
	$(ENV) $(BIN)/python -m benchmarks.growth

lint: .venv/installed  ## style, types, and who may know whom
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

clean:           ## removes the environment and caches; runs stay
	rm -rf .venv build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache
