import { describe, expect, it } from 'vitest'
import { changedScripts, type FileFacts, risksOf } from '../../../src/domain/integration/file-risks.ts'
import { byRisk, riskCounts, type RiskKind } from '../../../src/domain/integration/risk.ts'
import { looksSecret, secretTraces } from '../../../src/domain/words/secrets.ts'
import { processorTime } from '../../support/processor-time.ts'

const facts = (path: string, more: Partial<FileFacts> = {}): FileFacts => ({
  path,
  from: null,
  oldMode: '100644',
  newMode: '100644',
  content: 'text',
  forced: false,
  secrets: [],
  hidden: 0,
  pointer: false,
  scripts: [],
  mixed: [],
  link: undefined,
  isBare: false,
  elsewhere: [],
  ...more,
})

const kinds = (path: string, more: Partial<FileFacts> = {}): RiskKind[] =>
  risksOf(facts(path, more)).map(({ kind }) => kind)

describe('a path', () => {
  const expected: Readonly<Record<string, readonly string[]>> = {
    hook: [
      '.husky/pre-commit',
      'web/.husky/pre-push',
      '.githooks/x',
      'lefthook.yml',
      '.pre-commit-config.yaml',
      '.gitattributes',
      'a/.gitattributes',
      '.gitmodules',
      '.gitignore',
      '.GitAttributes',
      '.lintstagedrc.json',
    ],
    ci: [
      '.github/workflows/ci.yml',
      '.github/CODEOWNERS',
      '.gitlab-ci.yml',
      '.ci/build.sh',
      '.circleci/config.yml',
      'Jenkinsfile',
      'azure-pipelines.yml',
      '.travis.yml',
    ],
    instructions: [
      'CLAUDE.md',
      'docs/AGENTS.md',
      'gemini.md',
      'QWEN.md',
      'CLAUDE.local.md',
      '.cursor/rules/x.mdc',
      '.mcp.json',
      'web/.mcp.json',
      '.claude/settings.json',
      '.codex/config.toml',
      '.aiswarm/config.yaml',
      '.aiswarm',
      '.cursorrules',
      '.worktreeinclude',
    ],
    lockfile: ['package-lock.json', 'web/yarn.lock', 'Cargo.lock', 'go.sum', 'uv.lock'],
    build: ['package.json', 'Dockerfile', 'Makefile', 'tsconfig.build.json', '.npmrc', 'infra/main.tf'],
    tests: ['vite.config.ts'],
    configuration: ['.env', '.env.production', 'deploy/values.yaml', 'app/settings/base.py'],
  }
  for (const [kind, paths] of Object.entries(expected)) {
    it(`is ${kind} if a program reads it as such`, () => {
      expect(paths.filter((path) => !kinds(path).includes(kind as RiskKind))).toEqual([])
    })
  }

  it('of code or prose carries no risk', () => {
    for (const path of [
      'src/login.ts',
      'README.md',
      'docs/claude-and-me.md',
      'src/github/client.ts',
      'src/configuration.ts',
      'hooks/useThing.ts',
      'test/agents.test.ts',
    ])
      expect([path, kinds(path)]).toEqual([path, []])
  })

  it('is judged by its old name as well', () => {
    expect(risksOf(facts('docs/old.yml.txt', { from: '.github/workflows/ci.yml' }))).toEqual([
      { kind: 'ci', reason: 'under its old name: a CI server runs it, with the secrets of the project' },
    ])
  })
})

describe('modes and content', () => {
  it('give their reasons in words, the most serious first', () => {
    expect(risksOf(facts('CLAUDE.md', { newMode: '120000', secrets: [3, 9], elsewhere: ['cart', 'ship'] }))).toEqual([
      { kind: 'secret', reason: 'lines 3, 9 look like a key or a password' },
      { kind: 'instructions', reason: 'agents read it as instructions, skills or tools' },
      { kind: 'symlink', reason: 'it is now a symbolic link' },
      { kind: 'elsewhere', reason: 'cart, ship change it too' },
    ])
  })

  it('detect executables, deletions, submodules, binaries, pointers and hidden characters', () => {
    expect(kinds('run', { newMode: '100755' })).toEqual(['executable'])
    expect(kinds('run', { oldMode: '100755', newMode: '100755' })).toEqual([])
    expect(kinds('gone', { newMode: '000000' })).toEqual(['deletion'])
    expect(kinds('gone.png', { newMode: '000000', content: 'binary' })).toEqual(['deletion'])
    expect(kinds('lib', { newMode: '160000' })).toEqual(['submodule'])
    expect(kinds('lib', { oldMode: '160000', newMode: '000000' })).toEqual(['submodule'])
    expect(kinds('a.png', { content: 'binary' })).toEqual(['binary'])
    expect(kinds('a.psd', { pointer: true })).toEqual(['binary'])
    expect(kinds('a.txt', { content: 'unread' })).toEqual(['large-file'])
    expect(kinds('a.js', { forced: true })).toEqual(['hidden'])
    expect(kinds('a.js', { hidden: 2 })).toEqual(['hidden'])
  })
})

