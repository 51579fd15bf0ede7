import type { RiskKind } from './risk.ts'

// Files that programs obey: an approval is bypassed most easily by a file at which no person looks. One table, by pattern, with the
// program and what it does; the review and its documentation are made of it.

interface ObeyedFiles {
  readonly kind: RiskKind
  /** The program that obeys, and what it does with the file: together a sentence without its full stop. */
  readonly program: string
  readonly does: string
  /** Globs of git (`**` matches any folders, `{a,b}` one of two), in which upper and lower case are one. */
  readonly patterns: readonly string[]
}

/** The row that a path belongs to, if a program obeys it. The first that matches. */
export const obeyedBy = (path: string): ObeyedFiles | undefined => {
  const name = folded(path)
  return compiled.find(({ matches }) => matches.test(name))?.row
}

/**
 * A path as file systems compare it that ignore case or compose letters: without characters that they ignore, and with
 * letters that have the same capital as one.
 */
export const folded = (path: string): string =>
  path.normalize('NFKC').replace(ignored, '').toUpperCase().toLowerCase().normalize('NFKC')

const ignored = /[\u200c-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g

/** A name in any folder. */
const anywhere = (...names: readonly string[]): readonly string[] => names.map((name) => `**/${name}`)

/** The gravest first, and the particular before the general. */
export const obeyedFiles: readonly ObeyedFiles[] = [
  {
    kind: 'hook',
    program: 'git',
    does: 'runs it as a hook, as you',
    patterns: anywhere('.husky/**', '{.githooks,githooks,git-hooks}/**', '.lefthook/**', '.overcommit/**'),
  },
  {
    kind: 'hook',
    program: 'a manager of git hooks',
    does: 'takes from it the commands that git runs as you',
    patterns: anywhere(
      ...['{lefthook,.lefthook}{,-local}.{yml,yaml,toml,json}', '.pre-commit-{config,hooks}.{yml,yaml}'],
      ...['.overcommit.yml', '.simple-git-hooks*', 'simple-git-hooks*', '.huskyrc*', 'husky.config.*'],
      ...[
        '.lintstagedrc*',
        'lint-staged.config.*',
        '.commitlintrc*',
        'commitlint.config.*',
        '{.,}hk.pkl',
        '.rusty-hook.toml',
      ],
    ),
  },
  {
    kind: 'hook',
    program: 'git',
    does: 'reads from it how files are filtered, merged and shown',
    patterns: anywhere('.gitattributes'),
  },
  {
    kind: 'hook',
    program: 'git',
    does: 'fetches other repositories from where it says',
    patterns: anywhere('.gitmodules'),
  },
  {
    kind: 'hook',
    program: 'git-lfs',
    does: 'sends and fetches contents where it says',
    patterns: anywhere('.lfsconfig'),
  },
  {
    kind: 'hook',
    program: 'git',
    does: 'reads it as configuration',
    patterns: anywhere('.git', '.gitconfig', '.gitignore', '.git-blame-ignore-revs', '.mailmap'),
  },
  {
    kind: 'ci',
    program: 'a CI server',
    does: 'runs it, with the secrets of the project',
    patterns: anywhere(
      ...['.github/workflows/**', '.github/actions/**', '.{gitea,forgejo}/**', '.gitlab-ci*.{yml,yaml}', '.gitlab/**'],
      ...[
        '.circleci/**',
        '.{travis,drone,cirrus,semaphore,appveyor}*.{yml,yaml,star}',
        'appveyor*.yml',
        '.semaphore/**',
      ],
      ...['.woodpecker/**', '.woodpecker*.{yml,yaml}', '.buildkite/**', '.drone/**', '.teamcity/**', '.tekton/**'],
      ...['jenkinsfile*', 'azure-pipelines*.{yml,yaml}', '.azure-pipelines/**', '.azuredevops/**', '.vsts-ci.yml'],
      ...['bitbucket-pipelines.yml', 'cloudbuild*.{yml,yaml}', 'buildspec*.{yml,yaml}', 'codemagic.yaml', '.builds/**'],
      ...['.ci/**', '.ci*', 'action.{yml,yaml}', 'dangerfile*', 'netlify.toml', 'vercel.json', 'wercker.yml'],
    ),
  },
  {
    kind: 'instructions',
    program: 'agents',
    does: 'read it as instructions, skills or tools',
    patterns: anywhere(
      '{claude,agents,agent,gemini,qwen,copilot-instructions,codex,opencode,crush,warp,goose}{,.local,.override}.md',
      ...['.github/{copilot-instructions.md,instructions/**,agents/**,prompts/**,skills/**,chatmodes/**}'],
      ...[
        '.github/{hooks,copilot}/**',
        '.agents/**',
        '.agent/**',
        'skill.md',
        '.cursorrules',
        '.cursorignore',
        '.goosehints',
      ],
      ...['.windsurf*', '.clinerules*', '.clinerules/**', '.roorules*', '.rules', '.junie/**', '.augment/**'],
    ),
  },
  {
    kind: 'instructions',
    program: 'agents',
    does: 'take their settings, permissions, hooks and MCP servers from it',
    patterns: anywhere(
      ...['.{claude,codex,gemini,qwen,cursor,opencode,continue,windsurf,roo,kiro,goose,crush,amp,trae}/**'],
      ...['.mcp.json', 'mcp.json', '.aider*', 'opencode.{json,jsonc}', '.opencode.json', 'crush.json', '.crush.json'],
      ...['.continuerc*', '.geminiignore', '.claudeignore', '.codexrc*'],
    ),
  },
  {
    kind: 'instructions',
    program: 'aiswarm',
    does: 'obeys it: instructions of agents, and commands that run as you',
    patterns: anywhere('.aiswarm/**', '.worktreeinclude'),
  },
  {
    kind: 'ci',
    program: 'the server of the repository',
    does: 'obeys it: who reviews, which updates come, what is checked',
    patterns: anywhere(
      '.github/**',
      'codeowners',
      'renovate.{json,json5}',
      '.renovaterc*',
      'dependabot.{yml,yaml}',
      'codecov.{yml,yaml}',
      '.codecov.yml',
      'sonar-project.properties',
    ),
  },
  {
    kind: 'editor',
    program: 'an editor',
    does: 'runs what it says when the folder is opened, or a task is chosen',
    patterns: anywhere(
      ...[
        '.vscode/**',
        '*.code-workspace',
        '.idea/**',
        '*.{iml,ipr}',
        '.run/*.run.xml',
        '.fleet/**',
        '.zed/**',
        '.nova/**',
      ],
      ...['.devcontainer/**', '.devcontainer.json', '.devcontainer*.json', '.gitpod.*', '.theia/**', '.vs/**'],
      ...['{.,_,}{exrc,nvimrc,vimrc}', '.nvim.lua', '.exrc.lua', '.{vim,nvim}/**', '.lvimrc', '.local.vimrc'],
      ...['.dir-locals*.el', '.projectile', '.sublime/**', '*.sublime-{project,workspace}', '.helix/**', '.kakrc'],
    ),
  },
  {
    kind: 'build',
    program: 'a shell or a version manager',
    does: 'runs it or obeys it when the folder is entered',
    patterns: anywhere(
      ...[
        '.envrc',
        '{.,}mise*.toml',
        '.mise/**',
        '.config/mise/**',
        '.tool-versions',
        '.rtx.toml',
        'devbox.json',
        'devenv.{nix,yaml}',
      ],
      ...[
        '{flake,shell,default}.nix',
        '.{nvmrc,node-version,python-version,ruby-version,java-version,sdkmanrc}',
        '.autoenv*',
        '.direnv/**',
      ],
    ),
  },
  {
    kind: 'tests',
    program: 'a test runner',
    does: 'runs it before any test, or obeys it',
    patterns: anywhere(
      ...[
        'conftest.py',
        'sitecustomize.py',
        'usercustomize.py',
        '*.pth',
        '{.,}pytest.ini',
        'tox.ini',
        'noxfile.py',
        '.coveragerc',
      ],
      ...[
        '{jest,vitest,vite,playwright,karma,cypress,wdio,ava,nightwatch,protractor}{,.*}.{config,conf,setup,workspace}.*',
      ],
      ...['{jest,vitest,playwright,karma,cypress,wdio,ava,nightwatch,protractor}.*.{js,cjs,mjs,ts,cts,mts,json}'],
      ...[
        '{jest,vitest,test,global}{.,-,}{setup,teardown}*.{js,cjs,mjs,ts,cts,mts,jsx,tsx}',
        '{setup,teardown}{tests,test,files,env}*.{js,cjs,mjs,ts,jsx,tsx}',
      ],
      ...['.mocharc*', '.nycrc*', '.c8rc*', 'mocha.opts', '.taprc', 'cypress.json'],
      ...[
        '{spec,rails,test}_helper.rb',
        '.rspec',
        '.simplecov',
        '{phpunit,phpspec,behat}{,.*}.{xml,yml,yaml,dist}',
        'phpunit.xml*',
      ],
      ...[
        '{tests,test,spec}/**/bootstrap.php',
        'tests/bootstrap.php',
        'pest.php',
        'testng.xml',
        'junit-platform.properties',
        '*.runsettings',
      ],
    ),
  },
  {
    kind: 'lockfile',
    program: 'a package manager',
    does: 'installs what it pins, from where it says',
    patterns: anywhere(
      ...[
        'package-lock.json',
        'npm-shrinkwrap.json',
        '.package-lock.json',
        'yarn.lock',
        'pnpm-lock.yaml',
        'bun.lock',
        'bun.lockb',
        'deno.lock',
      ],
      ...[
        '{cargo,poetry,pdm,uv,pipfile,gemfile,flake,mix,pubspec,podfile,composer,gradle,conan,pixi,cartfile}.{lock,lockfile,resolved}',
      ],
      ...[
        'gems.locked',
        'go.sum',
        'go.work.sum',
        'package.resolved',
        'packages.lock.json',
        'gradle.lockfile',
        'verification-metadata.xml',
        'pylock*.toml',
        'module.bazel.lock',
      ],
    ),
  },
  {
    kind: 'build',
    program: 'a package manager',
    does: 'runs its scripts, or installs from where it says',
    patterns: anywhere(
      ...[
        'package.json',
        '{.,}npmrc',
        '.yarnrc*',
        '.yarn/**',
        '.pnp.*',
        '.pnpmfile.*',
        'pnpm-workspace.yaml',
        'bunfig.toml',
        'lerna.json',
        'nx.json',
        'turbo.json',
      ],
      ...[
        'pyproject.toml',
        'setup.{py,cfg}',
        'pipfile',
        'requirements*.{txt,in}',
        'requirements/**',
        'constraints*.txt',
        'pip.conf',
        '.pypirc',
        'environment*.yml',
        'poetry.toml',
        'uv.toml',
      ],
      ...[
        'cargo.toml',
        'build.rs',
        '.cargo/**',
        'rust-toolchain*',
        'gemfile',
        'gems.rb',
        '*.gemspec',
        '.gemrc',
        '.bundle/**',
      ],
      ...[
        'composer.json',
        'auth.json',
        'go.{mod,work}',
        'deno.{json,jsonc}',
        'mix.exs',
        'pubspec.yaml',
        'podfile',
        'package.swift',
        'conanfile.*',
        'nuget.config',
        '.netrc',
      ],
    ),
  },
  {
    kind: 'build',
    program: 'a wrapper',
    does: 'is run in the place of the build tool, which it downloads',
    patterns: anywhere(
      'gradlew*',
      'gradle/wrapper/**',
      'mvnw*',
      '.mvn/**',
      '{.,}bazelisk*',
      'sbtw',
      'millw',
      'mill',
      'lein',
      '*w.bat',
    ),
  },
  {
    kind: 'build',
    program: 'a build tool',
    does: 'runs it',
    patterns: anywhere(
      ...[
        '{gnu,bsd,}makefile',
        '*.{mk,mak}',
        '{.,}justfile',
        'taskfile*.{yml,yaml}',
        '{rake,cap,thor,fast}file',
        '*.rake',
        'guardfile',
        'fastlane/**',
      ],
      ...[
        'cmakelists.txt',
        '*.cmake',
        'cmakepresets.json',
        'cmakeuserpresets.json',
        'configure{,.ac,.in}',
        'makefile.{am,in,pl}',
        '*.m4',
        'meson.build',
        'meson.options',
        'meson_options.txt',
        'sconstruct',
        'sconscript',
        'wscript',
      ],
      ...[
        'build',
        'build.bazel',
        'workspace{,.bazel}',
        'module.bazel',
        '.bazelrc',
        '.bazelversion',
        '*.{bzl,star}',
        'buck',
        '.buckconfig',
        'pants.toml',
      ],
      ...[
        '{build,settings,init}.gradle*',
        '*.gradle{,.kts}',
        'buildsrc/**',
        'gradle.properties',
        'pom.xml',
        'build.xml',
        'build.sbt',
        'project/*.{sbt,scala,properties}',
        'build.sc',
        'project.clj',
        'deps.edn',
      ],
      ...[
        '*.{csproj,fsproj,vbproj,vcxproj,proj,props,targets,sln}',
        'directory.build.*',
        'cake.*',
        'build.{sh,ps1,cmd,bat,zig,py,js,mjs,cjs,ts}',
        'magefile.go',
        'binding.gyp',
        '*.{gyp,gypi}',
        'dune{,-project}',
        'setup.hs',
        '*.cabal',
      ],
      ...[
        '{gulp,grunt,jake}file*',
        '{webpack,rollup,esbuild,tsup,tsdown,rspack,babel,next,nuxt,astro,svelte,remix,metro,craco,eslint,prettier,stylelint,postcss,tailwind}{,.*}.config.*',
      ],
      ...[
        '*.config.{js,cjs,mjs,ts,cts,mts,jsx,tsx}',
        '.{babelrc,eslintrc,prettierrc,stylelintrc,swcrc,postcssrc,parcelrc,releaserc}*',
        'babel.config.json',
        'tsconfig*.json',
        'jsconfig*.json',
        'tsfmt.json',
      ],
    ),
  },
  {
    kind: 'build',
    program: 'a tool of containers and deployments',
    does: 'builds or runs what it says',
    patterns: anywhere(
      ...[
        '{docker,container,vagrant,proc,tilt,earth}file*',
        '*.{dockerfile,containerfile}',
        '{docker-,}compose*.{yml,yaml}',
        'docker-bake.*',
        'skaffold.yaml',
        'earthfile',
      ],
      ...[
        '*.{tf,tfvars,hcl,nix}',
        'chart.yaml',
        'helmfile*',
        'kustomization.yaml',
        'serverless.*',
        'fly.toml',
        'render.yaml',
        'app.{yaml,json}',
        'ansible.cfg',
        'playbook*.{yml,yaml}',
        '*.{service,timer,desktop,plist}',
        'crontab',
      ],
    ),
  },
  {
    kind: 'configuration',
    program: 'programs',
    does: 'take environment variables from it, often secrets',
    patterns: anywhere('.env*'),
  },
  {
    kind: 'configuration',
    program: 'a program',
    does: 'takes its configuration from it',
    patterns: anywhere(
      '*.{toml,ini,cfg,conf,properties,yml,yaml}',
      '.*rc',
      '.*rc.*',
      '.editorconfig',
      '{config,conf,settings}/**',
    ),
  },
]

/** `{a,b}` as all of its forms; they may stand beside each other, not in each other. */
const alternatives = (glob: string): readonly string[] => {
  const [whole, inside] = /\{([^{}]*)\}/.exec(glob) ?? []
  if (whole === undefined) return [glob]
  return inside!.split(',').flatMap((one) => alternatives(glob.replace(whole, () => one)))
}

const pieces: Readonly<Record<string, string>> = { '**/': '', '/**': '(?:/.*)?', '*': '[^/]*' }

const expression = (glob: string): string =>
  glob.replace(/^\*\*\/|\/\*\*$|\/\*\*\/|\*|[^*/]+|\//g, (part) =>
    part === '/**/' ? '/(?:[^/]+/)*' : (pieces[part] ?? part.replace(/[.+^$()[\]|\\]/g, '\\$&')),
  )

/** All of them are in any folder, which is matched once for a row: a review has thousands of paths. */
const compiled = obeyedFiles.map((row) => ({
  row,
  matches: new RegExp(`^(?:[^/]+/)*(?:${row.patterns.flatMap(alternatives).map(expression).join('|')})$`, 'i'),
}))
