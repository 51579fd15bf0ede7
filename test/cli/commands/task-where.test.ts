import { expect, test } from 'vitest'
import { openTerminal } from '../terminal.ts'

const board = async () => {
  const terminal = await openTerminal()
  await terminal.json('task', 'add', 'Login form', '--persona', 'tester', '--priority', '60')
  await terminal.json('task', 'add', 'Login page', '--persona', 'implementer', '--depends', '1')
  await terminal.json('task', 'add', 'Prices', '--persona', 'tester')
  const titles = async (...options: string[]) =>
    (await terminal.json<readonly { title: string }[]>('task', 'list', ...options)).map(({ title }) => title)
  return { ...terminal, titles }
}

test('task list --where filters in the filter language, together with other options', async () => {
  const { titles } = await board()
  expect(await titles('--where', 'login')).toEqual(['Login form', 'Login page'])
  expect(await titles('--where', 'persona:tester priority>=50')).toEqual(['Login form'])
  expect(await titles('--where', '-login')).toEqual(['Prices'])
  expect(await titles('--where', 'login', '--available')).toEqual(['Login form'])
  expect(await titles('--where', 'blocked:no', '--persona', 'implementer')).toEqual([])
  expect(await titles('--where', '')).toHaveLength(3)
})

test('an invalid filter is a usage error in one sentence', async () => {
  const { refused, run } = await board()
  expect(await refused('task', 'list', '--where', 'state:faild')).toEqual({
    exit: 2,
    code: 'invalid_input',
    message:
      "'state:faild': a state is one of pending, claimed, in_progress, completed, failed, cancelled, blocked, waiting, sleeping, stalled or over-budget.",
  })
  expect(await run('task', 'list', '--where', 'age>ten')).toMatchObject({
    code: 2,
    out: '',
    err: "'age>ten': age takes > or < and a duration (s, m, h or d), as in age>10m.\n",
  })
})
