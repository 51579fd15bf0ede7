import type { RiskKind } from './risk.ts'

/**
 * Paths by the program that reads them. The first matching row names the kind; case is ignored, as on some file
 * systems.
 */
export const places: readonly (readonly [RiskKind, RegExp, string])[] = [
  ['hook', /(^|\/)(\.husky|\.githooks|\.lefthook|git-?hooks)\//i, 'git runs it as a hook'],
  [
    'hook',
    /(^|\/)(lefthook(-local)?|\.lefthook|\.pre-commit-config|\.pre-commit-hooks|\.overcommit)\.(ya?ml|toml|json)$/i,
    'it configures the hooks that git runs',
  ],
  [
    'hook',
    /(^|\/)(\.lintstagedrc[^/]*|lint-staged\.config\.[^/]+|\.huskyrc[^/]*|simple-git-hooks[^/]*)$/i,
    'it configures what runs on a commit',
  ],
  ['hook', /(^|\/)\.gitattributes$/i, 'it changes how git reads, merges and shows files'],
  ['hook', /(^|\/)\.gitmodules$/i, 'it sets where submodules are fetched from'],
  ['hook', /(^|\/)\.git(config|ignore)?$|(^|\/)\.git\//i, 'git itself reads it'],
  [
    'ci',
    /(^|\/)\.(github|gitlab|circleci|buildkite|woodpecker|drone|forgejo|gitea|ci)\//i,
    'it runs on the CI servers',
  ],
  [
    'ci',
    /(^|\/)(\.gitlab-ci|\.travis|\.drone|\.woodpecker|\.cirrus|\.appveyor|appveyor|azure-pipelines|bitbucket-pipelines|cloudbuild)[^/]*\.ya?ml$/i,
    'it runs on the CI servers',
  ],
  [
    'ci',
    /(^|\/)(jenkinsfile[^/]*|\.ci[^/]*|codecov\.ya?ml|renovate\.json5?|dependabot\.ya?ml)$/i,
    'it runs on the CI servers',
  ],
  [
    'instructions',
    /(^|\/)(claude|agents|gemini|qwen|copilot-instructions|codex|opencode|crush|warp|goose)(\.local|\.override)?\.md$/i,
    'agents read it as instructions',
  ],
  [
    'instructions',
    /(^|\/)(\.claude|\.codex|\.gemini|\.qwen|\.cursor|\.aiswarm|\.opencode|\.continue|\.windsurf|\.roo|\.kiro|\.goose)(\/|$)/i,
    'it sets the instructions or permissions of agents',
  ],
  [
    'instructions',
    /(^|\/)(\.mcp\.json|\.cursorrules|\.cursorignore|\.windsurfrules|\.clinerules[^/]*|\.aider[^/]*|\.goosehints|opencode\.jsonc?|\.worktreeinclude)$/i,
    'it sets the instructions or permissions of agents',
  ],
  ['lockfile', /(^|\/)(package-lock|npm-shrinkwrap|composer)\.(json|lock)$/i, 'it pins what is installed'],
  [
    'lockfile',
    /(^|\/)(yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|cargo\.lock|go\.sum|poetry\.lock|pdm\.lock|uv\.lock|pipfile\.lock|gemfile\.lock|flake\.lock|deno\.lock|gradle\.lockfile|mix\.lock|pubspec\.lock|podfile\.lock|package\.resolved|packages\.lock\.json|conan\.lock)$/i,
    'it pins what is installed',
  ],
  ['configuration', /(^|\/)\.env[^/]*$/i, 'it sets environment variables, often secrets'],
  [
    'configuration',
    /(^|\/)(\.npmrc|\.yarnrc[^/]*|\.pypirc|\.netrc|pip\.conf|\.cargo\/config[^/]*)$/i,
    'it sets where packages come from',
  ],
  [
    'configuration',
    /(^|\/)(dockerfile[^/]*|containerfile[^/]*|(docker-)?compose[^/]*\.ya?ml|makefile|justfile|taskfile\.ya?ml|procfile|vagrantfile|rakefile|cmakelists\.txt|build\.rs|setup\.py)$/i,
    'it defines what is run or built',
  ],
  [
    'configuration',
    /(^|\/)(package\.json|pyproject\.toml|cargo\.toml|go\.(mod|work)|pom\.xml|build\.gradle[^/]*|settings\.gradle[^/]*|gemfile|composer\.json|requirements[^/]*\.txt|pipfile|setup\.cfg|deno\.jsonc?|mix\.exs|pubspec\.yaml)$/i,
    'it defines the dependencies and the build',
  ],
  [
    'configuration',
    /(^|\/)([^/]+\.config\.[cm]?[jt]sx?|[tj]sconfig[^/]*\.json|\.[^/]+rc(\.[^/]+)?|\.editorconfig|\.tool-versions|\.nvmrc|\.node-version|\.python-version)$/i,
    'it is a configuration file',
  ],
  [
    'configuration',
    /\.(toml|ini|cfg|conf|properties|tf|tfvars|ya?ml)$|(^|\/)(config|conf|settings)\//i,
    'it is a configuration file',
  ],
]
