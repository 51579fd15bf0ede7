import { describe, expect, it } from 'vitest'
import { obeyedBy, obeyedFiles } from '../../../src/domain/integration/obeyed-files.ts'
import type { RiskKind } from '../../../src/domain/integration/risk.ts'

const kindOf = (path: string): RiskKind | undefined => obeyedBy(path)?.kind

describe('a file that a program obeys', () => {
  const expected: Partial<Record<RiskKind, readonly string[]>> = {
    hook: ['.lfsconfig', '.simple-git-hooks.json', '.overcommit.yml', 'a/.lefthook/pre-push/x', '.gitconfig'],
    ci: ['.woodpecker.yml', '.forgejo/workflows/x.yml', 'Dangerfile', '.tekton/x.yaml', '.buildkite/pipeline.yml'],
    instructions: [
      ...['.claude/skills/a/SKILL.md', '.github/agents/x.md', '.agents/x.md', '.github/prompts/x.md', 'a/SKILL.md'],
      ...['.continue/config.json', '.qwen/settings.json', '.windsurf/rules/x.md', 'opencode.json', '.aider.conf.yml'],
    ],
    editor: [
      ...['.vscode/tasks.json', '.vscode/extensions.json', '.idea/runConfigurations/x.xml', '.run/x.run.xml'],
      ...[
        '.zed/tasks.json',
        '.devcontainer/devcontainer.json',
        '.exrc',
        '.nvim.lua',
        '.dir-locals.el',
        '.fleet/run.json',
      ],
      ...['x.code-workspace', 'web/.vscode/launch.json'],
    ],
    tests: [
      ...['tests/conftest.py', 'sitecustomize.py', 'lib/x.pth', 'pytest.ini', 'noxfile.py', 'tox.ini', 'phpunit.xml'],
      ...[
        'vitest.setup.ts',
        'jest.config.js',
        'web/jest.setup.js',
        'setupTests.ts',
        'playwright.config.ts',
        '.mocharc.cjs',
      ],
      ...['.nycrc', 'spec/spec_helper.rb', '.rspec', 'tests/bootstrap.php', 'karma.conf.js'],
    ],
    build: [
      ...[
        'gradlew',
        'mvnw.cmd',
        '.mvn/maven.config',
        'gradle/wrapper/gradle-wrapper.jar',
        '.pnpmfile.cjs',
        'bunfig.toml',
      ],
      ...['.yarn/plugins/x.cjs', 'foo.gemspec', 'Rakefile', 'build.rs', '.cargo/config.toml', 'setup.py', 'setup.cfg'],
      ...[
        'Pipfile',
        'requirements-dev.txt',
        'build.gradle.kts',
        'settings.gradle',
        'pom.xml',
        'CMakeLists.txt',
        'go.mod',
      ],
      ...[
        'GNUmakefile',
        'justfile',
        'Taskfile.yml',
        'meson.build',
        'BUILD.bazel',
        'x.bzl',
        'flake.nix',
        '.envrc',
        'mise.toml',
      ],
      ...['.tool-versions', 'Dockerfile.dev', 'compose.yaml', 'Vagrantfile', 'Procfile', 'conanfile.py', 'a.csproj'],
      ...[
        'webpack.config.js',
        'eslint.config.mjs',
        'babel.config.json',
        'postcss.config.cjs',
        '.eslintrc.js',
        'next.config.ts',
      ],
    ],
    lockfile: ['web/yarn.lock', 'bun.lockb', 'Cargo.lock', 'go.sum', 'Gemfile.lock', 'composer.lock', 'uv.lock'],
  }
  for (const [kind, paths] of Object.entries(expected))
    it(`is listed as ${kind}, in every folder and in upper case`, () => {
      const all = paths.flatMap((path) => [path, `packages/a/${path}`, path.toUpperCase()])
      expect(all.filter((path) => kindOf(path) !== kind)).toEqual([])
    })

  it('is recognised by what file systems take for its name', () => {
    for (const name of ['.GıtAttributes', '.git\u200cattributes', '\uff0egitattributes', 'MAKEFİLE'.replace('İ', 'ı')])
      expect([name, kindOf(name)]).toEqual([name, name.startsWith('MAKE') ? 'build' : 'hook'])
  })

  it('is none of these', () => {
    for (const path of [
      'src/login.ts',
      'README.md',
      'docs/claude-and-me.md',
      'src/build/index.ts',
      'test/login.test.ts',
    ])
      expect([path, kindOf(path)]).toEqual([path, undefined])
  })

  it('has a program and what it does, as a sentence', () => {
    for (const { program, does } of obeyedFiles) expect(`${program} ${does}`).toMatch(/^[a-z][^.]*$/)
  })
})
