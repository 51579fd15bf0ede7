import { describe, expect, test } from 'vitest'
import { openTerminal } from '../terminal.ts'

describe('a usage error', () => {
  test.each([
    [['nonsense'], "unknown command 'nonsense'"],
    [['task', 'nonsense'], "unknown command 'nonsense'"],
    [['task', 'lst'], "unknown command 'lst'\n(Did you mean list?)"],
    [['task', 'list', '--nonsense'], "unknown option '--nonsense'"],
    [['task', 'show'], "missing required argument 'ID'"],
    [['task', 'show', 'x'], "command-argument value 'x' is invalid for argument 'ID'. A whole number was expected."],
    [['task', 'show', '1', '2'], "too many arguments for 'show'. Expected 1 argument but got 2: 1, 2."],
    [['task', 'add', 'A'], "required option '--persona <P>' not specified"],
    [
      ['task', 'add', 'A', '--persona', 'tester', '--priority', 'x'],
      "option '--priority <N>' argument 'x' is invalid. A whole number was expected.",
    ],
    [
      ['task', 'list', '--status', 'nonsense'],
      "option '--status <S>' argument 'nonsense' is invalid. Allowed choices are pending, claimed, in_progress, completed, failed, cancelled, blocked.",
    ],
    [
      ['task', 'add', 'A', '--persona', 'tester', '--priority', '99999999999999999999'],
      "option '--priority <N>' argument '99999999999999999999' is invalid. A whole number from -9007199254740991 to 9007199254740991 was expected.",
    ],
    [
      ['task', 'show', '99999999999999999999'],
      "command-argument value '99999999999999999999' is invalid for argument 'ID'. A whole number from 1 to 9007199254740991 was expected.",
    ],
    [
      ['task', 'progress', '1', '--agent', 'a', '--note', 'n', '--percent', '99999999999999999999'],
      "option '--percent <N>' argument '99999999999999999999' is invalid. A whole number from 0 to 100 was expected.",
    ],
    [
      ['task', 'progress', '1', '--agent', 'a', '--note', 'n', '--percent', '300'],
      "option '--percent <N>' argument '300' is invalid. A whole number from 0 to 100 was expected.",
    ],
    [
      ['run', '--max-parallel', '0'],
      "option '--max-parallel <N>' argument '0' is invalid. A whole number of 1 or more was expected.",
    ],
    [
      ['completion', 'tcsh'],
      "command-argument value 'tcsh' is invalid for argument 'SHELL'. Allowed choices are bash, zsh, fish.",
    ],
  ])('such as %j exits with 2', async (argv, message) => {
    const { refused, run } = await openTerminal()
    expect(await refused(...argv)).toEqual({ exit: 2, code: 'invalid_input', message })
    expect(await run(...argv)).toEqual({ code: 2, out: '', err: `${message.replace('\n', ' ')}\n` })
  })

  test('such as --root without a folder exits with 2', async () => {
    const { run } = await openTerminal()
    expect(await run('--root')).toEqual({ code: 2, out: '', err: "option '--root <DIR>' argument missing\n" })
  })

  test('such as --result with invalid JSON exits with 2', async () => {
    const { refused } = await openTerminal()
    expect(await refused('task', 'complete', '1', '--agent', 'a', '--result', 'notjson')).toMatchObject({
      exit: 2,
      code: 'invalid_input',
    })
  })

  test("of an operation's input exits with 2 as well", async () => {
    const { refused } = await openTerminal()
    expect(await refused('task', 'add', ' ', '--persona', 'tester')).toMatchObject({ exit: 2, code: 'invalid_input' })
  })

  test('such as a group without a command shows its help and exits with 2', async () => {
    const { run } = await openTerminal()
    const said = await run('task')
    expect(said).toMatchObject({ code: 2, out: '' })
    expect(said.err).toContain('Usage: aiswarm task')
  })
})

describe('a refusal', () => {
  test('of a name that starts with a dash is about the name, not about an unknown option', async () => {
    const { refused } = await openTerminal()
    expect(await refused('worktree', 'create', '-x', '--branch', 'b')).toMatchObject({ exit: 1, code: 'invalid_name' })
    expect(await refused('agent', 'register', '-x', '--persona', 'tester')).toMatchObject({
      exit: 1,
      code: 'invalid_name',
    })
    expect(await refused('worktree', 'create', 'x', '--branch', 'b', '--nonsense')).toMatchObject({
      exit: 2,
      code: 'invalid_input',
    })
  })

  test('is one sentence on standard error', async () => {
    const { run } = await openTerminal()
    expect(await run('task', 'show', '7')).toEqual({
      code: 1,
      out: '',
      err: "There is no task 7. 'aiswarm task list' lists the tasks.\n",
    })
  })

  test('is one JSON value on standard error with --json in any position', async () => {
    const { run } = await openTerminal()
    const err = `{"error":{"code":"not_found","message":"There is no task 7. 'aiswarm task list' lists the tasks."}}\n`
    expect(await run('task', 'show', '7', '--json')).toEqual({ code: 1, out: '', err })
    expect(await run('--json', 'task', 'show', '7')).toEqual({ code: 1, out: '', err })
  })

  test('of tui without a terminal names the commands that work there', async () => {
    const { run, refused } = await openTerminal()
    const message =
      "The console needs a terminal. Without one, use 'aiswarm status --watch' to see the state, or 'aiswarm run' to run the tasks."
    expect(await run()).toEqual({ code: 1, out: '', err: `${message}\n` })
    expect(await run('--root', '/tmp')).toEqual({ code: 1, out: '', err: `${message}\n` })
    expect(await refused('tui')).toEqual({ exit: 1, code: 'needs_terminal', message })
  })
})

test('an error that is not a refusal is reported as a bug', async () => {
  const { run, refused } = await openTerminal({
    services: { open: () => Promise.reject(new Error('the drawer is stuck')) },
  })
  const said = await run('task', 'list')
  expect(said).toMatchObject({ code: 70, out: '' })
  expect(said.err).toMatch(/^This is a bug in aiswarm: the drawer is stuck\nError: the drawer is stuck\n {4}at /)
  expect(await refused('task', 'list')).toEqual({ exit: 70, code: 'bug', message: 'the drawer is stuck' })
})

test('the last --root wins and becomes absolute', async () => {
  const roots: string[] = []
  const { run } = await openTerminal({
    services: { diagnose: (root) => Promise.resolve(roots.push(root) > 0 ? [] : []) },
  })
  await run('--root', '/one', 'doctor')
  await run('--root', '/one', 'doctor', '--root', '/two')
  await run('doctor')
  expect(roots).toEqual(['/one', '/two', process.cwd()])
})

test('--version prints the version', async () => {
  const { run } = await openTerminal()
  expect(await run('--version')).toEqual({ code: 0, out: '0.1.0\n', err: '' })
})
