import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { test, type TestContext } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { enter, escape, generous, right, tab } from './pty.ts'
import { openTalk } from './talking.ts'

const program = resolve(import.meta.dirname, '../fixtures/terminal-agent.mjs')

/** A board with an agent in a worktree that talks, and whose conversation can be opened in a terminal. */
const open = async (context: TestContext, more = '') => {
  const talking = openTalk(context, [
    [{ say: 'I begin.' }, { until: 'never' }],
    [{ say: 'I go on.' }, { until: 'never' }],
  ])
  const { shop } = talking
  const typed = join(shop.folder, 'typed')
  const terminal = JSON.stringify([process.execPath, program, typed, '{session}'])
  shop.write({
    '.aiswarm/config.yaml': shop
      .read('.aiswarm/config.yaml')
      .replace('protocol: stream-json', `protocol: stream-json, terminal: ${terminal}`)
      .concat(more),
  })
  await shop.worktree('auth')
  await shop.answer('task', 'add', 'Sell more', '--persona', 'implementer', '--worktree', 'auth')
  return { ...talking, typed: () => readFileSync(typed, 'utf8') }
}

test(
  'a person takes a conversation over on 80×24, works in its program, and lets the agent continue with a word',
  generous,
  async (context) => {
    const { shop, typed } = await open(context)
    const screen = await shop.console({ columns: 80, rows: 24 })
    await screen.until(/◐ claimed .*implementer-1/)
    await screen.until('I begin.')
    const { processId } = await shop.answer<{ processId: number }>('agent', 'show', 'implementer-1')
    screen.press('O')
    await screen.until(/Stop implementer-1 and continue its conversation yourself/)
    screen.press('y')
    await screen.until('The conversation session-1 goes on here.')
    // The processes of the agent are gone, and the board says who holds the task.
    context.expect(() => process.kill(processId, 0)).toThrow(/ESRCH/)
    context
      .expect(await shop.answer('task', 'show', '1'))
      .toMatchObject({ status: 'in_progress', assignedAgentId: 'human-1' })
    screen.press(`Use a table.${enter}`)
    await screen.until('you typed: Use a table.')
    screen.press(`/exit${enter}`)
    await screen.until(/Hand task 1 back[^]*◂ the agent continues/)
    await screen.until(/● working .*human-1/)
    screen.press(tab)
    screen.press('I made a table.')
    screen.press(enter)
    await screen.until('implementer-2 continues task 1.')
    await screen.until(/◐ claimed .*implementer-2/)
    context.expect(typed()).toMatch(/^opened session-1 in .*auth\ntyped Use a table\.\n$/)
    const seen = await shop.answer<{ attempts: { agentId: string; outcome: string | null }[] }>('task', 'show', '1')
    context.expect(seen.attempts.map(({ agentId, outcome }) => [agentId, outcome])).toEqual([
      ['implementer-1', 'terminated'],
      ['human-1', 'terminated'],
      ['implementer-2', null],
    ])
    await screen.until(/I begin\./)
    const heard = join(shop.folder, 'agent', 'heard.jsonl')
    await eventually(() => context.expect(readFileSync(heard, 'utf8')).toContain('I made a table.'))
  },
)

test('a person who leaves says that the task is done, has failed, or is for any agent', generous, async (context) => {
  const { shop } = await open(context)
  const screen = await shop.console({ columns: 80, rows: 24 })
  await screen.until('I begin.')
  const take = async (agent: string): Promise<void> => {
    await screen.until(new RegExp(`◐ claimed .*${agent}`))
    await screen.until('I begin.')
    screen.press('O')
    await screen.until(`Stop ${agent} and continue`)
    screen.press('y')
    await screen.until('goes on here.')
    screen.press(`/exit${enter}`)
    await screen.until('Hand task 1 back')
  }
  await take('implementer-1')
  // Esc keeps the task; the same key asks again.
  screen.press(escape)
  await screen.until(/● working .*human-1/)
  screen.press('O')
  await screen.until(/◂ open it again/)
  for (let n = 0; n < 4; n++) screen.press(right)
  await screen.until(/◂ pending for any agent/)
  screen.press(enter)
  await screen.until('Task 1 is pending again.')
  await take('implementer-2')
  screen.press(right)
  await screen.until(/◂ the task is done/)
  screen.press(enter)
  await screen.until('Task 1 is completed.')
  context.expect(await shop.answer('task', 'show', '1')).toMatchObject({ status: 'completed' })
})

