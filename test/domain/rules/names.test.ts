import { describe, expect, it } from 'vitest'
import { checkBranchName, checkId, checkWorktreeName, genericNameWarning } from '../../../src/domain/rules/names.ts'
import { isRefusal } from '../../../src/domain/rules/refusal.ts'

const code = (check: () => void): string => {
  try {
    check()
    return 'fine'
  } catch (error) {
    if (isRefusal(error)) return error.code
    throw error
  }
}

const sentence = (check: () => void): string => {
  try {
    check()
  } catch (error) {
    if (isRefusal(error)) return error.message
  }
  throw new Error('expected a refusal')
}

describe('a worktree name', () => {
  for (const name of ['a', 'user-auth', 'user_auth', 'A1', '_x', '9', 'x'.repeat(50), 'headless']) {
    it(`may be ${name}`, () => expect(code(() => checkWorktreeName(name))).toBe('fine'))
  }
  for (const name of [
    '',
    '../x',
    '..',
    '.',
    '.git',
    'a/b',
    'a\\b',
    '-x',
    '--force',
    'a b',
    'a.b',
    'ä',
    'a\n',
    '\na',
    'a\0',
    '$(id)',
    'x'.repeat(51),
    'x'.repeat(300),
    '日本',
  ]) {
    it(`may not be ${JSON.stringify(name.slice(0, 20))} (${name.length})`, () =>
      expect(code(() => checkWorktreeName(name))).toBe('invalid_name'))
  }
  for (const name of [
    'HEAD',
    'head',
    'FETCH_HEAD',
    'index',
    'refs',
    'objects',
    'hooks',
    'logs',
    'config',
    'con',
    'NUL',
  ]) {
    it(`may not be ${name}, which is reserved`, () => expect(code(() => checkWorktreeName(name))).toBe('reserved_name'))
  }
  it('is quoted in the refusal without control characters, and is cut', () => {
    expect(sentence(() => checkWorktreeName('a\u001b[2J'))).toBe(
      "'a\\u001b[2J' is not a valid worktree name. Use 1 to 50 letters, digits, '-' or '_', not beginning with '-'.",
    )
    expect(sentence(() => checkWorktreeName('x'.repeat(300)))).toContain(`'${'x'.repeat(57)}…'`)
  })
})

describe('an agent or persona id', () => {
  for (const id of ['a', 'implementer-1', 'Backend_2', '7', 'x'.repeat(50)]) {
    it(`may be ${id}`, () => expect(code(() => checkId('agent', id))).toBe('fine'))
  }
  for (const id of ['', '-x', '_x', '../x', 'a/b', 'a b', 'a.log', 'a\n', 'x'.repeat(51), 'x'.repeat(300), 'é']) {
    it(`may not be ${JSON.stringify(id.slice(0, 20))} (${id.length})`, () =>
      expect(code(() => checkId('agent', id))).toBe('invalid_name'))
  }
  it('may not be the id of a built-in agent', () => {
    expect(code(() => checkId('agent', 'human'))).toBe('reserved_name')
    expect(code(() => checkId('persona', 'aiswarm'))).toBe('reserved_name')
  })
})

describe('a branch name', () => {
  for (const name of ['main', 'feature/user-auth', 'v1.2', 'a/b/c', 'ünïcode', 'release@2', 'x'.repeat(200)]) {
    it(`may be ${name.slice(0, 20)}`, () => expect(code(() => checkBranchName(name))).toBe('fine'))
  }
  for (const name of [
    '',
    '-x',
    '--upload-pack=x',
    '/a',
    'a/',
    'a.',
    'a..b',
    'a//b',
    'a@{1}',
    '@',
    'HEAD',
    'a b',
    'a~1',
    'a^',
    'a:b',
    'a?',
    'a*',
    'a[b',
    'a\\b',
    'a\u007f',
    'a\n',
    '.a',
    'a/.b',
    'a.lock',
    'a.lock/b',
    'x'.repeat(201),
    'x'.repeat(300),
  ]) {
    it(`may not be ${JSON.stringify(name.slice(0, 20))} (${name.length})`, () =>
      expect(code(() => checkBranchName(name))).toBe('invalid_name'))
  }
})

describe('the worktree name', () => {
  it.each(['temp', 'test', 'Test-2', 'feature1', 'wip'])('%s gives a warning, because it is generic', (name) => {
    expect(genericNameWarning(name)).toBe(`'${name}' does not describe the work. Use a name such as user-auth.`)
  })

  it.each(['user-auth', 'test-runner', 'temperature', 'feature-flags'])('%s gives no warning', (name) =>
    expect(genericNameWarning(name)).toBeUndefined(),
  )
})
