"""Workflows of GitHub: jobs, steps, environment, matrix."""

from texts.make import at, repeat, table

PATH = ".github/workflows/train.yml"
HEAD = "on: push\njobs:\n"
JOB = HEAD + "  a:\n    runs-on: x\n    steps:\n"

TEXTS = table(
    {
        "jobs": ("  j{i}:\n    runs-on: x\n    steps:\n      - run: accelerate launch train.py\n", HEAD),
        "steps": ("      - run: accelerate launch train.py --a {i}\n", JOB),
        "steps over lines": ("      - run: |\n          pip install a{i}\n          python train.py\n", JOB),
        "one step": ("          python train.py --a {i}\n", JOB + "      - run: |\n"),
        "one step of YAML": ("          k{i}: 1\n", JOB + "      - run: |\n          cat > a.yaml <<EOF\n", "          EOF\n"),
        "steps with uses": ("      - uses: a/b@v{i}\n", JOB),
        "names": ("      - name: a{i}\n        run: python train.py\n", JOB),
        "environment": ("  A{i}: 1\n", "on: push\nenv:\n", "jobs:\n  a:\n    steps:\n      - run: python train.py $A1\n"),
        "environment of each step": ("      - run: python train.py\n        env:\n          A{i}: 1\n", JOB),
        "environment of expressions": ("  A{i}: ${{ env.A }}\n", "on: push\nenv:\n", "jobs: {}\n"),
        "expressions": ("      - run: echo ${{ matrix.a }} {i}\n", JOB),
        "expressions not closed": ("      - run: echo ${{ a\n", JOB),
        "expressions in one": ("${{ a }} ", JOB + "      - run: echo ", "\n"),
        "matrix": ("          - {i}\n", HEAD + "  a:\n    strategy:\n      matrix:\n        a:\n", "    steps:\n      - run: python train.py ${{ matrix.a }}\n"),
        "shells": ("      - run: python train.py\n        shell: pwsh\n", JOB),
        "conditions": ("      - run: python train.py\n        if: ${{ a == {i} }}\n", JOB),
        "folders": ("      - run: python train.py\n        working-directory: d{i}\n", JOB),
        "folded": ("      - run: >\n          python train.py\n          --a {i}\n", JOB),
        "quoted": ("      - run: \"python train.py --a {i}\"\n", JOB),
        "anchors": ("      - &a{i}\n        run: python train.py\n      - *a{i}\n", JOB),
        "jobs in flow": ("j{i}: {steps: [{run: python train.py}]}, ", "jobs: {", "}\n"),
        "GitLab jobs": at(".gitlab-ci.yml", repeat("j{i}:\n  script:\n    - python train.py\n")),
        "GitLab, one script": at(".gitlab-ci.yml", repeat("    - accelerate launch train.py --a {i}\n", "j:\n  script:\n")),
        "GitLab extends": at(".gitlab-ci.yml", lambda size: "".join(f".j{i + 1}:\n  extends: .j{i}\n  script: [a]\n" for i in range(size // 40))),
        "Compose services": at("docker-compose.yml", repeat("  s{i}:\n    image: a\n    command: python train.py\n", "services:\n")),
        "Compose, environment": at("docker-compose.yml", repeat("      A{i}: 1\n", "services:\n  s:\n    command: python train.py\n    environment:\n")),
        "Kubernetes, arguments": at("job.yaml", repeat("        - --a{i}\n", "apiVersion: batch/v1\nkind: Job\nspec:\n  template:\n    spec:\n      containers:\n      - command: [python, train.py]\n        args:\n")),
        "SkyPilot": at("sky.yaml", repeat("  python train.py --a {i}\n", "resources: {accelerators: A100:8}\nrun: |\n")),
    }
)