test(
  'a terminal that is closed in a take-over makes the task pending again, and the agent resumes the conversation',
  generous,
  async (context) => {
    const { shop } = await open(context, 'lease: {ttl: 2s}\n')
    const screen = await shop.console({ columns: 80, rows: 24 })
    await screen.until('I begin.')
    screen.press('O')
    await screen.until('Stop implementer-1 and continue')
    screen.press('y')
    await screen.until('goes on here.')
    screen.close()
    await screen.ended()
    const next = await shop.console({ columns: 80, rows: 24 })
    await next.until(/◐ claimed .*implementer-2/)
    const { attempts } = await shop.answer<{ attempts: { agentId: string; outcome: string | null }[] }>(
      'task',
      'show',
      '1',
    )
    context.expect(attempts.map(({ agentId, outcome }) => [agentId, outcome])).toEqual([
      ['implementer-1', 'terminated'],
      ['human-1', 'lost'],
      ['implementer-2', null],
    ])
    const runs = await shop.answer<{ runs: { session: string; resumed: boolean }[] }>('agent', 'show', 'implementer-2')
    context.expect(runs).toMatchObject({ kind: 'talker' })
  },
)

test('a person takes a conversation over on a terminal without the console', generous, async (context) => {
  const { shop, typed } = await open(context)
  const screen = await shop.console({ columns: 80, rows: 24 })
  await screen.until('I begin.')
  const without = await shop.run('agent', 'take-over', 'implementer-1')
  context.expect(without.code).toBe(1)
  context.expect(without.err).toMatch(/Taking over implementer-1 opens its own program, which needs a terminal/)
  context.expect(await shop.answer('task', 'show', '1')).toMatchObject({ assignedAgentId: 'implementer-1' })

  const terminal = shop.start(['agent', 'take-over', 'implementer-1', '--root', shop.root], { columns: 80, rows: 24 })
  await terminal.until('You hold task 1 as human-1')
  await terminal.until('The conversation session-1 goes on here.')
  await screen.until(/● working .*human-1/)
  terminal.press(`Use a table.${enter}`)
  await terminal.until('you typed: Use a table.')
  terminal.press(`/exit${enter}`)
  await terminal.until('Hand task 1 back (conversation of implementer-1)')
  await terminal.until('agent, done, failed, board?')
  terminal.press(`perhaps${enter}`)
  await terminal.until(/board\? perhaps\s+agent, done, failed, board\?/)
  terminal.press(`failed${enter}`)
  await terminal.until('Why it has failed:')
  // A failure without a reason is refused, and asked again.
  terminal.press(enter)
  await terminal.until(/A reason is required[^]*board\?/)
  terminal.press(`done${enter}`)
  await terminal.until('The result')
  terminal.press(`A table${enter}`)
  await terminal.until('Task 1 is completed.')
  context.expect(await terminal.ended()).toBe(0)
  context.expect(typed()).toMatch(/^opened session-1 in .*auth\ntyped Use a table\.\n$/)
  context.expect(await shop.answer('task', 'show', '1')).toMatchObject({ status: 'completed', resultData: 'A table' })
})

test('a terminal that is closed after a take-over leaves the task to any agent', generous, async (context) => {
  const { shop } = await open(context)
  const screen = await shop.console({ columns: 80, rows: 24 })
  await screen.until('I begin.')
  const terminal = shop.start(['agent', 'take-over', 'implementer-1', '--root', shop.root], { columns: 80, rows: 24 })
  await terminal.until('goes on here.')
  // A Ctrl-C in the program is not for aiswarm.
  terminal.press('\u0003')
  await terminal.until('Hand task 1 back')
  terminal.press('\u0003')
  await terminal.until('Task 1 is pending again.')
  await screen.until(/◐ claimed .*implementer-2/)
})
