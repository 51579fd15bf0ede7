import { describe, expect, it } from 'vitest'
import { settingsNow, withChanges } from '../../../src/effects/configuration/settings.ts'
import { configurationText } from '../../../src/effects/starting/initialise.ts'

const path = '/shop/.aiswarm/config.yaml'
const change = (source: string, changes: Readonly<Record<string, string | null>>): string =>
  withChanges(
    source,
    path,
    Object.entries(changes).map(([key, value]) => ({ key, value })),
  ).text

const commented = `# Ours.
session:
    maxParallel:   3          # not more on this machine

# How work is merged.
integration: {target: main, verify: npm test} # as in CI
on:
  task.failed: 'say "it failed"'   # loud
`

describe('a change of the configuration', () => {
  it('keeps comments, spacing and order of everything else', () => {
    expect(change(commented, { 'session.maxParallel': '5' })).toBe(
      commented.replace('maxParallel:   3          #', 'maxParallel: 5 #'),
    )
    expect(change(commented, { 'session.maxRetries': '0' })).toBe(
      commented.replace('this machine\n', 'this machine\n    maxRetries: 0\n'),
    )
    const both =
      'session:\n    maxParallel:   3\nlease:\n   ttl:  2m # short\n   heartbeat:  5s\nconsole:\n  theme:  dark\n'
    expect(change(both, { 'session.maxRetries': '0', 'lease.grace': '1m', 'console.strict': 'true' })).toBe(
      both
        .replace('3\n', '3\n    maxRetries: 0\n')
        .replace('5s\n', '5s\n   grace: 1m\n')
        .replace('dark\n', 'dark\n  strict: true\n'),
    )
    const first = configurationText({ target: 'main', verify: 'npm test', setup: 'npm ci', agent: 'claude' })
    const next = change(first, { 'worktrees.perTask': 'false' })
    const lines = first.split('\n')
    expect(next.split('\n').filter((line) => !lines.includes(line))).toEqual([
      '  perTask: false # a task that names no worktree gets its own (default: it works in the main checkout)',
    ])
    expect(next.split('\n')).toHaveLength(lines.length)
  })

  it('adds to a list without losing the comments in it', () => {
    const listed = 'sandbox:\n  hosts:\n    - registry.npmjs.org # packages\n    # for the docs\n    - docs.example\n'
    expect(change(listed, { 'sandbox.hosts': '["registry.npmjs.org", "docs.example", "x.example:22"]' })).toBe(
      `${listed}    - x.example:22\n`,
    )
    expect(change('sandbox: {hosts: [a.example]} # ours\n', { 'sandbox.hosts': '[a.example, b.example]' })).toBe(
      'sandbox: {hosts: [a.example, b.example]} # ours\n',
    )
    expect(change(listed, { 'sandbox.hosts': '[docs.example]' })).not.toContain('registry')
  })

  it('adds a key to its section, a section to the file, and a key to a file of comments', () => {
    expect(change('session:\n  maxParallel: 3 # few\n', { 'session.maxRetries': '0' })).toBe(
      'session:\n  maxParallel: 3 # few\n  maxRetries: 0\n',
    )
    expect(change('session:\n  maxParallel: 3\n', { 'lease.ttl': '2m' })).toBe(
      'session:\n  maxParallel: 3\nlease:\n  ttl: 2m\n',
    )
    expect(change('# only words\n', { 'lease.ttl': '2m' })).toBe('# only words\n\nlease:\n  ttl: 2m\n')
    expect(change('', { 'console.theme': 'dark' })).toBe('console:\n  theme: dark\n')
    expect(change('session: # few\n', { 'session.maxParallel': '1' })).toContain('maxParallel: 1')
  })

  it('removes a key, and its section with the last one', () => {
    expect(change('lease:\n  ttl: 2m\n  heartbeat: 5s\n', { 'lease.ttl': null })).toBe('lease:\n  heartbeat: 5s\n')
    expect(change('# a\nsession: {maxParallel: 1}\nlease:\n  ttl: 2m\n', { 'lease.ttl': null })).toBe(
      '# a\nsession: {maxParallel: 1}\n',
    )
    expect(change('lease:\n  ttl: 2m\n', { 'lease.ttl': null })).toBe('')
    expect(change('lease:\n  ttl: 2m\n', { 'session.maxParallel': null })).toBe('lease:\n  ttl: 2m\n')
  })

  it('takes a text as it is typed, and reads other values as YAML', () => {
    const typed = 'yes: "no" # [x'
    const { settings } = withChanges('', path, [
      { key: 'integration.verify', value: typed },
      { key: 'notify.quiet', value: '[checkout, budget]' },
      { key: 'console.keys', value: '{new: A}' },
      { key: 'on.task.failed', value: 'say it' },
    ])
    expect(settings.integration.verify).toBe(typed)
    expect(settings.notify.quiet).toEqual(['checkout', 'budget'])
    expect(settings.console.keys).toEqual({ new: ['A'] })
    expect(settings.on['task.failed']).toEqual([{ run: 'say it' }])
  })

  it.each([
    ['session.maxParallel', 'lots', 'session.maxParallel: a whole number is expected.'],
    ['lease.ttl', 'soon', "lease.ttl: 'soon' is not a duration; write 500ms, 30s, 10m or 2h."],
    ['session.logLimit', '1KB', 'session.logLimit: a log holds at least 64 KB.'],
    ['worktrees.path', '../work', 'worktrees.path: the path must contain {name}.'],
    ['worktrees.ports', '[2, 1]', 'worktrees.ports: the first port is above the last; write [41000, 41999].'],
  ])('of %s to %s is refused with a sentence', (key, value, sentence) => {
    expect(() => change(commented, { [key]: value })).toThrow(sentence)
  })

  it('of a value that cannot be parsed is refused, and so is a broken file', () => {
    expect(() => change('', { 'agents.pass': '[a' })).toThrow(/^agents\.pass: /)
    expect(() => change('a: [', { 'lease.ttl': '1m' })).toThrow('cannot be parsed as it is')
    expect(() => change('- a\n', { 'lease.ttl': '1m' })).toThrow('cannot be parsed as it is')
  })
})

describe('the settings of a file', () => {
  const now = (text: string, committed?: string) =>
    new Map(
      settingsNow(text, { 'integration.target': 'develop', 'agents.default': null }, committed).map((one) => [
        one.key,
        one,
      ]),
    )

  it('have their values, their sources and their lines', () => {
    const found = now(commented)
    expect(found.get('session.maxParallel')).toMatchObject({ value: '3', source: 'file', line: 3 })
    expect(found.get('session.maxRetries')).toMatchObject({ value: '2', source: 'default', line: null })
    expect(found.get('on.task.failed')).toMatchObject({ value: 'say "it failed"', source: 'file', line: 8 })
    expect(now('').get('integration.target')).toMatchObject({ value: 'develop', source: 'found' })
    expect(now('').get('agents.default')).toMatchObject({ value: 'null', source: 'default' })
    expect(now('').get('worktrees.setup')?.value).toBe('')
  })

  it('of verification and approval are those that are committed on the target branch', () => {
    expect(now(commented).get('integration.verify')).toMatchObject({ value: '', source: 'default', inFile: 'npm test' })
    expect(now(commented, 'integration: {verify: make}').get('integration.verify')).toMatchObject({
      value: 'make',
      source: 'branch',
      inFile: 'npm test',
    })
    expect(now(commented, commented).get('integration.verify')).toMatchObject({ value: 'npm test', source: 'file' })
    expect(now(commented, commented).get('integration.verify')?.inFile).toBeUndefined()
  })
})