describe('the scripts of a package.json', () => {
  it('are compared by name', () => {
    expect(changedScripts('{"scripts":{"a":"1","b":"2"}}', '{"scripts":{"b":"3","c":"4"}}')).toEqual([
      { name: 'a', before: '1', after: null },
      { name: 'b', before: '2', after: '3' },
      { name: 'c', before: null, after: '4' },
    ])
    expect(changedScripts(null, '{"scripts":{"prepare":"x"}}')).toEqual([{ name: 'prepare', before: null, after: 'x' }])
    expect(changedScripts('{"version":"1"}', '{"version":"2"}')).toEqual([])
  })

  it('are reported as unknown if the file cannot be read', () => {
    for (const broken of ['{', '[]x', '{"scripts":"x"}', 'null']) expect(changedScripts('{}', broken)).toBeUndefined()
    expect(kinds('package.json', { scripts: undefined })).toEqual(['scripts', 'build'])
  })

  it('are reported separately if they run on installation', () => {
    expect(
      risksOf(facts('package.json', { scripts: [{ name: 'postinstall', before: null, after: 'x' }] }))[0]!.reason,
    ).toBe('scripts: postinstall (new); some run automatically on installation')
    expect(
      risksOf(facts('package.json', { scripts: [{ name: 'postinstall', before: 'x', after: null }] }))[0]!.reason,
    ).toBe('scripts: postinstall (removed)')
  })
})

it('files are ordered by their most serious reason, then by the number of reasons, then by name', () => {
  const files = [
    facts('z.ts'),
    facts('.env'),
    facts('b.ts', { newMode: '100755' }),
    facts('a.ts', { secrets: [1] }),
    facts('.github/x.yml', { elsewhere: ['cart'] }),
    facts('.github/a.yml'),
    facts('c.ts'),
  ].map((file) => ({ path: file.path, risks: risksOf(file) }))
  expect([...files].sort(byRisk).map(({ path }) => path)).toEqual([
    'a.ts',
    '.github/x.yml',
    '.github/a.yml',
    'b.ts',
    '.env',
    'c.ts',
    'z.ts',
  ])
  expect(riskCounts(files)).toEqual([
    { kind: 'secret', files: 1 },
    { kind: 'ci', files: 2 },
    { kind: 'executable', files: 1 },
    { kind: 'elsewhere', files: 1 },
    { kind: 'configuration', files: 1 },
  ])
})

describe('a suspected secret', () => {
  it('is a key with a known shape, the head of a private key, or a name with a value', () => {
    for (const line of [
      `const key = "sk-${'a1b2'.repeat(6)}"`,
      '-----BEGIN OPENSSH PRIVATE KEY-----',
      "password: 'correcthorse'",
      '"api_key": "abcdefgh1234"',
      'export AWS_SECRET_ACCESS_KEY=abcdEFGH1234',
      'Authorization: Bearer abcdefghijklmnop.qrst',
    ])
      expect([line, looksSecret(line), secretTraces(line).length > 0]).toEqual([line, true, true])
  })

  it('is not a value that is read from elsewhere or is missing', () => {
    for (const line of [
      'password: process.env.PASSWORD',
      'const token = readToken()',
      'PASSWORD=$OTHER',
      'the secret of good code',
      'token: "${TOKEN_FROM_CI}"',
      'type Password = string',
    ])
      expect([line, looksSecret(line)]).toEqual([line, false])
  })

  it('is searched for in bounded time, whatever the text', () => {
    const look = (): void => expect(secretTraces('secret'.repeat(500_000)).length).toBeLessThanOrEqual(5000)
    expect(processorTime(look)).toBeLessThan(2000)
  })
})
