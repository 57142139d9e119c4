"""What an approved plan may run without further questions.

Owns: from the words of a plan ("run the tests") to the commands that they stand for.
Does not own: when such a grant counts (``decide``): never for what is dangerous or protected.
See also: design 05 §10.3, whose static table this is. Words that are not in it grant nothing.
"""

import re
from functools import lru_cache

from pilotfish.core.permission import PermissionRule

_TESTS = (
    "pytest:*", "python -m pytest:*", "python3 -m pytest:*", "python -m unittest:*",
    "python3 -m unittest:*", "tox:*", "nox:*", "uv run pytest:*", "poetry run pytest:*",
    "npm test:*", "npm run test:*", "npm t:*", "pnpm test:*", "pnpm run test:*", "yarn test:*",
    "yarn run test:*", "bun test:*", "npx vitest:*", "npx jest:*", "vitest:*", "jest:*",
    "node --test:*", "go test:*", "cargo test:*", "cargo nextest run:*", "mvn test:*",
    "gradle test:*", "./gradlew test:*", "dotnet test:*", "ctest:*", "make test", "make check",
    "rspec:*", "bundle exec rspec:*", "rake test:*", "phpunit:*", "swift test:*", "mix test:*",
)  # fmt: skip
_INSTALL = (
    # What the project declares; another package is another question.
    "npm install", "npm i", "npm ci:*", "pnpm install", "pnpm i", "yarn", "yarn install",
    "bun install", "pip install -r:*", "pip3 install -r:*", "python -m pip install -r:*",
    "python3 -m pip install -r:*", "pip install -e .", "uv sync:*", "poetry install:*",
    "pipenv install", "bundle install:*", "go mod download:*", "go mod tidy", "cargo fetch:*",
    "composer install:*", "dotnet restore:*",
)  # fmt: skip
_BUILD = (
    "npm run build:*", "pnpm build:*", "pnpm run build:*", "yarn build:*", "yarn run build:*",
    "bun run build:*", "make", "make build", "make all", "cmake --build:*", "ninja:*",
    "go build:*", "cargo build:*", "mvn compile:*", "mvn package:*", "gradle build:*",
    "./gradlew build:*", "dotnet build:*", "python -m build:*", "python3 -m build:*",
    "uv build:*", "poetry build:*", "swift build:*", "tsc:*", "npx tsc:*",
)  # fmt: skip
_LINT = (
    "ruff:*", "black:*", "isort:*", "flake8:*", "pylint:*", "eslint:*", "npx eslint:*",
    "prettier:*", "npx prettier:*", "npx biome:*", "biome:*", "npm run lint:*",
    "npm run format:*", "pnpm lint:*", "pnpm run lint:*", "pnpm format:*", "pnpm run format:*",
    "yarn lint:*", "yarn format:*", "gofmt:*", "go fmt:*", "go vet:*", "golangci-lint run:*",
    "cargo fmt:*", "cargo clippy:*", "rubocop:*", "make lint", "make format", "clang-format:*",
    "dotnet format:*",
)  # fmt: skip
_TYPES = (
    "mypy:*", "pyright:*", "basedpyright:*", "ty check:*", "pyrefly check:*", "tsc:*",
    "npx tsc:*", "npm run typecheck:*", "npm run type-check:*", "pnpm typecheck:*",
    "pnpm run typecheck:*", "yarn typecheck:*", "cargo check:*", "go vet:*", "make typecheck",
)  # fmt: skip
_SERVER = (
    "npm start", "npm run start:*", "npm run dev:*", "npm run serve:*", "pnpm dev:*",
    "pnpm run dev:*", "pnpm start", "yarn dev:*", "yarn start", "bun run dev:*", "npx vite:*",
    "vite:*", "flask run:*", "python manage.py runserver:*", "python3 manage.py runserver:*",
    "rails server:*", "bin/rails server:*", "make run", "make serve",
)  # fmt: skip
_COMMIT = ("git add:*", "git commit:*")

_TABLE: tuple[tuple[re.Pattern[str], tuple[str, ...]], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), commands)
    for pattern, commands in (
        (
            r"^(re-?)?(run|execute|start)\b.*\btests?\b|^((unit|e2e|end-to-end|integration|all) )?tests?( suite)?$",
            _TESTS,
        ),
        (r"^install\w*\b.*\b(dependenc(y|ies)|requirements)\b", _INSTALL),
        (r"^((run|execute|do) )?(the |a )?(build|compile)(ing)?\b", _BUILD),
        (r"\b(lint|format)(s|er|ers|ting|ing|ter|ters)?\b", _LINT),
        (r"\btype[\s-]?check(s|er|ers|ing)?\b|\bcheck (the )?types\b", _TYPES),
        (r"^(start|run|launch)\b.*\b(dev|development|local)\b.*\bserver\b", _SERVER),
        (r"^((make|create) a )?(git )?commit\b", _COMMIT),
    )
)

_TOO_MUCH = re.compile(
    r"\b(any|anything|everything|whatever|arbitrary|all commands|deploy\w*|publish\w*|push\w*|"
    r"delet\w*|remov\w*|drop\w*|sudo|production)\b|without",
    re.IGNORECASE,
)
"""Words that make a description mean more than its row of the table."""


@lru_cache(maxsize=256)
def rules_for(prompt: str) -> tuple[PermissionRule, ...]:
    """Return the commands that a description stands for, as rules; none when it is not understood."""
    text = prompt.strip()
    if _TOO_MUCH.search(text):
        return ()
    found = dict.fromkeys(
        command for pattern, commands in _TABLE if pattern.search(text) for command in commands
    )
    return tuple(
        PermissionRule(source="session", behavior="allow", tool="Bash", content=command)
        for command in found
    )
